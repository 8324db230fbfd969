// Value and gradient by hand: a loop forward that keeps the states, and one backward.
#include "serve.h"

static double *U;  // the states

static void w1(void) {
	double e = 0.7, r = 0.9, l = 1, ge = 0, gr = 0;
	U[0] = 0;
	for (long i = 0; i < N; i++) U[i + 1] = 1 / (1 + exp(-(e * A[i] + r * U[i])));
	for (long i = N - 1; i >= 0; i--) {
		double s = U[i + 1], dz = l * s * (1 - s);
		ge += dz * A[i];
		gr += dz * U[i];
		l = dz * r;
	}
	value = U[N], grad[0] = ge, grad[1] = gr;
}

static double *lam, *dz;  // the adjoints of a state, and of what the sigmoid or the gates' functions are applied to

static void w2(void) {
	long k = K;
	double *restrict gE = grad, *restrict gR = grad + k * k;
	memset(grad, 0, 2 * k * k * sizeof(double));
	memset(U, 0, k * sizeof(double));
	for (long t = 0; t < N; t++) {
		const double *restrict a = A + t * k, *restrict h = U + t * k;
		double *restrict o = U + (t + 1) * k;
		for (long i = 0; i < k; i++) {
			double s = 0;
			for (long j = 0; j < k; j++) s += E[i * k + j] * a[j];
			for (long j = 0; j < k; j++) s += R[i * k + j] * h[j];
			o[i] = 1 / (1 + exp(-s));
		}
	}
	value = 0;
	for (long i = 0; i < k; i++) value += U[N * k + i], lam[i] = 1;
	for (long t = N - 1; t >= 0; t--) {
		const double *restrict a = A + t * k, *restrict h = U + t * k, *restrict o = U + (t + 1) * k;
		double *restrict l = lam;
		for (long i = 0; i < k; i++) dz[i] = lam[i] * o[i] * (1 - o[i]);
		memset(lam, 0, k * sizeof(double));
		for (long i = 0; i < k; i++) {
			double z = dz[i];
			for (long j = 0; j < k; j++) {
				gE[i * k + j] += z * a[j];
				gR[i * k + j] += z * h[j];
				l[j] += z * R[i * k + j];
			}
		}
	}
}

static void w3(void) {
	double l = 1;
	U[0] = -0.3;
	for (long i = 0; i < N; i++) U[i + 1] = sin(U[i] * U[i]) + U[i];
	for (long i = N - 1; i >= 0; i--) l += l * cos(U[i] * U[i]) * 2 * U[i];
	value = U[N], grad[0] = l;
}

static void w4(void) {
	double w = 0.9999999, x = 1.1, l = 1, gw = 0, gx = 0;
	U[0] = x;
	for (long i = 0; i < N; i++) U[i + 1] = w * U[i] + x;
	for (long i = N - 1; i >= 0; i--) {
		gw += l * U[i];
		gx += l;
		l *= w;
	}
	value = U[N], grad[0] = gw, grad[1] = gx + l;
}

static double *C, *G, *dc;  // of w5: cells, gates, and the adjoint of a cell

static void w5(void) {
	long k = K, rows = 4 * K;
	double *restrict gE = grad, *restrict gR = grad + rows * k, *restrict l = lam;
	memset(gE, 0, inputs * sizeof(double));
	memset(dc, 0, k * sizeof(double));
	for (long t = 0; t < N; t++) {
		const double *restrict a = A + t * k, *restrict h = U + t * k;
		double *restrict g = G + t * rows, *restrict c = C + t * k;
		for (long i = 0; i < rows; i++) {
			double s = 0;
			for (long j = 0; j < k; j++) s += E[i * k + j] * a[j];
			for (long j = 0; j < k; j++) s += R[i * k + j] * h[j];
			g[i] = i < 3 * k ? 1 / (1 + exp(-s)) : tanh(s);
		}
		for (long q = 0; q < k; q++) {
			c[k + q] = g[k + q] * c[q] + g[q] * g[3 * k + q];
			U[(t + 1) * k + q] = g[2 * k + q] * tanh(c[k + q]);
		}
	}
	value = 0;
	for (long q = 0; q < k; q++) value += U[N * k + q], l[q] = 1;
	for (long t = N - 1; t >= 0; t--) {
		const double *restrict a = A + t * k, *restrict h = U + t * k, *restrict c = C + t * k, *restrict v = G + t * rows;
		for (long q = 0; q < k; q++) {
			double i = v[q], f = v[k + q], o = v[2 * k + q], g = v[3 * k + q], u = tanh(c[k + q]);
			double by = dc[q] + l[q] * o * (1 - u * u);
			dz[q] = by * g * i * (1 - i);
			dz[k + q] = by * c[q] * f * (1 - f);
			dz[2 * k + q] = l[q] * u * o * (1 - o);
			dz[3 * k + q] = by * i * (1 - g * g);
			dc[q] = by * f;
		}
		memset(l, 0, k * sizeof(double));
		for (long i = 0; i < rows; i++) {
			double z = dz[i];
			for (long j = 0; j < k; j++) {
				gE[i * k + j] += z * a[j];
				gR[i * k + j] += z * h[j];
				l[j] += z * R[i * k + j];
			}
		}
	}
}

int main(int argc, char **argv) {
	if (argc < 4) return 2;
	setup(argv + 1);
	U = numbers((N + 1) * K), lam = numbers(K), dz = numbers(4 * K);
	if (is("w5")) C = numbers((N + 1) * K), G = numbers(N * 4 * K), dc = numbers(K);
	return serve(is("w1") ? w1 : is("w2") ? w2 : is("w3") ? w3 : is("w4") ? w4 : w5);
}
