// Value and gradient of w2 and w5 by hand, with BLAS for the products of matrices and vectors, on one thread.
//
// MODE step adds an outer product to each matrix's gradient at each step backward (dger). MODE end keeps the adjoints
// of all steps, and multiplies them with the data and with the states at the end (dgemm).
#include <cblas.h>

#include "serve.h"

extern void openblas_set_num_threads(int);

static int end;               // the MODE
static double *H, *Z, *dh;    // states; adjoints of what the gates' functions are applied to; the adjoint of a state
static double *C, *G, *T, *dc;  // of w5: cells, gates, tanh of cells, the adjoint of a cell

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

// multiply is y = M x, or y + M x, of a matrix of the rows and K columns.
static void multiply(long rows, const double *M, const double *x, int add, double *y) {
	cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, K, 1, M, K, x, 1, add, y, 1);
}

// back makes the adjoint of the state before step t, and adds to the gradients if that is not done at the end.
static void back(long rows, long t) {
	const double *z = Z + t * rows;
	if (!end) {
		cblas_dger(CblasRowMajor, rows, K, 1, z, 1, A + t * K, 1, grad, K);
		cblas_dger(CblasRowMajor, rows, K, 1, z, 1, H + t * K, 1, grad + rows * K, K);
	}
	cblas_dgemv(CblasRowMajor, CblasTrans, rows, K, 1, R, K, z, 1, 0, dh, 1);
}

// gradients makes them from all adjoints, if that is to be done at the end.
static void gradients(long rows) {
	if (!end) return;
	cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, K, N, 1, Z, rows, A, K, 0, grad, K);
	cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, K, N, 1, Z, rows, H, K, 0, grad + rows * K, K);
}

// total is the value, the sum of the last state; its adjoint is 1.
static void total(void) {
	value = 0;
	for (long i = 0; i < K; i++) value += H[N * K + i], dh[i] = 1;
}

static void w2(void) {
	if (!end) memset(grad, 0, inputs * sizeof(double));
	for (long t = 0; t < N; t++) {
		double *h = H + (t + 1) * K;
		multiply(K, E, A + t * K, 0, h);
		multiply(K, R, H + t * K, 1, h);
		for (long i = 0; i < K; i++) h[i] = sigmoid(h[i]);
	}
	total();
	for (long t = N - 1; t >= 0; t--) {
		double *z = Z + t * K, *h = H + (t + 1) * K;
		for (long i = 0; i < K; i++) z[i] = dh[i] * h[i] * (1 - h[i]);
		back(K, t);
	}
	gradients(K);
}

static void w5(void) {
	long k = K, rows = 4 * K;
	if (!end) memset(grad, 0, inputs * sizeof(double));
	memset(dc, 0, k * sizeof(double));
	for (long t = 0; t < N; t++) {
		double *g = G + t * rows, *h = H + (t + 1) * k, *c = C + t * k, *u = T + t * k;
		multiply(rows, E, A + t * k, 0, g);
		multiply(rows, R, H + t * k, 1, g);
		for (long i = 0; i < 3 * k; i++) g[i] = sigmoid(g[i]);
		for (long i = 3 * k; i < rows; i++) g[i] = tanh(g[i]);
		for (long i = 0; i < k; i++) {
			c[k + i] = g[k + i] * c[i] + g[i] * g[3 * k + i];
			u[i] = tanh(c[k + i]);
			h[i] = g[2 * k + i] * u[i];
		}
	}
	total();
	for (long t = N - 1; t >= 0; t--) {
		const double *v = G + t * rows, *c = C + t * k, *u = T + t * k;
		double *z = Z + t * rows;
		for (long q = 0; q < k; q++) {
			double i = v[q], f = v[k + q], o = v[2 * k + q], g = v[3 * k + q];
			double l = dc[q] + dh[q] * o * (1 - u[q] * u[q]);
			z[q] = l * g * i * (1 - i);
			z[k + q] = l * c[q] * f * (1 - f);
			z[2 * k + q] = dh[q] * u[q] * o * (1 - o);
			z[3 * k + q] = l * i * (1 - g * g);
			dc[q] = l * f;
		}
		back(rows, t);
	}
	gradients(rows);
}

int main(int argc, char **argv) {
	if (argc < 5) return 2;
	openblas_set_num_threads(1);
	end = !strcmp(argv[1], "end");
	setup(argv + 2);
	long rows = inputs / (2 * K);
	H = numbers((N + 1) * K), Z = numbers(N * rows), dh = numbers(K);
	if (is("w5")) C = numbers((N + 1) * K), G = numbers(N * rows), T = numbers(N * K), dc = numbers(K);
	return serve(is("w2") ? w2 : w5);
}
