package block

// Families are the loops of a template with families, and its static expressions.
type Families struct {
	All     []Loop
	Indices []Affine     // of graph.OpComponent
	Numbers []IndexTable // of graph.OpIndexNum
	Sides   []uint32     // of graph.OpTest and OpElse: templates that have the steps of an instance
}

// Loop is an index range.
type Loop struct {
	Size  int
	Sum   bool   // a sum, and not a vector
	Times uint64 // how many instances its body has
}

// Affine is Base and Coef times the index of each loop; loops behind the last coefficient have 0.
type Affine struct {
	Base int
	Coef []int
}

// IndexTable are the values of a static expression, for each value of the indices of the loops that it depends on, the last
// one fastest.
type IndexTable struct {
	Loops  []int
	Values []float64
}

// Constant reports whether the expression depends on no loop.
func (a Affine) Constant() bool {
	for _, k := range a.Coef {
		if k != 0 {
			return false
		}
	}
	return true
}

// Plus returns a + by·b.
func (a Affine) Plus(b Affine, by int) Affine {
	sum := Affine{Base: a.Base + by*b.Base, Coef: make([]int, max(len(a.Coef), len(b.Coef)))}
	copy(sum.Coef, a.Coef)
	for i, k := range b.Coef {
		sum.Coef[i] += by * k
	}
	return sum
}

func (a Affine) at(loop int) int {
	if loop < len(a.Coef) {
		return a.Coef[loop]
	}
	return 0
}
