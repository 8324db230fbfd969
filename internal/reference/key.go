package reference

import (
	"fmt"
	"maps"
	"strconv"
)

// Equal reports whether t and u are one term up to the names of bound variables.
func Equal(t, u *Term) bool { return t.Key() == u.Key() }

// Key is a text that two terms share just if they are one up to the names of bound variables. Free variables are known
// by their addresses.
func (t *Term) Key() string {
	k := &keyWriter{bound: map[*Var]int{}}
	k.term(t, 0)
	return string(k.out)
}

// keyWriter writes a key. A bound variable is known by the number of binders between.
type keyWriter struct {
	bound map[*Var]int // the depth of the binder, from 1; 0: free
	out   []byte
}

// write appends a letter and a number.
func (k *keyWriter) write(letter byte, n int) {
	k.out = strconv.AppendInt(append(k.out, letter), int64(n), 10)
}

func (k *keyWriter) term(t *Term, depth int) {
	k.write('(', int(t.Op))
	inner := depth
	var shadowed map[*Var]int
	bind := func(x *Var) {
		inner++
		if shadowed == nil {
			shadowed = map[*Var]int{}
		}
		shadowed[x] = k.bound[x]
		k.bound[x] = inner
		k.write('x', int(x.Type))
		if x.Linear {
			k.out = append(k.out, '^')
		}
	}
	switch t.Op {
	case Variable:
		if at := k.bound[t.X]; at > 0 {
			k.write('b', depth-at)
		} else {
			k.out = fmt.Appendf(k.out, "f%p", t.X)
		}
	case Numeral:
		if r, ok := t.Num.(float64); ok {
			k.out = strconv.AppendFloat(append(k.out, 'n'), r, 'g', -1, 64)
		} else {
			k.out = fmt.Appendf(k.out, "n%v", t.Num)
		}
	case Function:
		k.write('s', int(t.Sym))
	case If:
		k.write('c', int(t.Cmp))
	case Lambda:
		bind(t.X)
	case Let:
		k.pattern(t.P, bind)
	case Branch:
		if t.P != nil {
			k.pattern(t.P, bind)
		}
	case Construct:
		k.write('t', int(t.Type))
		k.write('i', t.At)
	case Match:
		k.write('t', int(t.Type))
	case Fix:
		k.write('i', t.At)
		for _, x := range t.Xs {
			bind(x)
		}
	}
	for i, u := range t.Kids {
		switch {
		case t.Op == Fix:
			k.term(u, inner)
			continue
		case i > 0:
			k.term(u, depth)
			continue
		}
		k.term(u, inner)
		maps.Copy(k.bound, shadowed) // the other parts are out of scope
	}
	if t.Op == Fix {
		maps.Copy(k.bound, shadowed)
	}
	k.out = append(k.out, ')')
}

func (k *keyWriter) pattern(p *Pattern, bind func(*Var)) {
	if p.X != nil {
		bind(p.X)
		return
	}
	k.out = append(k.out, '<')
	k.pattern(p.Left, bind)
	k.pattern(p.Right, bind)
	k.out = append(k.out, '>')
}
