package graph

// A block with arrays of an open program says how many variables stand for its values: the rules that put a value in the place of a
// variable don't fire where the operand is open, which is what depends on a symbolic input.

// ArrayNumbers are registers, one for each instance of the dimensions. Where Mask.Base is not 0, there are only the instances at which
// the number at Mask is not 0.
type ArrayNumbers struct {
	Dims []Dim
	At   Address
	Mask Address
}

// ArrayTally says how many binders and occurrences of variables stand for each of the numbers.
type ArrayTally struct {
	ArrayNumbers
	Weight
}

// ArrayTuple is a family of tuples that the block makes and that variables stand for, one for each instance of Dims. (10) names
// the N components of those that are open. Numbers are the components that are numbers, and Deep the numbers inside the
// other components. Their first dimensions are Dims.
type ArrayTuple struct {
	Dims          []Dim
	Mask          Address // as in [ArrayNumbers]
	N             uint64
	Numbers, Deep []ArrayNumbers
}

// Each calls f with all numbers of the tuples.
func (t *ArrayTuple) Each(f func(*ArrayNumbers)) {
	for _, all := range [][]ArrayNumbers{t.Numbers, t.Deep} {
		for i := range all {
			f(&all[i])
		}
	}
}

// Rows calls f with the places of the instances, by rows of n at a distance. Each place that f sees is that of times instances.
func (a Address) Rows(dims []Dim, f func(at, n, stride int)) (times int) {
	all := Instances(dims)
	dims, a = a.moving(dims)
	times = all / Instances(dims)
	if len(dims) == 0 {
		f(a.Base, 1, 0)
		return times
	}
	last := len(dims) - 1
	n, stride := dims[last].Size, a.Stride[last]
	a.Stride = a.Stride[:last]
	a.Each(dims[:last], func(_, at int) { f(at, n, stride) })
	return times
}
