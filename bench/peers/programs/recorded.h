// The workloads w1 to w4 on a type Real that records its operations: serve.h is included before.
#include <vector>

template <class Real> static Real sigmoid(const Real &x) { return 1 / (1 + exp(-x)); }

// network is w2 from its weights, E before R.
template <class Real> static Real network(const std::vector<Real> &in) {
	std::vector<Real> h(K), o(K);
	for (long i = 0; i < K; i++) h[i] = 0;
	for (long t = 0; t < N; t++) {
		for (long i = 0; i < K; i++) {
			Real s = in[i * K] * A[t * K];
			for (long j = 1; j < K; j++) s += in[i * K + j] * A[t * K + j];
			for (long j = 0; j < K; j++) s += in[K * K + i * K + j] * h[j];
			o[i] = sigmoid<Real>(s);
		}
		std::swap(h, o);
	}
	Real s = h[0];
	for (long i = 1; i < K; i++) s += h[i];
	return s;
}

template <class Real> static Real forward(const std::vector<Real> &in) {
	if (is("w2")) return network(in);
	Real y = is("w1") ? Real(0) : is("w3") ? in[0] : in[1];
	for (long i = 0; i < N; i++) {
		if (is("w1")) y = sigmoid<Real>(in[0] * A[i] + in[1] * y);
		if (is("w3")) y = sin(y * y) + y;
		if (is("w4")) y = in[0] * y + in[1];
	}
	return y;
}

// at is the point at which value and gradient are taken, in the order of the inputs.
static std::vector<double> at(void) {
	if (is("w1")) return {0.7, 0.9};
	if (is("w3")) return {-0.3};
	if (is("w4")) return {0.9999999, 1.1};
	std::vector<double> point(E, E + K * K);
	point.insert(point.end(), R, R + K * K);
	return point;
}
