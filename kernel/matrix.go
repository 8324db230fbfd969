package kernel

import (
	"fmt"
)

// Matrix is a matrix of Rows rows and Columns columns that stands in a slice: element (i, j) is Data[i·RowStride +
// j·ColumnStride]. Strides are not negative. A matrix that is read may have a stride of 0, or overlapping rows.
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

// MatVec sets y[i] to the sum of w[i·ld+j]·x[j] over all j below len(x), in the order of sums, for i below len(y). w
// is a matrix of len(y) rows and len(x) columns. y must not overlap w or x.
func MatVec(y, w []float64, ld int, x []float64) {
	checkRows(w, len(y), len(x), ld)
	if len(x) > 8 {
		matVec(y, w, ld, x)
		return
	}
	n, last := len(x), len(x)-1
	for ; len(y) >= 4 && last >= 0; y, w = y[4:], w[4*ld:] { // four chains of additions at once
		w0, w1, w2, w3 := w[:n], w[ld:][:n], w[2*ld:][:n], w[3*ld:][:n]
		a := x[last]
		s0, s1, s2, s3 := float64(w0[last]*a), float64(w1[last]*a), float64(w2[last]*a), float64(w3[last]*a)
		for j := last - 1; j >= 0; j-- {
			a = x[j]
			s0 += float64(w0[j] * a)
			s1 += float64(w1[j] * a)
			s2 += float64(w2[j] * a)
			s3 += float64(w3[j] * a)
		}
		y[0], y[1], y[2], y[3] = s0, s1, s2, s3
		if len(y) == 4 {
			return
		}
	}
	for i := range y {
		y[i] = foldProducts(x, w[i*ld:][:n])
	}
}

// AddMatVecT adds to x[j] the products w[i·ld+j]·y[i], one after the other for i below len(y), for j below len(x). w
// is a matrix of len(y) rows and len(x) columns. x must not overlap w or y.
//
// This is what MatVec adds to the dual of its x, for a y of duals.
func AddMatVecT(x, w []float64, ld int, y []float64) {
	checkRows(w, len(y), len(x), ld)
	addRows(x, w, 0, ld, y, 0, 1, len(y))
}

// AddOuter adds to c[i·ldc+j] the products a[t·lda+i]·b[t·ldb+j], one after the other for t
// below steps, for i below rows and j below columns. c must not overlap a or b.
//
// For a matrix w that is used in steps y = w·x, this is what the steps add to the dual of w:
// a has the duals of y, b has x.
func AddOuter(c []float64, ldc, rows, columns int, a []float64, lda int, b []float64, ldb, steps int) {
	checkRows(c, rows, columns, ldc)
	checkRows(a, steps, rows, lda)
	checkRows(b, steps, columns, ldb)
	p := product{c: c, ldc: ldc, rows: rows, columns: columns, steps: steps,
		a: a, aRow: 1, aStep: lda, b: b, bStep: ldb, bColumn: 1}
	p.add()
}

// MatMul sets c to a·b: element (i, j) is the sum of the products a(i, k)·b(k, j) over all k,
// in the order of sums. c must not overlap a or b, and its elements must not overlap.
func MatMul(c, a, b Matrix) {
	p := newProduct(c, a, b)
	p.set()
}

// AddMatMul adds a·b to c: to element (i, j) the products a(i, k)·b(k, j), one after the
// other from k = 0 on. c must not overlap a or b, and its elements must not overlap.
//
// For c = a·b, and matrices dc, da, db of duals, the backward products are
// AddMatMul(da, dc, b.T()) and AddMatMul(db, a.T(), dc).
func AddMatMul(c, a, b Matrix) {
	p := newProduct(c, a, b)
	p.add()
}

// product is a product of matrices c = a·b or c += a·b, step by step: a(i, t) is a[aAt + i·aRow + t·aStep], b(t, j)
// is b[bAt + t·bStep + j·bColumn], c(i, j) is c[i·ldc + j·cColumn], where cColumn 0 stands for 1.
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
	return product{c: c.Data, ldc: c.RowStride, cColumn: c.ColumnStride, rows: c.Rows, columns: c.Columns,
		steps: a.Columns,
		a:     a.Data, aRow: a.RowStride, aStep: a.ColumnStride, b: b.Data, bStep: b.RowStride, bColumn: b.ColumnStride}
}
