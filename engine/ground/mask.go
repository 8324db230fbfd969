package ground

import (
	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
)

// lookEvery is how many instances of a mask pass between two looks.
const lookEvery = 1 << 16

// where calls f for each instance that a mask has of the dimensions along which it moves, with the other dimensions; once, if there is no
// mask. Then the addresses are those of the instance, in the other dimensions. Its error is that of f or of look.
func (c *Counter) where(mask graph.Address, dims []graph.Dim, at []*graph.Address, f func(rest []graph.Dim) error, look func() error) error {
	if mask.Base == 0 {
		return f(dims)
	}
	var moving []int
	var rest []graph.Dim
	for k, d := range dims {
		if mask.Stride[k] != 0 {
			moving = append(moving, k)
		} else {
			rest = append(rest, d)
		}
	}
	strides := make([][]int, len(at))
	for i, a := range at {
		strides[i], a.Stride = a.Stride, nil
		for k, s := range strides[i] {
			if mask.Stride[k] == 0 {
				a.Stride = append(a.Stride, s)
			}
		}
	}
	seen := 0
	var instances func(n, place int) error
	instances = func(n, place int) error {
		if n == len(moving) {
			if seen++; seen%lookEvery == 0 {
				if err := look(); err != nil {
					return err
				}
			}
			if c.regs[place] == 0 {
				return nil
			}
			return f(rest)
		}
		k := moving[n]
		for range dims[k].Size {
			if err := instances(n+1, place); err != nil {
				return err
			}
			place += mask.Stride[k]
			for i, a := range at {
				a.Base += strides[i][k]
			}
		}
		for i, a := range at {
			a.Base -= dims[k].Size * strides[i][k]
		}
		return nil
	}
	return instances(0, mask.Base)
}

// countMasked is countArray for an instruction of a branch.
func (c *Counter) countMasked(in *graph.Array, look func() error) error {
	one := *in
	one.Mask, one.Large = graph.Address{}, false
	return c.where(in.Mask, in.Dims, []*graph.Address{&one.D, &one.A, &one.B}, func(rest []graph.Dim) error {
		one.Dims = rest
		return c.countArray(&one, look)
	}, look)
}

// joinArray notes what the results of an instruction are that is no step: each is what one of two branches has. Those that are masks are
// no operands.
func (c *Counter) joinArray(in *graph.Array) {
	held := c.Held
	array.Outer(in, in.Dims, false, func(d, a, b int) {
		switch {
		case in.Op == graph.BlockWhere && c.regs[b] == 0:
			held[d] = absent
		case in.Op == graph.BlockAdd && held[a] == absent:
			held[d] = held[b]
		default:
			held[d] = held[a]
		}
	})
}
