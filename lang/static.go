package lang

import (
	"errors"
	"fmt"
	"math"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// nat evaluates a static expression of the present unit.
func (e *elaborator) nat(x syntax.Expr) (uint64, bool) { return e.natIn(e.act().unit, x) }

// natIn evaluates a static expression, on the natural numbers up to 2^53. If it has
// no value that is reported.
func (e *elaborator) natIn(u *unit, x syntax.Expr) (uint64, bool) {
	if n, ok := e.leafNat(u, x); ok {
		return n, true
	}
	if n, ok := e.treeNat(u, x); ok {
		return n, true
	}
	e.notNat(u, x)
	return 0, false
}

// leafNat evaluates a literal or a name.
func (e *elaborator) leafNat(u *unit, x syntax.Expr) (uint64, bool) {
	switch n := u.file.Expr(x); n.Kind {
	case syntax.NumExpr:
		if n.Num >= 0 && n.Num <= load.MaxNat && n.Num == math.Trunc(n.Num) {
			return uint64(n.Num), true
		}
	case syntax.NameExpr, syntax.SizeExpr:
		m := e.staticName(u, x)
		if m.Kind == load.IndexName && n.Kind == syntax.NameExpr || m.Kind == load.ParamName && n.Kind == syntax.NameExpr ||
			m.Kind == load.DataName && m.List && n.Kind == syntax.SizeExpr {
			return m.Nat, true
		}
	}
	return 0, false
}

// treeNat evaluates sums, differences and products.
func (e *elaborator) treeNat(u *unit, x syntax.Expr) (uint64, bool) {
	type item struct {
		x    syntax.Expr
		done bool
	}
	stack := []item{{x: x}}
	var out []uint64
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := u.file.Expr(it.x)
		if n.Kind != syntax.BinExpr {
			v, ok := e.leafNat(u, it.x)
			if !ok {
				return 0, false
			}
			out = append(out, v)
			continue
		}
		if !it.done {
			kids := u.file.Kids(it.x)
			stack = append(stack, item{it.x, true}, item{x: kids[1]}, item{x: kids[0]})
			continue
		}
		a, b := out[len(out)-2], out[len(out)-1]
		c, ok := natOp(n.Op, a, b)
		if !ok {
			return 0, false
		}
		out = append(out[:len(out)-2], c)
	}
	return out[0], true
}

func natOp(op syntax.Token, a, b uint64) (uint64, bool) {
	switch op {
	case syntax.PlusTok:
		return a + b, a+b <= load.MaxNat
	case syntax.MinusTok:
		return a - b, a >= b
	case syntax.StarTok:
		return a * b, a == 0 || b <= load.MaxNat/a
	}
	return 0, false
}

// staticName says what a name means in a static expression.
func (e *elaborator) staticName(u *unit, x syntax.Expr) load.Name {
	switch r := u.refs[x]; r.kind {
	case localRef:
		if a := e.act(); a.unit == u {
			if b := e.slots[a.base+int(r.n)]; b.kind == indexBinding {
				return load.Name{Kind: load.IndexName, Nat: uint64(b.num)}
			}
		}
		return load.Name{Kind: load.LocalName}
	case globalRef:
		g := &e.globals[r.n]
		switch g.kind {
		case paramGlobal:
			return load.Name{Kind: load.ParamName, Nat: uint64(g.num)}
		case inputGlobal:
			return load.Name{Kind: load.InputName}
		case dataGlobal:
			return load.Name{Kind: load.DataName, Nat: g.rows, List: g.list}
		case numGlobal, letGlobal, pendingGlobal:
			return load.Name{Kind: load.DefName}
		case defGlobal:
			if g.unit.prelude {
				return load.Name{Kind: load.SymbolName}
			}
			return load.Name{Kind: load.DefName}
		case primGlobal:
			return load.Name{Kind: load.SymbolName}
		}
	}
	return load.Name{Kind: load.BadName}
}

// notNat reports why a static expression has no value, in the words of package load.
func (e *elaborator) notNat(u *unit, x syntax.Expr) {
	leaves := map[string]load.Name{}
	stack := []syntax.Expr{x}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n := u.file.Expr(x); n.Kind == syntax.NameExpr || n.Kind == syntax.SizeExpr {
			leaves[n.Text] = e.staticName(u, x)
		}
		stack = append(stack, u.file.Kids(x)...)
	}
	s := load.Static{File: u.file, Lookup: func(name string) load.Name { return leaves[name] }}
	_, err := s.Nat(x)
	var bad *load.Error
	if !errors.As(err, &bad) {
		e.reportHere(e.spanIn(u, x), "not a static number", "a size or an index is a natural number")
		return
	}
	for _, p := range bad.Items {
		if !u.prelude {
			e.reportHere(p.Span, p.Headline, p.Label, p.Notes...)
		}
	}
}

func (e *elaborator) spanIn(u *unit, x syntax.Expr) syntax.Span {
	if u.prelude {
		return e.act().use
	}
	return u.file.Expr(x).Span
}

// In place of an index: only the sizes have to be known; a type has to be R or R^s.
const (
	sizesKnown = -1
	euclidean  = -2
)

// pending is what has to be known about a type at the end: that a vector has more
// than n components.
type pending struct {
	t     typ // of a vector, or of a vector of vectors
	index int // sizesKnown, euclidean, or an index
	span  syntax.Span
	of    syntax.Span
	what  string
	notes []syntax.Note
}

// inRange checks an index, or leaves that for the end. It reports whether the index
// is good as far as is known.
func (e *elaborator) inRange(span syntax.Span, n size, i int, v val) bool {
	if s := e.tt.sizeAt(n); s.known {
		if i < s.n {
			return true
		}
		e.reportHere(span, "index out of range", rangeLabel(i, s.n, e.tt.text().of(v.typ)))
		return false
	}
	e.pending = append(e.pending, pending{t: v.typ, index: i, span: span, of: v.span, notes: e.chain(4)})
	return true
}

func rangeLabel(i, n int, of string) string {
	if n == 1 {
		return fmt.Sprintf("%d is not an index of %s: its only one is 0", i, of)
	}
	return fmt.Sprintf("%d is not an index of %s: they go from 0 to %d", i, of, n-1)
}

// needSize notes that the sizes in t are needed at the end.
func (e *elaborator) needSize(t typ, span syntax.Span, p prim) {
	e.pending = append(e.pending, pending{t: t, index: sizesKnown, span: span, what: p.name(), notes: e.chain(4)})
}

// settle checks what was left for the end. In a def that nobody uses, sizes may
// stay open.
func (e *elaborator) settle(from int, open bool) {
	for _, p := range e.pending[from:] {
		if p.index == euclidean {
			e.settleEuclidean(p)
			continue
		}
		n := e.tt.at(p.t)
		known := n.kind == vecType && e.tt.sizeAt(size(n.n)).known
		switch {
		case known && p.index >= 0:
			if s := e.tt.sizeAt(size(n.n)).n; p.index >= s {
				e.report(e.user, p.span, "index out of range", rangeLabel(p.index, s, e.tt.text().of(p.t)), p.notes...)
			}
		case known && e.sized(n.a), open:
		case p.index >= 0:
			e.report(e.user, p.span, "size not known", "the size of this vector is not known: annotate it, as in (v : R^3)", p.notes...)
		default:
			e.report(e.user, p.span, "size not known", "the sizes of the vectors that "+p.what+" takes are not known: annotate one, as in (v : R^3)", p.notes...)
		}
	}
	e.pending = e.pending[:from]
}

// sized reports whether the component of a vector that dot or matvec takes is R or
// a vector of known size.
func (e *elaborator) sized(t typ) bool {
	n := e.tt.at(t)
	return n.kind != vecType || e.tt.sizeAt(size(n.n)).known
}
