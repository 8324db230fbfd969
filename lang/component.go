package lang

import (
	"sort"
	"strconv"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// beside are components that stand side by side, of one vector or of several that do.
type beside struct {
	first, end term.Var
	used       []bool   // those that have names, if they get them when they are asked for
	next       term.Var // if they are vectors whose components stand side by side: the first of these
	size       int      // and how many each has
}

// besides returns what stands beside component x, nil if x is none.
func (l *lowering) besides(x term.Var) *beside {
	i := sort.Search(len(l.beside), func(i int) bool { return x < l.beside[i].end })
	if i == len(l.beside) || x < l.beside[i].first {
		return nil
	}
	return &l.beside[i]
}

// component returns variable i of the opening of x, which it makes if it is new. The n variables from i on are used.
func (l *lowering) component(x term.Var, i, n int) term.Var {
	k := int(x) - l.p.Scalars // inputs have no components
	for k >= len(l.comps) {
		l.comps = append(l.comps, make([]term.Var, len(l.comps)+64)...)
	}
	info := l.t.Info(x)
	if l.comps[k] == 0 {
		l.comps[k] = l.reserved(x)
	}
	if l.comps[k] == 0 {
		l.comps[k] = l.components(info, l.depth[x])
	}
	return l.named(l.comps[k], info.Name, i, n)
}

// dataComponent is component for a data vector, which is opened around the program.
func (l *lowering) dataComponent(d int, v *core.VarInfo, i, n int) term.Var {
	if l.data[d] == 0 {
		l.data[d] = l.components(term.VarInfo{Name: v.Name, Type: l.typ(v.Type), Pos: v.Pos}, 1)
	}
	return l.named(l.data[d], v.Name, i, n)
}

// components makes the components of a vector, those of these, and so on for so many levels, those of a level side by
// side.
func (l *lowering) components(of term.VarInfo, levels int) (first term.Var) {
	tt, name := l.t.Types, func(int) string { return of.Name }
	for count, ty := 1, of.Type; ; levels-- {
		size := tt.Len(ty)
		count, ty = count*size, tt.Left(ty)
		l.room(count)
		x := l.t.NewVars(count, term.VarInfo{Type: ty, Pos: of.Pos})
		b := beside{first: x, end: x + term.Var(count)}
		vector := name
		name = func(i int) string { return componentName(vector(i/size), i%size) }
		if name := name; count >= term.Many && of.Name != "" {
			core.Announce(l.p, count, []bool{})
			used := make([]bool, count)
			b.used = used
			l.t.NameVars(x, count, func(i int) string {
				if !used[i] {
					return ""
				}
				return name(i)
			})
		}
		if last := len(l.beside) - 1; first == 0 {
			first = x
		} else {
			l.beside[last].next, l.beside[last].size = x, size
		}
		more := levels > 1 && tt.Kind(ty) == term.VecKind
		if more || b.used != nil {
			l.beside = append(l.beside, b)
		}
		if !more {
			return first
		}
	}
}

// reserved returns the first component that a component of a vector will have, if it stands beside others that have
// some.
func (l *lowering) reserved(x term.Var) term.Var {
	if b := l.besides(x); b != nil && b.next != 0 {
		return b.next + (x-b.first)*term.Var(b.size)
	}
	return 0
}

// named returns component i, and gives the n from it on names: they are used.
func (l *lowering) named(first term.Var, of string, i, n int) term.Var {
	x := first + term.Var(i)
	if b := l.besides(x); b != nil && b.used != nil {
		used := b.used[x-b.first:][:n]
		for k := range used {
			used[k] = true
		}
		return x
	}
	for k := range n {
		if y := x + term.Var(k); of != "" && l.t.Info(y).Name == "" {
			l.t.ToChange(y).Name = componentName(of, i+k)
		}
	}
	return x
}

// MaxName bounds the names that components of components get.
const MaxName = 200

// componentName is the name of component i: v.(0).(1), as long as it is no longer than it should be.
func componentName(of string, i int) string {
	if len(of) > MaxName {
		return of
	}
	return of + ".(" + strconv.Itoa(i) + ")"
}

func consecutive(first term.Var, n int) []term.Var {
	xs := make([]term.Var, n)
	for i := range xs {
		xs[i] = first + term.Var(i)
	}
	return xs
}

// opened returns the first component of x, or 0 if x is not projected.
func (l *lowering) opened(x term.Var) term.Var {
	if k := int(x) - l.p.Scalars; k >= 0 && k < len(l.comps) {
		return l.comps[k]
	}
	return 0
}

// open puts the opening of x around body, if x is projected, and inside it those of its components, in order.
func (l *lowering) open(x term.Var, pos term.Pos, body term.Ref) term.Ref {
	if l.opened(x) == 0 {
		return body
	}
	stack := []term.Var{x}
	var order []term.Var
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		first := l.opened(x)
		if first == 0 {
			continue
		}
		order = append(order, x)
		if ty := l.t.TypeOf(x); l.t.Types.Kind(l.t.Types.Left(ty)) == term.VecKind {
			for i := l.t.Types.Len(ty) - 1; i >= 0; i-- {
				stack = append(stack, first+term.Var(i))
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		x := order[i]
		body = l.t.UnvecFrom(pos, l.opened(x), l.t.Types.Len(l.t.TypeOf(x)), l.t.Variable(pos, x), body)
	}
	return body
}
