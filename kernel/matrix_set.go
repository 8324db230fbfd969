package kernel

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
		for i := range lanes {
			lanes[i] = minusZero
		}
		for l := range 8 {
			addRows(lanes[l*blockColumns:][:columns], p.b, p.bAt+l*p.bStep+j, 8*p.bStep, p.a, p.aAt+l*p.aStep,
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
