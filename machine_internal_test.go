package gram

import "testing"

// onMachine makes the programs of a test run on the machine, as blocks or as nodes, and not as code of the compiler.
func onMachine(t testing.TB) {
	was := force
	force = -1
	t.Cleanup(func() { force = was })
}
