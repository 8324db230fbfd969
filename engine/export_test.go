package engine

// CollectEvery makes collections wait for n nodes only.
func CollectEvery(m *Machine, n uint32) { m.collect.least = n }

// LendEvery makes a machine of the schedule Parallel lend redexes every n steps, and
// blocks of any size. If it waits, workers do all that is lent.
func LendEvery(m *Machine, n uint64, waits bool) {
	m.team.lend.every, m.team.least, m.team.waits = n, 0, waits
}

// Accepted is how many tasks the last run has accepted from workers.
func Accepted(m *Machine) int { return m.team.accepted }

// ObjectNumbers makes the rows of an object of a loop so many numbers.
func ObjectNumbers(m *Machine, n uint64) { m.block.kept.numbers = n }

// Advance is advance, of which a test knows the best result.
var Advance = advance
