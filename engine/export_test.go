package engine

// CollectEvery makes collections wait for n nodes only.
func CollectEvery(m *Machine, n uint32) { m.collect.least = n }

// LendEvery makes a machine of the schedule Parallel lend redexes every n steps, and
// blocks of any size. If it is patient, workers do all that is lent.
func LendEvery(m *Machine, n uint64, patient bool) {
	m.team.lend.every, m.team.least, m.team.patient = n, 0, patient
}

// Accepted is how many errands the last run has accepted from workers.
func Accepted(m *Machine) int { return m.team.accepted }
