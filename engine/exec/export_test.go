package exec

// Native is how many codes have run.
func (m *Machine) Native() (codes int) { return len(m.native.instances) }

// SetWindow sets how many numbers a window has.
func (m *Machine) SetWindow(numbers int) { m.window = numbers }

// SetFar sets the number of a dense vector from which on it has no references.
func (m *Machine) SetFar(number uint64) { m.far = number }
