package exec

import (
	"math"
	"sync"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/kernel"
)

// product is a sum of products of two loads, as in sum j < n -> a.(u).(j) * b.(j).(v): c(u,v) = Σj a(u,j) · b(j,v).
// The loads are not copied to lanes: kernels read their elements where they are. A loop around the sum on which only
// a depends is u, one on which only b does v: without v it is a matrix times a vector, without both a dot product.
// There is a product of matrices for each iteration of the other loops around it, batch. The outermost loop may be u,
// v, or one of batch. Its iterations are the rows of the statement, so a strip has some rows of a, columns of b, or
// products. Of a sum over several loops, those whose places do not follow each other are in batch, too: products are
// added.
type product struct {
	u, v    productDim
	batch   []productDim
	size    int // of the sum
	adds    bool
	aj, bj  int
	whole   int     // iterations of the outermost loop
	overlap [2]bool // elements of rows of a, columns of b have places in common
	dot     bool    // the outermost loop is that of the sum
	sides   [2]side
}

// side is the way back to an operand x of a product: x(u,j) += Σw d(u,w) y(w,j), for what arrives at the sums, d, and
// the other operand, y.
type side struct {
	u, w   productDim
	xj, yj int
}

// productDim is a loop, and how far apart its iterations are in a, b and c.
type productDim struct {
	size, a, b, c int
	outer         bool
}

// follows reports whether the places of e, a loop around d, follow those of d: both are one loop.
func follows(d, e productDim) bool {
	return d.size > 1 && e.a == d.size*d.a && e.b == d.size*d.b && e.c == d.size*d.c
}

func (v *vector) newProduct(l *lane, loop int) *product {
	src := v.src
	a, b := &src.Lanes[l.a], &src.Lanes[l.b]
	j := a.Loop
	p := &product{size: src.Loops[j].Size, aj: a.At.By[j], bj: b.At.By[j], u: productDim{size: 1, c: 1},
		v: productDim{size: 1, c: 1}, whole: v.size, dot: l.total}
	c := 1
	hasU, hasV := false, false
	k := src.Loops[j].Parent
	for ; j != loop && k != loop; k = src.Loops[k].Parent {
		d := productDim{size: src.Loops[k].Size, a: a.At.By[k], b: b.At.By[k]}
		if !p.adds && d.a == p.size*p.aj && d.b == p.size*p.bj {
			p.size *= d.size
		} else {
			p.adds, p.batch = true, append(p.batch, d)
		}
	}
	for ; k >= 0; k = src.Loops[k].Parent {
		d := productDim{src.Loops[k].Size, a.At.By[k], b.At.By[k], c, k == 0 && v.size > 1}
		c *= d.size
		switch {
		case d.b == 0 && !hasU:
			p.u, hasU = d, true
		case follows(p.u, d) && !d.outer:
			p.u.size *= d.size
		case d.a == 0 && !hasV:
			p.v, hasV = d, true
		case follows(p.v, d) && !d.outer:
			p.v.size *= d.size
		default:
			p.batch = append(p.batch, d)
		}
	}
	over := func(n, by, j int) bool { return n > 1 && by < p.size*j && j < n*by }
	p.sides = [2]side{{p.u, p.v, p.aj, p.bj}, {p.v, p.u, p.bj, p.aj}}
	p.sides[1].u.a, p.sides[1].w.b = p.v.b, p.u.a
	p.overlap = [2]bool{over(p.u.size, p.u.a, p.aj), over(p.v.size, p.v.b, p.bj)}
	return p
}

// each calls f for each product of matrices in a strip: where its first elements are, and its rows and columns.
func (p *product) each(row, rows int, f func(a, b, c, nu, nv int)) {
	if p.dot {
		f(row*p.aj, row*p.bj, 0, 1, 1)
		return
	}
	a, b, nu, nv := 0, 0, p.u.size, p.v.size
	if p.u.outer {
		a, nu = row*p.u.a, rows
	}
	if p.v.outer {
		b, nv = row*p.v.b, rows
	}
	c := 0
	for k := range p.batch {
		if d := &p.batch[k]; d.outer {
			a, b = a+row*d.a, b+row*d.b
		}
	}
	var index [mostDims]int
	for {
		f(a, b, c, nu, nv)
		k := 0
		for ; k < len(p.batch); k++ {
			d := &p.batch[k]
			n := d.size
			if d.outer {
				n = rows
			}
			a, b, c = a+d.a, b+d.b, c+d.c
			if index[k]++; index[k] < n {
				break
			}
			a, b, c = a-n*d.a, b-n*d.b, c-n*d.c
			index[k] = 0
		}
		if k == len(p.batch) {
			return
		}
	}
}

// summands is how many products the sums of a strip are of.
func (p *product) summands(rows int) int {
	if p.dot {
		return rows
	}
	return p.size
}

// run computes the products of a strip.
func (p *product) run(m *Machine, dst []float64, x, y *operand, row, rows int) {
	multiply := kernel.MatMul
	if p.adds {
		multiply = kernel.AddMatMul
		kernel.Fill(dst, math.Copysign(0, -1)) // −0 + x is x
	}
	p.each(row, rows, func(i, j, c, nu, nv int) {
		a, b := i+x.first, j+y.first
		switch unit := p.aj == 1 && p.bj == 1 && !p.adds; {
		case unit && nv == 1 && p.u.c == 1:
			w, by := x.data[a:], y.data[b:b+p.size]
			if k := m.parts(nu, nu*p.size); k > 1 {
				split(nu, k, func(i, end int) { kernel.MatVec(dst[c+i:c+end], w[i*p.u.a:], p.u.a, by) })
			} else {
				kernel.MatVec(dst[c:c+nu], w, p.u.a, by)
			}
		case unit && nu == 1 && p.v.c == 1:
			kernel.MatVec(dst[c:c+nv], y.data[b:], p.v.b, x.data[a:a+p.size])
		default:
			m.matMul(multiply, matrix(dst[c:], nu, nv, p.u.c, p.v.c), matrix(x.data[a:], nu, p.size, p.u.a, p.aj),
				matrix(y.data[b:], p.size, nv, p.bj, p.v.b))
		}
	})
}

// matrix is a matrix in a slice.
func matrix(x []float64, rows, columns, apart, by int) kernel.Matrix {
	return kernel.Matrix{Data: x, Rows: rows, Columns: columns, RowStride: apart, ColumnStride: by}
}

// matMul is f, [kernel.MatMul] or [kernel.AddMatMul].
func (m *Machine) matMul(f func(c, a, b kernel.Matrix), c, a, b kernel.Matrix) {
	k := m.parts(c.Rows, c.Rows*c.Columns*a.Columns)
	if k == 1 {
		f(c, a, b)
		return
	}
	split(c.Rows, k, func(from, to int) { f(rowsOf(c, from, to), rowsOf(a, from, to), b) })
}

// rowsOf is the matrix of some rows of another one.
func rowsOf(x kernel.Matrix, from, to int) kernel.Matrix {
	return matrix(x.Data[from*x.RowStride:], to-from, x.Columns, x.RowStride, x.ColumnStride)
}

// total adds the products of a strip to the sum of the outermost loop.
func (p *product) total(s *laneState, x, y *operand, row, rows int) {
	a, b := x.first+row*p.aj, y.first+row*p.bj
	if p.aj == 1 && p.bj == 1 {
		s.sum.AddProducts(x.data[a:a+rows], y.data[b:b+rows])
		return
	}
	u, w := sized(&s.tmp, rows), sized(&s.slope, rows)
	for k := range rows {
		u[k], w[k] = x.data[a+k*p.aj], y.data[b+k*p.bj]
	}
	s.sum.AddProducts(u, w)
}

// A pending is a sum of outer products that is still to be added to the adjoints of a matrix of rows × columns, from
// the address adr on: nothing reads these before.
type pending struct {
	adr, rows, columns, apart int
	count, most               int
	a, b                      []float64
	reached                   []bool // rows
	on                        bool   // it is one of those of the machine
}

// mostPending is how many outer products are added at once, of vectors that are long; of others these are in the cache.
const mostPending = 64

// pend adds the product of a, rows numbers, and b, columns numbers. Flags says which rows are reached, nil: all.
func (m *Machine) pend(at **pending, adr, rows, columns, apart int, a, b []float64, flags []bool) {
	p := *at
	if p == nil {
		n := mostPending
		if rows+columns < 128 {
			n = mostPending / 4
		}
		p = &pending{rows: rows, columns: columns, apart: apart, a: make([]float64, n*rows), b: make([]float64, n*columns),
			reached: make([]bool, rows), most: n}
		*at = p
	}
	if p.count == p.most || p.count > 0 && p.adr != adr {
		m.add(p)
	}
	if !p.on {
		p.on = true
		m.pendings = append(m.pendings, p)
	}
	p.adr = adr
	m.pendingTop = max(m.pendingTop, adr+(rows-1)*apart+columns-1)
	copy(p.a[p.count*rows:], a[:rows])
	copy(p.b[p.count*columns:], b[:columns])
	if p.count++; flags == nil {
		kernel.SetTrue(p.reached)
		return
	}
	kernel.Or(p.reached, flags[:rows])
}

// add adds what is pending.
func (m *Machine) add(p *pending) {
	if p.count == 0 {
		return
	}
	split(p.rows, m.parts(p.rows, p.rows*p.columns*p.count), func(from, to int) {
		kernel.AddOuter(m.adjoint[p.adr+from*p.apart:], p.apart, to-from, p.columns, p.a[from:], p.rows, p.b, p.columns,
			p.count)
	})
	for i, f := range p.reached {
		if f {
			kernel.SetTrue(m.reached[p.adr+i*p.apart:][:p.columns])
		}
	}
	clear(p.reached)
	p.count = 0
}

// flush adds all that is pending.
func (m *Machine) flush() {
	for _, p := range m.pendings {
		m.add(p)
		p.on = false
	}
	m.pendings, m.pendingTop = m.pendings[:0], 0
}

// productBack adds to the adjoints of the operands of a product.
func (v *vector) productBack(m *Machine, s *laneState, i int, l *lane, row, rows int) {
	p := l.product
	v.taken(s, l, row)
	n := s.reached(i)
	live := [2]bool{s.live[l.a], s.live[l.b]}
	if s.in[l.a].live != nil || s.in[l.b].live != nil {
		v.countProducts(m, s, i, l, row, rows)
	} else {
		products := l.ratio
		if p.dot {
			products = rows
		}
		s.count(m, l.kind, ir.KindOf(live[0], live[1]), n*uint64(products))
	}
	if row == 0 || !p.dot {
		s.count(m, v.plus, 3, n*uint64(l.ratio-1))
	}
	for k, which := range [2]int{l.a, l.b} {
		if !live[k] {
			continue
		}
		taken := -1
		if t := &v.lanes[which]; t.op == ir.LaneTake {
			taken = t.a
			delta, flags := s.open(taken, v.lanes[taken].inner*rows)
			s.adj[which] = adjoints{delta, flags, s.in[which].first}
		}
		x, y := &s.adj[which], &s.in[l.b]
		if k == 1 {
			y = &s.in[l.a]
		}
		whole := len(p.batch) == 0 && rows == p.whole && taken < 0 && !s.in[which].apart && !p.overlap[k]
		p.each(row, rows, func(a, b, c, nu, nv int) {
			if k == 0 {
				p.add(m, s, i, 0, whole, x, y, a+x.zero, b+y.first, c, nu, nv, p.summands(rows))
			} else {
				p.add(m, s, i, 1, whole, x, y, b+x.zero, a+y.first, c, nv, nu, p.summands(rows))
			}
		})
		if taken >= 0 {
			s.close(taken)
		}
	}
}

// add adds to the adjoints of operand k of a product of matrices what arrives at its sums, from the lane c of
// instruction i on. The first elements of the operand and of the other one have the places to and from; there are size
// of each in a row. whole says that what is added to a matrix may wait for more.
func (p *product) add(m *Machine, s *laneState, i, k int, whole bool, x *adjoints, y *operand,
	to, from, c, nu, nw, size int) {
	g, d := &p.sides[k], s.deltas[i][c:]
	u, w, xj, yj := &g.u, &g.w, g.xj, g.yj
	var flags []bool
	if s.reach[i] == some {
		flags = s.flags[i][c:]
	}
	switch unit := xj == 1 && yj == 1; {
	case flags != nil && !kernel.Finite(y.data[from:], nw, w.b, size, yj): // 0 times one of these is NaN
		for iu := range nu {
			for iw := range nw {
				at := iu*u.c + iw*w.c
				if !flags[at] {
					continue
				}
				a, b := to+iu*u.a, from+iw*w.b
				for j := range size {
					x.adj[a+j*xj] += d[at] * y.data[b+j*yj]
					x.reached[a+j*xj] = true
				}
			}
		}
		return
	case unit && nw == 1 && nu > 1 && u.c == 1 && whole:
		m.pend(&s.pending[2*i+k], to, nu, size, u.a, d, y.data[from:], flags)
		return
	case unit && nu == 1 && nw == 1:
		kernel.AddMulScalar(x.adj[to:to+size], y.data[from:], d[0])
	case unit && nu == 1 && w.c == 1:
		if k := m.parts(size, size*nw); k > 1 {
			split(size, k, func(j, end int) {
				kernel.AddMatVecT(x.adj[to+j:to+end], y.data[from+j:], w.b, d[:nw])
			})
		} else {
			kernel.AddMatVecT(x.adj[to:to+size], y.data[from:], w.b, d[:nw])
		}
	case p.overlap[k] && nw == 1 && u.a == 1 && u.c == 1: // as of a convolution
		for j := range size {
			at := to + j*xj
			kernel.AddMulScalar(x.adj[at:at+nu], d, y.data[from+j*yj])
		}
	default: // what overlaps is added by rows, or by columns
		rows, columns := nu, size
		if p.overlap[k] && nu < size {
			rows = 1
		} else if p.overlap[k] {
			columns = 1
		}
		for iu := 0; iu < nu; iu += rows {
			for j := 0; j < size; j += columns {
				m.matMul(kernel.AddMatMul, matrix(x.adj[to+iu*u.a+j*xj:], rows, columns, u.a, xj),
					matrix(d[iu*u.c:], rows, nw, u.c, w.c), matrix(y.data[from+j*yj:], nw, columns, w.b, yj))
			}
		}
	}
	if flags == nil && u.a == 1 && nu > size {
		for j := range size {
			kernel.SetTrue(x.reached[to+j*xj:][:nu])
		}
		return
	}
	for iu := range nu {
		if flags != nil && !kernel.AnyTrue(flags[iu*u.c:], nw, w.c) {
			continue
		}
		setApart(x.reached, to+iu*u.a, size, xj)
	}
}

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
