package kernel

import (
	"slices"
	"sync"
)

// reverse makes the steps from the last to the first.
func (p *product) reverse() {
	if p.steps == 0 {
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

// packB packs columns of b from j on, for steps t, t + by, …, in panels of tc columns: panel q has its columns of one
// step after those of the step before, at q·steps·tc. What is missing in the last panel is 0.
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
		p.reverse()
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
		for l := range 8 {
			lane := lanes[l*blockColumns:][:columns]
			Fill(lane, minusZero)
			addRows(lane, p.b, p.bAt+l*p.bStep+j, 8*p.bStep, p.a, p.aAt+l*p.aStep,
				8*p.aStep, (p.steps-l+7)/8)
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
