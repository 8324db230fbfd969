// CoDiPack: expression templates that record a tape. MODE record makes a tape of Jacobians anew for each gradient; MODE
// replay makes a tape of primal values once, and evaluates it forward and backward again.
#include <codi.hpp>

#include "serve.h"

#include "recorded.h"

static std::vector<double> point;

template <class Real> static std::vector<Real> in;
template <class Real> static Real out;

template <class Real> static void record(void) {
	auto &tape = Real::getTape();
	tape.reset();
	tape.setActive();
	in<Real>.assign(point.begin(), point.end());
	for (Real &x : in<Real>) tape.registerInput(x);
	out<Real> = forward(in<Real>);
	tape.registerOutput(out<Real>);
	tape.setPassive();
	value = out<Real>.getValue();
}

template <class Real> static void backward(void) {
	auto &tape = Real::getTape();
	out<Real>.setGradient(1);
	tape.evaluate();
	for (long i = 0; i < inputs; i++) grad[i] = in<Real>[i].getGradient();
}

static void recorded(void) { record<codi::RealReverse>(), backward<codi::RealReverse>(); }

static void replayed(void) {
	using Real = codi::RealReversePrimal;
	auto &tape = Real::getTape();
	tape.clearAdjoints();
	for (long i = 0; i < inputs; i++) tape.setPrimal(in<Real>[i].getIdentifier(), point[i]);
	tape.evaluatePrimal();
	value = tape.getPrimal(out<Real>.getIdentifier());
	backward<Real>();
}

int main(int argc, char **argv) {
	if (argc < 5) return 2;
	setup(argv + 2);
	point = at();
	if (!strcmp(argv[1], "record")) return serve(recorded);
	// serve takes the memory from here on: so what is recorded is made at the first question.
	static bool made;
	return serve([] {
		if (!made) record<codi::RealReversePrimal>(), made = true;
		replayed();
	});
}
