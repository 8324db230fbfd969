// What the programs in C and C++ have in common: the workloads' data, and serving.
//
// A program is called as PROGRAM [MODE] W N K, where W is one of w1 to w5. It
// prepares the data and prints {"ready":true}. For each line on its standard input it
// takes value and gradient, once without a clock and then until LEAST seconds have passed,
// and prints a line of JSON: the value, the gradient, the runs and their seconds. It ends
// with its input.
#pragma once
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAST 0.01

static const char *W;
static long N, K;
static double *A;      // data, in the order in which they are applied
static double *E, *R;  // the weights of w2, row by row; of w5 those of the gates i, f, o and g below each other
static double value;
static double *grad;
static long inputs;

static double *numbers(long n) {
	double *p = (double *)calloc(n, sizeof(double));
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return p;
}

static int is(const char *w) { return !strcmp(W, w); }

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

// setup reads the three arguments, and makes the data.
static void setup(char **arg) {
	W = arg[0], N = atol(arg[1]), K = is("w2") || is("w5") ? atol(arg[2]) : 1;
	inputs = is("w2") ? 2 * K * K : is("w5") ? 8 * K * K : is("w3") ? 1 : 2;
	grad = numbers(inputs);
	if (!is("w3") && !is("w4")) {
		A = numbers(N * K);
		for (long i = 0; i < N * K; i++) A[i] = sin((double)i);
	}
	if (is("w2")) {
		E = numbers(K * K), R = numbers(K * K);
		for (long i = 0; i < K * K; i++) E[i] = 0.1 * sin(1.0 + i), R[i] = 0.1 * cos(1.0 + i);
	}
	if (is("w5")) {
		E = numbers(4 * K * K), R = numbers(4 * K * K);
		for (long i = 0; i < 4 * K * K; i++) {
			long gate = i / (K * K), place = i % (K * K) + gate / 2;
			E[i] = 0.1 * (gate % 2 ? cos(1.0 + place) : sin(1.0 + place));
			R[i] = 0.1 * (gate % 2 ? cos(3.0 + place) : sin(3.0 + place));
		}
	}
}

// serve answers until its input ends.
static int serve(void (*run)(void)) {
	char line[64];
	puts("{\"ready\":true}");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		run();
		double start = now(), seconds;
		long runs = 0;
		do {
			run();
			runs++;
			seconds = now() - start;
		} while (seconds < LEAST);
		printf("{\"runs\":%ld,\"seconds\":%.9g,\"value\":%.17g,\"gradient\":[", runs, seconds, value);
		for (long i = 0; i < inputs; i++) printf("%s%.17g", i ? "," : "", grad[i]);
		puts("]}");
		fflush(stdout);
	}
	return 0;
}
