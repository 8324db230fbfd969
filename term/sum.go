package term

// lanes is how many partial sums a sum of more summands has.
const lanes = 8

// Sum adds s ≥ 1 summands in the order of sums, which is part of the language. For s ≤ 8 it is e0 + (e1 + (e2 + …)).
// Above, there are eight lanes. Lane l begins with e_l, and e_{l+8}, e_{l+16}, … are added to it in order. The sum is
//
//	((lane 0 + lane 4) + (lane 2 + lane 6)) + ((lane 1 + lane 5) + (lane 3 + lane 7))
//
// Package kernel adds in the same order.
func Sum[T any](s int, summand func(i int) T, add func(a, b T) T) T {
	if s <= lanes {
		sum := summand(s - 1)
		for i := s - 2; i >= 0; i-- {
			sum = add(summand(i), sum)
		}
		return sum
	}
	lane := func(l int) T {
		sum := summand(l)
		for i := l + lanes; i < s; i += lanes {
			sum = add(sum, summand(i))
		}
		return sum
	}
	four := func(a, b, c, d int) T { return add(add(lane(a), lane(b)), add(lane(c), lane(d))) }
	return add(four(0, 4, 2, 6), four(1, 5, 3, 7))
}
