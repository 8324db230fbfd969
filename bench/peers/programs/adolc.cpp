// ADOL-C: operators that record a tape. MODE record makes the tape anew for each gradient; MODE
// replay makes it once, and runs it forward and backward again.
#include <vector>

#include <adolc/adolc.h>

#include "serve.h"

static std::vector<double> point;

static adouble sigmoid(const adouble &x) { return 1 / (1 + exp(-x)); }

// network is w2 from its weights, E before R.
static adouble network(const std::vector<adouble> &in) {
	std::vector<adouble> h(K), o(K);
	for (long i = 0; i < K; i++) h[i] = 0;
	for (long t = 0; t < N; t++) {
		for (long i = 0; i < K; i++) {
			adouble s = in[i * K] * A[t * K];
			for (long j = 1; j < K; j++) s += in[i * K + j] * A[t * K + j];
			for (long j = 0; j < K; j++) s += in[K * K + i * K + j] * h[j];
			o[i] = sigmoid(s);
		}
		std::swap(h, o);
	}
	adouble s = h[0];
	for (long i = 1; i < K; i++) s += h[i];
	return s;
}

static adouble forward(const std::vector<adouble> &in) {
	if (is("w2")) return network(in);
	adouble y = is("w1") ? adouble(0) : is("w3") ? in[0] : in[1];
	for (long i = 0; i < N; i++) {
		if (is("w1")) y = sigmoid(in[0] * A[i] + in[1] * y);
		if (is("w3")) y = sin(y * y) + y;
		if (is("w4")) y = in[0] * y + in[1];
	}
	return y;
}

static void record(void) {
	trace_on(1, 1);
	{
		std::vector<adouble> in(inputs);
		for (long i = 0; i < inputs; i++) in[i] <<= point[i];
		adouble y = forward(in);
		y >>= value;
	}
	trace_off();
}

static void backward(void) {
	double seed = 1;
	fos_reverse(1, 1, inputs, &seed, grad);
}

static void recorded(void) { record(), backward(); }
static void replayed(void) { zos_forward(1, 1, inputs, 1, point.data(), &value), backward(); }

int main(int argc, char **argv) {
	if (argc < 5) return 2;
	setup(argv + 2);
	if (is("w1")) point = {0.7, 0.9};
	if (is("w2")) point.assign(E, E + K * K), point.insert(point.end(), R, R + K * K);
	if (is("w3")) point = {-0.3};
	if (is("w4")) point = {0.9999999, 1.1};
	if (!strcmp(argv[1], "record")) return serve(recorded);
	// serve takes the memory from here on: so what is recorded is made at the first question.
	static bool made;
	return serve([] {
		if (!made) record(), made = true;
		replayed();
	});
}
