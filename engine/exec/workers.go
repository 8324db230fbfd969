package exec

import "sync"

// leastPart is how many multiplications are worth a goroutine.
const leastPart = 1 << 15

// parts is among how many workers n rows are divided, which take so much work together. Where it is one, the rows are
// computed without a closure, so that a loop of small products allocates nothing.
func (m *Machine) parts(n, work int) int { return max(1, min(m.Workers, n, work/leastPart)) }

// split runs f on parts of n rows, in as many goroutines. The rows are independent, so results don't depend on how they
// are divided.
func split(n, parts int, f func(from, to int)) {
	var wg sync.WaitGroup
	for k := 1; k < parts; k++ {
		wg.Go(func() { f(k*n/parts, (k+1)*n/parts) })
	}
	f(0, n/parts)
	wg.Wait()
}
