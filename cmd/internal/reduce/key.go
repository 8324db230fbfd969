package reduce

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/gram-machine/gram/internal/reference"
)

// keys makes texts of terms that are equal for terms that are equal up to α.
type keys struct {
	free  map[*reference.Var]int
	bound map[*reference.Var]int // the depth of the binder
	out   []byte
}

func newKeys() *keys { return &keys{free: map[*reference.Var]int{}} }

// of returns the key of a term. A bound variable is told by the number of binders between.
func (k *keys) of(t *reference.Term) string {
	k.out, k.bound = k.out[:0], map[*reference.Var]int{}
	k.term(t, 0)
	return string(k.out)
}

// write appends a letter and a number.
func (k *keys) write(letter byte, n int) {
	k.out = strconv.AppendInt(append(k.out, letter), int64(n), 10)
}

func (k *keys) term(t *reference.Term, depth int) {
	k.write('(', int(t.Op))
	inner := depth
	bind := func(x *reference.Var) {
		inner++
		k.bound[x] = inner
		if x.Linear {
			k.out = append(k.out, '^')
		}
	}
	switch t.Op {
	case reference.Variable:
		k.variable(t.X, depth)
	case reference.Numeral:
		k.out = append(append(k.out, 'n'), numeral(t)...)
	case reference.Function:
		k.write('s', int(t.Sym))
	case reference.If:
		k.write('c', int(t.Cmp))
	case reference.Lambda:
		bind(t.X)
	case reference.Let:
		k.pattern(t.P, bind)
	}
	for i, u := range t.Kids {
		if i == 0 {
			k.term(u, inner)
		} else {
			k.term(u, depth)
		}
	}
	k.out = append(k.out, ')')
}

func (k *keys) variable(x *reference.Var, depth int) {
	if at, ok := k.bound[x]; ok {
		k.write('b', depth-at)
		return
	}
	n, ok := k.free[x]
	if !ok {
		n = len(k.free)
		k.free[x] = n
	}
	k.write('f', n)
}

func (k *keys) pattern(p *reference.Pattern, bind func(*reference.Var)) {
	if p.X != nil {
		k.out = append(k.out, 'x')
		bind(p.X)
		return
	}
	k.out = append(k.out, '<')
	k.pattern(p.Left, bind)
	k.pattern(p.Right, bind)
	k.out = append(k.out, '>')
}

func numeral(t *reference.Term) string {
	switch r := t.Num.(type) {
	case float64:
		return strconv.FormatFloat(r, 'g', -1, 64)
	case *big.Rat:
		return r.RatString()
	}
	return fmt.Sprint(t.Num)
}
