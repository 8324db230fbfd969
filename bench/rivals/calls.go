package rivals

import "github.com/gram-machine/gram/rule"

// calls are the operations that have been called and not yet resolved, with the sums of their arguments.
type calls interface {
	// at returns the entry of an operation, a new one if there is none.
	at(key ident) *called
	// takeMax removes the entry with the largest key; ok is false if there is none.
	takeMax() (key ident, c called, ok bool)
}

// called is what is known of an operation that has been called: its backpropagator, and the sum of the arguments.
type called struct {
	back value
	sum  float64
	any  bool // there is a sum to add to
}

// array is an array with an entry for each identifier. It counts a word for each of the two components of an entry.
type array struct {
	entries []called
	touched *uint64
}

func newArray(n int, touched *uint64) *array {
	a := &array{make([]called, n), touched}
	for i := range a.entries {
		a.entries[i].any = true
	}
	*touched += 2 * uint64(n)
	return a
}

func (a *array) at(key ident) *called {
	*a.touched += 2
	return &a.entries[key]
}

func (a *array) takeMax() (ident, called, bool) {
	for n := len(a.entries) - 1; n >= 0; n-- {
		c := a.entries[n]
		a.entries = a.entries[:n]
		*a.touched += 2
		if c.back != nil {
			return ident(n), c, true
		}
	}
	return 0, called{}, false
}

// callWith calls an operation.
func (m *machine) callWith(d *pair, r float64) {
	c := m.calls.at(d.left.(ident))
	if c.any {
		m.cost.Steps[rule.Plus]++
		r += c.sum
	}
	*c = called{d.right, r, true}
}

// resolve calls the backpropagator of each operation that has been called, once, in the reverse of the order in which
// they were made. The first d are the inputs, whose sums it returns.
func (m *machine) resolve(d int) []float64 {
	out := make([]float64, d)
	for {
		key, c, ok := m.calls.takeMax()
		switch {
		case !ok:
			return out
		case int(key) < d:
			out[key] = c.sum
		default:
			m.apply(m.apply(c.back, c.sum), nil)
		}
	}
}

// tree is a map from identifiers, balanced as by Adelson-Velsky and Landis. It counts each node that an operation
// touches.
type tree struct {
	root    *branch
	touched *uint64
}

type branch struct {
	key    ident
	called called
	sides  [2]*branch // of lesser keys, and of greater ones
	height int
}

func (t *tree) at(key ident) (out *called) {
	var insert func(b *branch) *branch
	insert = func(b *branch) *branch {
		*t.touched++
		if b == nil {
			b = &branch{key: key, height: 1}
		}
		if key == b.key {
			out = &b.called
			return b
		}
		side := 0
		if key > b.key {
			side = 1
		}
		b.sides[side] = insert(b.sides[side])
		return t.balance(b)
	}
	t.root = insert(t.root)
	return out
}

func (t *tree) takeMax() (key ident, c called, ok bool) {
	if t.root == nil {
		return 0, called{}, false
	}
	var remove func(b *branch) *branch
	remove = func(b *branch) *branch {
		*t.touched++
		if b.sides[1] == nil {
			key, c = b.key, b.called
			return b.sides[0]
		}
		b.sides[1] = remove(b.sides[1])
		return t.balance(b)
	}
	t.root = remove(t.root)
	return key, c, true
}

func (b *branch) tall() int {
	if b == nil {
		return 0
	}
	return b.height
}

func (b *branch) measure() { b.height = 1 + max(b.sides[0].tall(), b.sides[1].tall()) }

// balance rotates where one side is taller by two.
func (t *tree) balance(b *branch) *branch {
	b.measure()
	for side, tall := range b.sides {
		if tall.tall()-b.sides[1-side].tall() < 2 {
			continue
		}
		if tall.sides[side].tall() < tall.sides[1-side].tall() {
			b.sides[side] = t.rotate(tall, 1-side)
		}
		return t.rotate(b, side)
	}
	return b
}

// rotate puts what is on a side of b above it.
func (t *tree) rotate(b *branch, side int) *branch {
	*t.touched++
	up := b.sides[side]
	b.sides[side], up.sides[1-side] = up.sides[1-side], b
	b.measure()
	up.measure()
	return up
}

// record is an operation of the trace: its operands, and its slopes if it is no sum.
type record struct {
	operands []ident
	slopes   []float64
}

// noIdent is the operand whose linear map is 0: a numeral.
const noIdent ident = -1

// replay goes through the trace from its end, and returns the derivatives by the first d operations, the inputs.
func (m *machine) replay(seed ident, d int) []float64 {
	words := &m.cost.Words.Array
	sums := make([]called, m.idents)
	*words += uint64(m.idents)
	addTo := func(at ident, r float64) {
		if at == noIdent {
			return
		}
		*words++
		if sums[at].any {
			m.cost.Steps[rule.Plus]++
			r += sums[at].sum
		}
		sums[at] = called{sum: r, any: true}
	}
	addTo(seed, 1)
	for i := m.idents - 1; i >= d; i-- {
		m.enter()
		m.leave()
		*words++
		if !sums[i].any {
			continue
		}
		r := m.trace[i-d]
		*words += uint64(len(r.operands) + len(r.slopes))
		for j, at := range r.operands {
			a := sums[i].sum
			if r.slopes != nil {
				m.cost.Steps[rule.Times]++
				a *= r.slopes[j]
			}
			addTo(at, a)
		}
	}
	out := make([]float64, d)
	for i := range out {
		*words++
		out[i] = sums[i].sum
	}
	return out
}
