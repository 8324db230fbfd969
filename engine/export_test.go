package engine

// CollectEvery makes collections wait for n nodes only.
func CollectEvery(m *Machine, n uint32) { m.collect.least = n }

// LendEvery makes a machine of the schedule Parallel lend redexes every n steps, and
// blocks of any size. If it waits, workers do all that is lent.
func LendEvery(m *Machine, n uint64, waits bool) {
	m.team.lend.every, m.team.least, m.team.Waits = n, 0, waits
}

// LendFrom makes a machine of the schedule Parallel lend only blocks of so many instructions, and workers do all that is lent.
func LendFrom(m *Machine, least uint64) { m.team.least, m.team.Waits = least, true }

// Accepted is how many tasks the last run has accepted from workers.
func Accepted(m *Machine) int { return m.team.accepted }

// RunsPerPath sets how many runs make the code of a path worth making, and returns what sets it back.
func RunsPerPath(n uint64) (reset func()) {
	old := runsPerPath
	runsPerPath = n
	return func() { runsPerPath = old }
}

// NativeWork sets how many instructions make a loop worth compiling, and returns what sets it back.
func NativeWork(n uint64) (reset func()) {
	old := nativeWork
	nativeWork = n
	return func() { nativeWork = old }
}

// BytecodeRuns sets how many runs make bytecode of a loop worth making, and returns what sets it back.
func BytecodeRuns(n uint64) (reset func()) {
	old := bytecodeRuns
	bytecodeRuns = n
	return func() { bytecodeRuns = old }
}

// HasCode reports whether the machine has run bytecode or machine code.
func HasCode(m *Machine) bool { return m.block.HasCode() }

// Compiled reports whether the machine has run machine code.
func Compiled(m *Machine) bool { return m.block.Compiled() }

// ObjectNumbers makes the rows of an object of a loop so many numbers.
func ObjectNumbers(m *Machine, n uint64) { m.block.Kept.Numbers = n }
