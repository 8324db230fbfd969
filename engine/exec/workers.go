package exec

import "sync"

// leastPart is how many multiplications are worth a goroutine.
const leastPart = 1 << 15

// parts is how many workers share n rows that take so much work together. A caller with one worker computes the rows
// without a closure: a closure is an allocation, and takes longer than a small product.
func (m *Machine) parts(n, work int) int { return max(1, min(m.Workers, n, work/leastPart)) }

// split runs f on parts of n rows, in as many goroutines. Rows are independent: results don't depend on the division.
func split(n, parts int, f func(from, to int)) {
	var wg sync.WaitGroup
	for k := 1; k < parts; k++ {
		wg.Go(func() { f(k*n/parts, (k+1)*n/parts) })
	}
	f(0, n/parts)
	wg.Wait()
}
