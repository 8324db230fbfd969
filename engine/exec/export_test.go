package exec

// Native is how many codes have run.
func (m *Machine) Native() (codes int) { return len(m.native.instances) }
