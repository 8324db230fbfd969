package graph

// Run is code that one application or branch of a conditional runs, in each instance of the loops around: a body, or the elements of a
// list. Those of one application run one after the other.
type Run struct {
	// Outer is 1 + the number of the run whose code has the application, 0 if there is none.
	Outer int
	// First is the number of the first run of the application.
	First int
}

// before reports whether the cells of the family a are known to be made before those of b in each instance: they are made by the code of a run,
// in order, and before all that the code applies, and that is behind the run.
func (m *masked) before(a, b int32) bool {
	x, y := &m.cells[a-1], &m.cells[b-1]
	if x.Run == 0 || x.Waits || x.Either || y.Either {
		return false
	}
	if x.Run == y.Run {
		return y.Waits || a < b
	}
	for r := y.Run; r != 0; r = m.runs[r-1].Outer {
		if r == x.Run || r > x.Run && m.runs[r-1].First == m.runs[x.Run-1].First {
			return true
		}
	}
	return false
}
