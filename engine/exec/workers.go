package exec

import "sync"

// leastPart is how many multiplications are worth a goroutine.
const leastPart = 1 << 15

// split runs f on parts of n rows, which take so much work together, in as many goroutines as there are workers. The
// rows are independent, so results don't depend on how they are divided.
func (m *Machine) split(n, work int, f func(from, to int)) {
	parts := min(m.Workers, n, work/leastPart)
	if parts < 2 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for k := 1; k < parts; k++ {
		wg.Go(func() { f(k*n/parts, (k+1)*n/parts) })
	}
	f(0, n/parts)
	wg.Wait()
}
