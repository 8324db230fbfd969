package kernel

import (
	"fmt"
	"slices"
	"sync"
)

// Order is the order in which products are added to a running value.
type Order bool

// The orders: from the first index of the sum to the last, and from the last to the first.
const (
	Ascending  Order = false
	Descending Order = true
)

// Matrix is a matrix of Rows rows and Columns columns that stands in a slice: element (i, j)
// is Data[i·RowStride + j·ColumnStride]. Strides are not negative. A matrix that is read may
// have a stride of 0, or overlapping rows.
type Matrix struct {
	Data                    []float64
	Rows, Columns           int
	RowStride, ColumnStride int
}

// T returns the transposed matrix, in the same slice.
func (m Matrix) T() Matrix {
	return Matrix{m.Data, m.Columns, m.Rows, m.ColumnStride, m.RowStride}
}

// check panics unless all elements of m are in its slice.
func (m Matrix) check() {
	if !fits(len(m.Data), m.Rows, m.Columns, m.RowStride, m.ColumnStride) {
		panic(fmt.Sprintf("kernel: a matrix of %d rows and %d columns, strides %d and %d, is not in a slice of %d",
			m.Rows, m.Columns, m.RowStride, m.ColumnStride, len(m.Data)))
	}
}

// checkRows is the check of a matrix with rows without gaps, ld apart.
func checkRows(data []float64, rows, columns, ld int) {
	if !fits(len(data), rows, columns, ld, 1) {
		Matrix{data, rows, columns, ld, 1}.check()
	}
}

// fits reports whether a matrix is in a slice of length elements.
func fits(length, rows, columns, rowStride, columnStride int) bool {
	return rows|columns|rowStride|columnStride >= 0 &&
		(rows == 0 || columns == 0 || (rows-1)*rowStride+(columns-1)*columnStride < length)
}

// MatVec sets y[i] to the sum of w[i·ld+j]·x[j] over all j below len(x), in the order of
// sums, for i below len(y). w is a matrix of len(y) rows and len(x) columns. y must not
// overlap w or x.
func MatVec(y, w []float64, ld int, x []float64) {
	checkRows(w, len(y), len(x), ld)
	if len(x) > 8 {
		matVec(y, w, ld, x)
		return
	}
	for i := range y {
		y[i] = foldProducts(x, w[i*ld:][:len(x)])
	}
}

// AddMatVecT adds to x[j] the products w[i·ld+j]·y[i], one after the other in the given
// order of i below len(y), for j below len(x). w is a matrix of len(y) rows and len(x)
// columns. x must not overlap w or y.
//
// This is what MatVec adds to the dual of its x, for a y of duals.
func AddMatVecT(x, w []float64, ld int, y []float64, order Order) {
	checkRows(w, len(y), len(x), ld)
	if order == Descending {
		last := len(y) - 1
		addRows(x, w, last*ld, -ld, y, last, -1, len(y))
		return
	}
	addRows(x, w, 0, ld, y, 0, 1, len(y))
}

// AddOuter adds to c[i·ldc+j] the products a[t·lda+i]·b[t·ldb+j], one after the other in the
// given order of t below steps, for i below rows and j below columns. c must not overlap a
// or b.
//
// For a matrix w that is used in steps y = w·x, this is what the steps add to the dual of w:
// a has the duals of y, b has x.
func AddOuter(c []float64, ldc, rows, columns int, a []float64, lda int, b []float64, ldb, steps int, order Order) {
	checkRows(c, rows, columns, ldc)
	checkRows(a, steps, rows, lda)
	checkRows(b, steps, columns, ldb)
	p := product{c: c, ldc: ldc, rows: rows, columns: columns, steps: steps,
		a: a, aRow: 1, aStep: lda, b: b, bStep: ldb, bColumn: 1}
	p.order(order)
	p.add()
}

// MatMul sets c to a·b: element (i, j) is the sum of the products a(i, k)·b(k, j) over all k,
// in the order of sums. c must not overlap a or b, and its elements must not overlap.
func MatMul(c, a, b Matrix) {
	p := newProduct(c, a, b)
	p.set()
}

// AddMatMul adds a·b to c: to element (i, j) the products a(i, k)·b(k, j), one after the
// other in the given order of k. c must not overlap a or b, and its elements must not
// overlap.
//
// For c = a·b, and matrices dc, da, db of duals, the backward products are
// AddMatMul(da, dc, b.T(), order) and AddMatMul(db, a.T(), dc, order).
func AddMatMul(c, a, b Matrix, order Order) {
	p := newProduct(c, a, b)
	p.order(order)
	p.add()
}

// product is a product of matrices c = a·b or c += a·b, step by step: a(i, t) is
// a[aAt + i·aRow + t·aStep], b(t, j) is b[bAt + t·bStep + j·bColumn], c(i, j) is
// c[i·ldc + j·cColumn], where cColumn 0 stands for 1.
type product struct {
	c                    []float64
	ldc, cColumn         int
	rows, columns, steps int
	a                    []float64
	aAt, aRow, aStep     int
	b                    []float64
	bAt, bStep, bColumn  int
}

func newProduct(c, a, b Matrix) product {
	c.check()
	a.check()
	b.check()
	if c.Rows*c.Columns > 1 && (c.Rows > 1 && c.RowStride == 0 || c.Columns > 1 && c.ColumnStride == 0) {
		panic("kernel: elements of a product overlap")
	}
	if a.Rows != c.Rows || b.Columns != c.Columns || a.Columns != b.Rows {
		panic(fmt.Sprintf("kernel: a product of %d×%d and %d×%d cannot be of %d×%d",
			a.Rows, a.Columns, b.Rows, b.Columns, c.Rows, c.Columns))
	}
	// A product is the transposed one of the transposed matrices, with the same bits. Rows
	// of c are written; a vector is one row.
	if c.Columns == 1 && c.Rows > 1 || c.ColumnStride != 1 && c.RowStride == 1 && c.Rows > 1 {
		c, a, b = c.T(), b.T(), a.T()
	}
	return product{c: c.Data, ldc: c.RowStride, cColumn: c.ColumnStride, rows: c.Rows, columns: c.Columns, steps: a.Columns,
		a: a.Data, aRow: a.RowStride, aStep: a.ColumnStride, b: b.Data, bStep: b.RowStride, bColumn: b.ColumnStride}
}

// order turns the steps around if they are to be made from the last to the first.
func (p *product) order(order Order) {
	if order == Ascending || p.steps == 0 {
		return
	}
	p.aAt += (p.steps - 1) * p.aStep
	p.bAt += (p.steps - 1) * p.bStep
	p.aStep, p.bStep = -p.aStep, -p.bStep
}

// The blocks of a product: steps whose parts of b are packed at once, and columns.
const (
	blockSteps   = 64
	blockColumns = 256
	packColumns  = 64 // more columns than these are packed first
)

// scratch is memory for packed matrices.
type scratch struct{ a, b, c []float64 }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// sized returns a slice of n elements, *s if it is large enough.
func sized(s *[]float64, n int) []float64 {
	*s = slices.Grow((*s)[:0], n)
	return (*s)[:n]
}

// add adds the products to c, one after the other.
func (p *product) add() {
	if p.rows == 0 || p.columns == 0 || p.steps == 0 {
		return
	}
	if p.cColumn > 1 && p.columns > 1 {
		p.throughRows((*product).add)
		return
	}
	tc := tileColumns[form]
	switch {
	case p.bColumn == 1 && (p.rows < 4 || p.columns < tc):
		p.addByRows(0, p.rows, 0, p.columns)
	case p.bColumn == 1 && p.aRow == 1 && (p.steps <= 8 || p.columns <= packColumns):
		i, fullColumns := 0, p.columns/tc*tc
		for height := tileHeight(p.rows); height > 0; height = tileHeight(p.rows - i) {
			addTiles(height, p.c, i*p.ldc, p.ldc, p.a, p.aAt+i, p.aStep, p.b, p.bAt, p.bStep, tc, fullColumns/tc, p.steps, false)
			i += height
		}
		p.addByRows(0, i, fullColumns, p.columns)
		p.addByRows(i, p.rows, 0, p.columns)
	case p.rows == 1:
		p.addByColumns()
	default:
		p.addPacked()
	}
}

// throughRows does f for each row of c in a slice without gaps.
func (p *product) throughRows(f func(*product)) {
	s := scratches.Get().(*scratch)
	row := sized(&s.c, p.columns)
	for i := range p.rows {
		q := *p
		q.rows, q.c, q.ldc, q.cColumn, q.aAt = 1, row, p.columns, 1, p.aAt+i*p.aRow
		for j := range row {
			row[j] = p.c[i*p.ldc+j*p.cColumn]
		}
		f(&q)
		for j, v := range row {
			p.c[i*p.ldc+j*p.cColumn] = v
		}
	}
	scratches.Put(s)
}

// addByRows adds to the given rows and columns of c, where b has its columns side by side.
func (p *product) addByRows(from, to, left, right int) {
	if left == right {
		return
	}
	for i := from; i < to; i++ {
		addRows(p.c[i*p.ldc+left:i*p.ldc+right], p.b, p.bAt+left, p.bStep, p.a, p.aAt+i*p.aRow, p.aStep, p.steps)
	}
}

// addByColumns adds to the one row of c, column by column, four at a time.
func (p *product) addByColumns() {
	j := 0
	for ; j+4 <= p.columns; j += 4 {
		c := p.c[j : j+4]
		c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
		at, bt := p.aAt, p.bAt+j*p.bColumn
		for range p.steps {
			by := p.a[at]
			c0 += float64(by * p.b[bt])
			c1 += float64(by * p.b[bt+p.bColumn])
			c2 += float64(by * p.b[bt+2*p.bColumn])
			c3 += float64(by * p.b[bt+3*p.bColumn])
			at += p.aStep
			bt += p.bStep
		}
		c[0], c[1], c[2], c[3] = c0, c1, c2, c3
	}
	for ; j < p.columns; j++ {
		at, bt, sum := p.aAt, p.bAt+j*p.bColumn, p.c[j]
		for range p.steps {
			sum += float64(p.a[at] * p.b[bt])
			at += p.aStep
			bt += p.bStep
		}
		p.c[j] = sum
	}
}

// addPacked adds tile by tile, with the parts of a and b in the order in which tiles read
// them. Tiles that reach over the edge of c are made in scratch memory.
func (p *product) addPacked() {
	tc, most := tileColumns[form], maxTileRows[form]
	s := scratches.Get().(*scratch)
	a, c := sized(&s.a, most*blockSteps), sized(&s.c, most*blockColumns)
	b := sized(&s.b, blockSteps*blockColumns)
	for t := 0; t < p.steps; t += blockSteps {
		steps := min(blockSteps, p.steps-t)
		for j := 0; j < p.columns; j += blockColumns {
			columns := min(blockColumns, p.columns-j)
			panels, full := (columns+tc-1)/tc, columns/tc
			p.packB(b, t, 1, steps, j, columns, tc)
			for i := 0; i < p.rows; {
				height := tileHeight(p.rows - i)
				rows := height
				if height == 0 {
					height, rows, full = 4, p.rows-i, 0
				}
				p.packA(a, t, 1, steps, i, rows, height)
				addTiles(height, p.c, i*p.ldc+j, p.ldc, a, 0, height, b, 0, tc, steps*tc, full, steps, false)
				if full < panels {
					left, width := full*tc, (panels-full)*tc
					for r := range rows {
						copy(c[r*width:], p.c[(i+r)*p.ldc+j+left:][:columns-left])
					}
					addTiles(height, c, 0, width, a, 0, height, b, full*steps*tc, tc, steps*tc, panels-full, steps, false)
					for r := range rows {
						copy(p.c[(i+r)*p.ldc+j+left:][:columns-left], c[r*width:])
					}
				}
				i += rows
			}
		}
	}
	scratches.Put(s)
}

// packB packs columns of b from j on, for steps t, t + by, …, in panels of tc columns: panel
// q has its columns of one step after those of the step before, at q·steps·tc. What is
// missing in the last panel is 0.
func (p *product) packB(b []float64, t, by, steps, j, columns, tc int) {
	for q := 0; q < columns; q += tc {
		at := p.bAt + t*p.bStep + (j+q)*p.bColumn
		width := min(tc, columns-q)
		panel := b[q*steps:][:steps*tc]
		for ; len(panel) > 0; panel = panel[tc:] {
			switch {
			case p.bColumn == 1 && width == 8:
				*(*[8]float64)(panel) = [8]float64(p.b[at:])
			case p.bColumn == 1:
				copy(panel[:width], p.b[at:])
			default:
				for l, from := 0, at; l < width; l, from = l+1, from+p.bColumn {
					panel[l] = p.b[from]
				}
			}
			clear(panel[width:tc])
			at += by * p.bStep
		}
	}
}

// packA packs rows of a from i on, for steps t, t + by, …: those of one step after those of
// the step before. What is missing of height rows is 0.
func (p *product) packA(a []float64, t, by, steps, i, rows, height int) {
	at, by := p.aAt+t*p.aStep+i*p.aRow, by*p.aStep
	if rows < height {
		clear(a[:steps*height])
	}
	if p.aRow == 1 && rows == height {
		for panel := a[:steps*height]; len(panel) > 0; panel = panel[height:] {
			switch height {
			case 4:
				*(*[4]float64)(panel) = [4]float64(p.a[at:])
			case 6:
				*(*[6]float64)(panel) = [6]float64(p.a[at:])
			default:
				copy(panel[:height], p.a[at:])
			}
			at += by
		}
		return
	}
	for r := range rows {
		from := at + r*p.aRow
		for to := r; to < steps*height; to += height {
			a[to] = p.a[from]
			from += by
		}
	}
}

// Products with at most smallSteps steps are set row by row.
const smallSteps = 32

// The blocks of a product in the order of sums: columns whose lanes are held at once, the
// steps that are packed at once, a multiple of 8, and the rows where there are more steps.
const (
	laneColumns = 64
	laneSteps   = 1024
	laneRows    = 24
)

// set sets c to the sums of the products.
func (p *product) set() {
	switch {
	case p.rows == 0 || p.columns == 0:
	case p.cColumn > 1 && p.columns > 1:
		p.throughRows((*product).set)
	case p.steps <= 8:
		start := minusZero
		if p.steps == 0 {
			start = 0
		}
		for i := range p.rows {
			row := p.c[i*p.ldc:][:p.columns]
			for j := range row {
				row[j] = start
			}
		}
		p.order(Descending)
		p.add()
	case p.bColumn == 1 && p.rows == 1:
		p.setRow()
	case p.rows <= 8 || p.steps <= smallSteps:
		p.setByRows()
	default:
		p.setPacked()
	}
}

// setByRows sets c row by row. What does not stand side by side is copied first.
func (p *product) setByRows() {
	s := scratches.Get().(*scratch)
	for j := 0; j < p.columns; j += blockColumns {
		columns := min(blockColumns, p.columns-j)
		b, ldb := p.b[j*p.bColumn:], p.bColumn
		if p.bStep != 1 {
			b, ldb = sized(&s.b, columns*p.steps), p.steps
			for t := range p.steps {
				from := t*p.bStep + j*p.bColumn
				for to := t; to < len(b); to += ldb {
					b[to] = p.b[from]
					from += p.bColumn
				}
			}
		}
		for i := range p.rows {
			row := p.a[p.aAt+i*p.aRow:]
			if p.aStep != 1 {
				gathered := sized(&s.a, p.steps)
				for t := range gathered {
					gathered[t] = row[t*p.aStep]
				}
				row = gathered
			}
			matVec(p.c[i*p.ldc+j:][:columns], b, ldb, row[:p.steps])
		}
	}
	scratches.Put(s)
}

// setRow sets the one row of c, where b has its columns side by side.
func (p *product) setRow() {
	s := scratches.Get().(*scratch)
	lanes := sized(&s.c, 8*blockColumns)
	for j := 0; j < p.columns; j += blockColumns {
		columns := min(blockColumns, p.columns-j)
		for i := range lanes {
			lanes[i] = minusZero
		}
		for l := range 8 {
			addRows(lanes[l*blockColumns:][:columns], p.b, p.bAt+l*p.bStep+j, 8*p.bStep, p.a, p.aAt+l*p.aStep, 8*p.aStep, (p.steps-l+7)/8)
		}
		joinLanes(p.c[j:j+columns], lanes, 0, blockColumns)
	}
	scratches.Put(s)
}

// setPacked makes the eight lanes of a block of c as products of their own, and joins them.
func (p *product) setPacked() {
	tc, most := tileColumns[form], maxTileRows[form]
	s := scratches.Get().(*scratch)
	stepsAtOnce := min(laneSteps, (p.steps+7)/8*8)
	a, b := sized(&s.a, most*stepsAtOnce), sized(&s.b, stepsAtOnce*laneColumns)
	const stride = (laneRows + 3) * laneColumns // of a lane; the last tile may be too high
	lanes := sized(&s.c, 8*stride)
	for j := 0; j < p.columns; j += laneColumns {
		columns := min(laneColumns, p.columns-j)
		panels := (columns + tc - 1) / tc
		packed := -1 // the first of the steps that are in b
		for i := 0; i < p.rows; {
			rows := min(laneRows, p.rows-i)
			if p.steps <= laneSteps {
				rows = min(max(4, tileHeight(p.rows-i)), p.rows-i)
			}
			for t := 0; t < p.steps; t += laneSteps {
				steps := min(laneSteps, p.steps-t)
				if packed != t {
					for l := range 8 {
						p.packB(b[laneStart(steps, l)*panels*tc:], t+l, 8, (steps-l+7)/8, j, columns, tc)
					}
					packed = t
				}
				for r := 0; r < rows; {
					height := max(4, tileHeight(rows-r))
					for l := range 8 {
						count := (steps - l + 7) / 8
						p.packA(a, t+l, 8, count, i+r, min(height, rows-r), height)
						addTiles(height, lanes, l*stride+r*laneColumns, laneColumns, a, 0, height,
							b, laneStart(steps, l)*panels*tc, tc, count*tc, panels, count, t == 0)
					}
					r += height
				}
			}
			for r := range rows {
				joinLanes(p.c[(i+r)*p.ldc+j:][:columns], lanes, r*laneColumns, stride)
			}
			i += rows
		}
	}
	scratches.Put(s)
}

// laneStart returns how many of the first steps steps are of lanes before lane l.
func laneStart(steps, l int) int {
	return l*(steps/8) + min(l, steps%8)
}
