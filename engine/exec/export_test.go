package exec

// Native is how many codes have run.
func (m *Machine) Native() (codes int) { return m.native.Codes() }

// SetWindow sets how many numbers a window has.
func (m *Machine) SetWindow(numbers int) { m.window = numbers }

// SetFar sets the number of a dense vector from which on it has no references.
func (m *Machine) SetFar(number uint64) { m.far = number }

// SetLeastAgain sets how many bytes of the tape a checkpoint stands for at least.
func (m *Machine) SetLeastAgain(bytes uint64) { m.leastAgain = bytes }

// Lanes is how many numbers vector statements have for their last strips.
func (m *Machine) Lanes() (n uint64) {
	for _, s := range m.lanes {
		if s != nil {
			for i := range s.vals {
				n += uint64(len(s.vals[i]))
			}
		}
	}
	return n
}

// Checkpoints is how many there are.
func (m *Machine) Checkpoints() (n int) {
	for _, r := range m.tape.records {
		if _, ok := r.by.(*checkpoint); ok {
			n++
		}
	}
	return n
}

// NestParts is how many parts these run in.
func (m *Machine) NestParts() (n int) {
	for _, st := range m.nests {
		n += st.parts
	}
	return n
}

// SetNests sets how many bytes machine code of nests has for what it pushes, at first and at most in one part, and how
// many operations it runs at most in one part.
func (m *Machine) SetNests(first, most uint64, work float64) { m.nesting = nesting{first, most, work} }

// Functions is how many functions are machine code.
func (m *Machine) Functions() (n int) {
	if m.region == nil || m.without {
		return 0
	}
	for _, active := range m.region.active {
		if active {
			n++
		}
	}
	return n
}

// SetScarce sets by how many bits the memory of functions is smaller than it may be.
func (m *Machine) SetScarce(bits int) { m.scarce = bits }
