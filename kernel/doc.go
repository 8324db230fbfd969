// Package kernel runs the loops of numbers that comprehensions stand for: sums, products of
// matrices, and elementwise loops, on float64.
//
// # The order of additions
//
// The results have the same bits in every form and on every computer: each operation rounds as IEEE 754 says, no
// product is fused with an addition, and additions have an order. There are two.
//
// The order of sums is that of Σ. For s ≤ 8 summands it is e0 + (e1 + (e2 + …)). Above, there are eight lanes. Lane l
// begins with e_l, and e_{l+8}, e_{l+16}, … are added to it in order. The sum is
//
//	((lane 0 + lane 4) + (lane 2 + lane 6)) + ((lane 1 + lane 5) + (lane 3 + lane 7))
//
// The sum of no summands is 0. [Sum], [Dot], [MatVec] and [MatMul] add so.
//
// The order of arrivals is that in which duals are added to: each summand is added to a running value, one after the
// other, from the first index to the last or from the last to the first. [AddMatVecT], [AddOuter], [AddMatMul],
// [AddMul] and [AddMulScalar] add so. A call with the first of the steps and a call with the others do the same as
// one call. A value to which nothing was added yet begins at −0, not at 0: −0 + x is x, bit by bit.
//
// Where a result is no number, only that is the same: any NaN is as good as another.
//
// # Forms
//
// Each operation has a form in Go, which runs everywhere, and on amd64 one in assembly for AVX2 and one for AVX-512,
// written by the program in the folder gen. [Form] says which is used.
//
// # Calls
//
// Sizes are checked once in each call; a slice that is too short is a panic. What is written must not overlap what is
// read, unless an operation allows it. Functions may run at the same time in several goroutines, but for [Use].
//
// A call runs to its end, and the Go scheduler does not interrupt assembly. In a second a form in assembly makes some
// 10¹⁰ products, and that in Go 10⁹. So whoever must look at a limit or a clock divides long work into calls of at
// most 10⁷ products: by the rows of the result of [MatVec] or [MatMul], the steps of an Add… operation, the elements
// of an elementwise loop; a long sum with [Lanes].
package kernel
