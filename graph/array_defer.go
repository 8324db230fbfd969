package graph

import "slices"

// Deferred says how what arrives in several runs of a loop is added at once. Some instructions of the backward code add products of two
// vectors to sums that no other instruction reads or writes: the gradient of a matrix. They are made for many runs together, as one product
// of matrices. Each sum takes the same numbers in the same order.
type Deferred struct {
	Regs     uint32  // registers, those of the Backward included
	Runs     int     // that are kept at most
	Each     []Array // the other instructions
	Kept     []KeptOperand
	Products []DeferredProduct
}

// KeptOperand are N registers from From on that are copied when a run has fired: to To + N·(Runs − 1) of the first such run, and of each
// later one N registers before.
type KeptOperand struct{ From, To, N int }

// DeferredProduct is an instruction for all runs that are kept: they are dimension number Dim, from the last to the first.
type DeferredProduct struct {
	Array
	Dim int
}

// At most deferredRuns are kept, fewer if they have more than deferredNumbers, and none of code with more than deferredCode instructions.
const (
	deferredRuns    = 64
	deferredNumbers = 1 << 21
	deferredCode    = 1 << 8
)

// Of returns the instruction for n runs.
func (p *DeferredProduct) Of(n int) Array {
	in := p.Array
	in.Dims = slices.Clone(in.Dims)
	skip := in.Dims[p.Dim].Size - n
	in.Dims[p.Dim].Size = n
	in.A.Base += skip * in.A.Stride[p.Dim]
	in.B.Base += skip * in.B.Stride[p.Dim]
	in.SetLarge()
	return in
}

// deferred returns what can be deferred of the code, nil if there is nothing.
func (w *arrayBackward) deferred() *Deferred {
	out := &Deferred{Regs: w.out.Regs}
	if len(w.out.Arrays) > deferredCode {
		return nil
	}
	numbers := 0
	for i := range w.out.Arrays {
		in := &w.out.Arrays[i]
		if !w.defers(i) {
			out.Each = append(out.Each, *in)
			continue
		}
		out.Products = append(out.Products, DeferredProduct{*in, len(in.Dims) - 2})
		numbers += extent(in.A, in.Dims) + extent(in.B, in.Dims)
	}
	out.Runs = min(deferredRuns, deferredNumbers/max(1, numbers))
	if len(out.Products) == 0 || out.Runs < 2 {
		return nil
	}
	for i := range out.Products {
		p := &out.Products[i]
		p.A, p.B = out.keep(p.A, p.Dims, p.Dim), out.keep(p.B, p.Dims, p.Dim)
		p.D.Stride = slices.Insert(slices.Clone(p.D.Stride), p.Dim, 0)
		p.Dims = slices.Insert(slices.Clone(p.Dims), p.Dim, Dim{Size: out.Runs, Loop: -1})
	}
	return out
}

// extent is how many registers there are from the first to the last of an operand.
func extent(a Address, dims []Dim) int {
	first, last := a.Range(dims)
	return last + 1 - first
}

// keep makes registers for an operand of all runs, and returns their address with the runs as a dimension.
func (d *Deferred) keep(a Address, dims []Dim, dim int) Address {
	first, _ := a.Range(dims)
	k := KeptOperand{From: first, To: int(d.Regs), N: extent(a, dims)}
	if i := slices.IndexFunc(d.Kept, func(o KeptOperand) bool { return o.From == k.From && o.N == k.N }); i >= 0 {
		k = d.Kept[i]
	} else {
		d.Kept = append(d.Kept, k)
		d.Regs += uint32(d.Runs * k.N)
	}
	return Address{k.To + a.Base - first, slices.Insert(slices.Clone(a.Stride), dim, k.N)}
}

// defers reports whether instruction i can be deferred: it adds the products of two vectors, which no later instruction changes, to a
// matrix of sums over all runs, which no other instruction names.
func (w *arrayBackward) defers(i int) bool {
	in := &w.out.Arrays[i]
	k := len(in.Dims) - 1
	if in.Kind != ArrayAddMul || in.Pick != 0 || in.Mask.Base != 0 || k < 1 || Instances(in.Dims) == 0 || slices.Min(in.D.Stride) <= 0 || !in.D.injective(in.Dims) {
		return false
	}
	vector := func(of, other Address, dim int) bool { return of.Stride[dim] > 0 && other.Stride[dim] == 0 }
	if !(vector(in.A, in.B, k-1) && vector(in.B, in.A, k)) && !(vector(in.B, in.A, k-1) && vector(in.A, in.B, k)) {
		return false
	}
	first, last := in.D.Range(in.Dims)
	if w.sums == 0 || first < w.sums || last >= w.sums+w.b.Exts {
		return false
	}
	for _, a := range []Address{in.A, in.B} {
		if dims, at := a.moving(in.Dims); extent(at, dims) > 2*Instances(dims) {
			return false
		}
	}
	for j := range w.out.Arrays {
		if j == i {
			continue
		}
		for _, other := range w.out.Arrays[j].parts() {
			meets := func(a, b Address) bool {
				first, last := b.Range(in.Dims)
				from, to := a.Range(other.Dims)
				return from <= last && first <= to
			}
			if meets(other.D, in.D) || j > i && (meets(other.D, in.A) || meets(other.D, in.B)) {
				return false
			}
		}
	}
	return true
}
