package kernel

import "math"

// Sum returns the sum of the elements of x, in the order of sums; 0 if there are none.
func Sum(x []float64) float64 {
	if len(x) <= 8 {
		return fold(x)
	}
	l := [8]float64(x)
	if rest := x[8:]; len(rest) <= 8 {
		for k, x := range rest {
			l[k] += x
		}
	} else {
		sumLanes(&l, rest)
	}
	return join(&l)
}

// units are as many ones as short rows have numbers.
var units = func() (x [128]float64) {
	Fill(x[:], 1)
	return x
}()

// SumRows sets dst[k] to the sum of the n elements of x from k·n on, in the order of sums.
func SumRows(dst, x []float64, n int) {
	if n <= len(units) {
		MatVec(dst, x, n, units[:n]) // a product with 1 has the bits of its other factor
		return
	}
	for k := range dst {
		dst[k] = Sum(x[k*n:][:n])
	}
}

// fold returns x[0] + (x[1] + (x[2] + …)), and 0 if there are none.
func fold(x []float64) float64 {
	last := len(x) - 1
	if last < 0 {
		return 0
	}
	sum := x[last]
	for last--; last >= 0; last-- {
		sum += x[last]
	}
	return sum
}

// foldProducts returns x[0]·y[0] + (x[1]·y[1] + …), len(y) ≥ len(x).
func foldProducts(x, y []float64) float64 {
	last := len(x) - 1
	if last < 0 {
		return 0
	}
	y = y[:len(x)]
	sum := float64(x[last] * y[last])
	for last--; last >= 0; last-- {
		sum += float64(x[last] * y[last])
	}
	return sum
}

// Lanes is a sum that is made in several calls: its elements come in order, in pieces of
// any length. Its zero value is the sum of no elements.
type Lanes struct {
	lanes [8]float64
	count int // of the elements that were added
}

// Add adds the elements of x.
func (s *Lanes) Add(x []float64) {
	if s.count == 0 {
		n := copy(s.lanes[:], x)
		s.begin(n)
		x = x[n:]
	}
	for ; s.count%len(s.lanes) != 0 && len(x) > 0; x = x[1:] {
		s.lanes[s.count%len(s.lanes)] += x[0]
		s.count++
	}
	sumLanes(&s.lanes, x)
	s.count += len(x)
}

// AddProducts adds x[j]·y[j] for all j below len(x). It panics if y is shorter than x.
func (s *Lanes) AddProducts(x, y []float64) {
	y = y[:len(x)]
	if s.count == 0 {
		n := min(len(x), len(s.lanes))
		for j := range n {
			s.lanes[j] = x[j] * y[j]
		}
		s.begin(n)
		x, y = x[n:], y[n:]
	}
	for ; s.count%len(s.lanes) != 0 && len(x) > 0; x, y = x[1:], y[1:] {
		s.lanes[s.count%len(s.lanes)] += float64(x[0] * y[0])
		s.count++
	}
	dotLanes(&s.lanes, x, y)
	s.count += len(x)
}

// begin notes that the first n lanes have an element.
func (s *Lanes) begin(n int) {
	for l := n; l < len(s.lanes); l++ {
		s.lanes[l] = minusZero
	}
	s.count = n
}

// Sum returns the sum of the elements that were added.
func (s *Lanes) Sum() float64 {
	if s.count <= len(s.lanes) {
		return fold(s.lanes[:s.count])
	}
	return join(&s.lanes)
}

// Max returns the largest of numbers by [math.Max], which are compared in the order in which [Sum] adds.
func Max(x []float64) float64 {
	if len(x) <= 8 {
		most := x[len(x)-1]
		for i := len(x) - 2; i >= 0; i-- {
			most = larger(x[i], most)
		}
		return most
	}
	var lane [8]float64
	copy(lane[:], x)
	rest := x[8:]
	for ; len(rest) >= 8; rest = rest[8:] {
		for l, v := range rest[:8] {
			lane[l] = larger(lane[l], v)
		}
	}
	for l, v := range rest {
		lane[l] = larger(lane[l], v)
	}
	return larger(larger(larger(lane[0], lane[4]), larger(lane[2], lane[6])),
		larger(larger(lane[1], lane[5]), larger(lane[3], lane[7])))
}

// Larger sets dst to the larger ones of x and y, by [math.Max].
func Larger(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = larger(x[i], y[i])
	}
}

func larger(x, y float64) float64 {
	switch {
	case x > y:
		return x
	case y > x:
		return y
	}
	return math.Max(x, y) // of zeros the positive one; NaN
}
