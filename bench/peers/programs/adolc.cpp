// ADOL-C: operators that record a tape. MODE record makes the tape anew for each gradient; MODE
// replay makes it once, and runs it forward and backward again.
#include <adolc/adolc.h>

#include "serve.h"

#include "recorded.h"

static std::vector<double> point;

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
	point = at();
	if (!strcmp(argv[1], "record")) return serve(recorded);
	// serve takes the memory from here on: so what is recorded is made at the first question.
	static bool made;
	return serve([] {
		if (!made) record(), made = true;
		replayed();
	});
}
