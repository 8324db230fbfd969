package elaborate

import (
	"slices"

	"github.com/gram-machine/gram/lang/syntax"
)

// unit is a file with its names resolved: the program's, or the prelude's.
type unit struct {
	File    *syntax.File
	Prelude bool
	Refs    []ref    // by Expr: what a name or the index of a comprehension means
	Slots   []uint32 // by Pat: the slot of a NamePat, what Elaborator.constructor returns of a ConPat
	Scopes  []scope  // by declaration, and one more for the body
	Duals   bool     // lin or -o stands in the file
}

// refKind says what a name means.
type refKind uint8

const (
	badRef    refKind = iota // an error has been reported
	localRef                 // a slot of the declaration
	globalRef                // what Elaborator.lookup returns
)

// ref is what a name means.
type ref struct {
	Kind refKind
	N    uint32
}

// Scope describes the local names of a declaration or of the body: each has a slot of its own. Those of the parameters
// come first; before them, in def rec, those of the functions that are defined together.
type scope struct {
	Slots  uint32
	Params []usage // by slot
	// Sized has the indices that stand in the size of a vector: a type needs their numbers.
	Sized map[uint32]bool
}

// usage says how often the right side of a def mentions a parameter, and where.
type usage struct {
	Count uint32
	Where surroundings
}

// surroundings is a set of surroundings of an expression within its declaration.
type surroundings uint8

const (
	underFun surroundings = 1 << iota // under fun, lin or a parameter of let
	inBranch                          // then or else
	inComp                            // the body of vec, sum or list, a case of match, let rec: perhaps several times
	inList                            // in a list literal
)

// resolver finds out what the names of a unit mean.
type resolver struct {
	e      *Elaborator
	u      *unit
	decl   int // the declaration: it sees those above
	Scope  *scope
	locals map[string]uint32 // slot + 1
	undo   []shadowed
}

type shadowed struct {
	name string
	slot uint32 // what the name meant outside, + 1; 0: nothing local
}

// resolve finds out what the names of u mean: each local name has a slot in its declaration.
func (e *Elaborator) resolve(u *unit) {
	u.Refs = make([]ref, u.File.NumExprs())
	u.Scopes = make([]scope, len(u.File.Decls)+1)
	r := &resolver{e: e, u: u, locals: map[string]uint32{}}
	for i := range u.File.Decls {
		d := &u.File.Decls[i]
		r.enter(i)
		if d.Rec {
			from, to := u.File.Group(i)
			for _, of := range u.File.Decls[from:to] {
				r.bind(of.Name)
			}
		}
		r.patterns(d.Params)
		if !d.Rec {
			r.Scope.Params = make([]usage, r.Scope.Slots)
		}
		r.typ(d.Type)
		for _, c := range d.Cons {
			r.typ(c.Type)
		}
		r.expr(d.Value, 0)
	}
	r.enter(len(u.File.Decls))
	r.expr(u.File.Body, 0)
}

func (r *resolver) enter(decl int) {
	r.decl, r.Scope = decl, &r.u.Scopes[decl]
	r.leave(0)
}

// leave ends the scopes of all names bound after the first n.
func (r *resolver) leave(n int) {
	for len(r.undo) > n {
		s := syntax.Pop(&r.undo)
		if s.slot == 0 {
			delete(r.locals, s.name)
		} else {
			r.locals[s.name] = s.slot
		}
	}
}

func (r *resolver) bind(name string) uint32 {
	r.undo = append(r.undo, shadowed{name, r.locals[name]})
	slot := r.Scope.Slots
	r.Scope.Slots++
	r.locals[name] = slot + 1
	return slot
}

// patterns binds the names of patterns, from left to right. In one pattern a name stands once.
func (r *resolver) patterns(pats []syntax.Pat) {
	for _, p := range pats {
		r.pattern(p, r.Scope.Slots)
	}
}

func (r *resolver) pattern(p syntax.Pat, first uint32) {
	n := r.u.File.Pat(p)
	switch n.Kind {
	case syntax.NamePat:
		if s := r.locals[n.Text]; s > first {
			r.e.report(r.u, n.Span, "name bound twice", n.Text+" is bound twice in one pattern")
		}
		r.setSlot(p, r.bind(n.Text))
	case syntax.ConPat:
		r.setSlot(p, uint32(r.e.constructor(r.u, n.Text,
			syntax.Span{Start: n.Span.Start, End: n.Span.Start + uint32(len(n.Text))}, r.decl)))
	case syntax.AnnotPat:
		r.typ(n.Type)
	}
	for _, k := range r.u.File.PatKids(p) {
		r.pattern(k, first)
	}
}

func (r *resolver) setSlot(p syntax.Pat, slot uint32) {
	if n := int(p) + 1 - len(r.u.Slots); n > 0 {
		r.u.Slots = append(r.u.Slots, make([]uint32, n)...)
	}
	r.u.Slots[p] = slot
}

// typ resolves the sizes in a type.
func (r *resolver) typ(t syntax.TypeExpr) {
	for t != 0 {
		for _, k := range r.u.File.TypeKids(t) {
			r.typ(k)
		}
		n := r.u.File.Type(t)
		r.u.Duals = r.u.Duals || n.Kind == syntax.LinType
		if n.Size != 0 {
			r.size(n.Size)
		}
		r.typ(n.B)
		t = n.A
	}
}

// size resolves the names in the size of a vector.
func (r *resolver) size(s syntax.Expr) {
	r.expr(s, 0)
	r.mark(s)
}

// mark notes which indices stand in a size.
func (r *resolver) mark(s syntax.Expr) {
	ops, s := r.u.File.Spine(s, syntax.BinExpr)
	for _, op := range ops {
		r.mark(r.u.File.Kids(op)[1])
	}
	if x := r.u.Refs[s]; x.Kind == localRef {
		if r.Scope.Sized == nil {
			r.Scope.Sized = map[uint32]bool{}
		}
		r.Scope.Sized[x.N] = true
	}
}

// expr resolves an expression: from left to right, since errors are reported in this
// order. It loops over what stands at the end of what, as the body of a let.
func (r *resolver) expr(e syntax.Expr, where surroundings) {
	f := r.u.File
	outer := len(r.undo)
	for e != 0 {
		r.e.Tick()
		n, kids := f.Expr(e), f.Kids(e)
		r.typ(n.Type)
		switch n.Kind {
		case syntax.NameExpr, syntax.SizeExpr:
			r.name(e, n, where)
		case syntax.BinExpr, syntax.AppExpr, syntax.ProjExpr:
			r.spine(e, where)
			kids = nil
		case syntax.LinExpr:
			r.u.Duals = true
		case syntax.RecExpr: // its functions see each other
			first := r.Scope.Slots
			for _, b := range kids[:len(kids)-1] {
				r.pattern(f.Pats(b)[0], first)
			}
		}
		of := e
		e = 0
		for i, k := range kids {
			inner, there := len(r.undo), where|r.within(of, i)
			if n.Kind != syntax.RecExpr {
				pats, index := f.Bound(of, i)
				if index {
					r.u.Refs[of] = ref{localRef, r.bind(n.Text)}
				}
				r.patterns(pats)
			}
			switch {
			case i == len(kids)-1:
				e, where = k, there
			case i == 0 && (n.Kind == syntax.ScanExpr || n.Op == syntax.VecTok):
				r.size(k)
			default:
				r.expr(k, there)
			}
			if e == 0 {
				r.leave(inner)
			}
		}
	}
	r.leave(outer)
}

// within returns the surroundings of kid number i that are in e.
func (r *resolver) within(e syntax.Expr, i int) surroundings {
	f := r.u.File
	last := len(f.Kids(e)) - 1
	switch kind := f.Expr(e).Kind; {
	case kind == syntax.FunExpr, kind == syntax.LinExpr, kind == syntax.LetExpr && i < last && len(f.Pats(e)) > 1:
		return underFun
	case kind == syntax.RecExpr && i < last:
		return underFun | inComp
	case kind == syntax.MatchExpr && i > 0:
		return inBranch | inComp
	case (kind == syntax.CompExpr || kind == syntax.ScanExpr) && i == last:
		return inComp
	case (kind == syntax.IfExpr || kind == syntax.LogicExpr) && i > 0: // it may not be evaluated
		return inBranch
	case kind == syntax.ListExpr:
		return inList
	}
	return 0
}

// spine resolves what nests to the left.
func (r *resolver) spine(e syntax.Expr, where surroundings) {
	f := r.u.File
	spine, head := f.Spine(e, syntax.BinExpr, syntax.AppExpr, syntax.ProjExpr)
	r.expr(head, where)
	for _, k := range slices.Backward(spine) {
		r.expr(f.Kids(k)[1], where)
	}
}

func (r *resolver) name(e syntax.Expr, n *syntax.ExprNode, where surroundings) {
	if s := r.locals[n.Text]; s > 0 {
		slot := s - 1
		r.u.Refs[e] = ref{localRef, slot}
		if int(slot) < len(r.Scope.Params) {
			u := &r.Scope.Params[slot]
			u.Count++
			u.Where |= where
		}
		return
	}
	if g, ok := r.e.lookup(r.u, n.Text, r.decl); ok {
		r.u.Refs[e] = ref{globalRef, uint32(g)}
		return
	}
	span := n.Span
	if n.TextSpan.End > 0 {
		span = n.TextSpan
	}
	locals := syntax.Each(len(r.undo), func(i int) string { return r.undo[i].name })
	r.e.unknown(r.u, n.Text, span, r.decl, locals)
}
