package lang

import (
	"slices"

	"github.com/gram-machine/gram/lang/syntax"
)

// unit is a file with its names resolved: the program's, or the prelude's.
type unit struct {
	file    *syntax.File
	prelude bool
	refs    []ref    // by Expr: what a name or the index of a comprehension means
	slots   []uint32 // by Pat: the slot of a NamePat
	scopes  []scope  // by declaration, and one more for the body
	duals   bool     // lin or -o stands in the file
}

// refKind says what a name means.
type refKind uint8

// The kinds of references.
const (
	badRef    refKind = iota // an error has been reported
	localRef                 // a slot of the declaration
	globalRef                // what namer.Lookup returns
)

// ref is what a name means.
type ref struct {
	kind refKind
	n    uint32
}

// scope describes the local names of a declaration or of the body: each has a slot
// of its own. Those of the parameters come first.
type scope struct {
	slots  uint32
	params []usage // by slot
	// sized has the indices that stand in the size of a vector: a type needs their numbers.
	sized map[uint32]bool
}

// usage says how often the right side of a def mentions a parameter, and where.
type usage struct {
	count uint32
	where place
}

// place is a set of surroundings of an expression within its declaration.
type place uint8

// The surroundings.
const (
	underFun place = 1 << iota // under fun, lin or a parameter of let
	inBranch                   // then or else
	inComp                     // the body of vec, sum or list: there once for each index
	inList                     // in a list literal
)

// namer knows the names that are not local, and takes errors.
type namer interface {
	// Lookup finds what a name means for declaration decl of u, which sees those above.
	Lookup(u *unit, name string, decl int) (int, bool)
	// Unknown reports a name that means nothing; locals are the names in scope.
	Unknown(u *unit, name string, span syntax.Span, decl int, locals []string)
	Report(u *unit, span syntax.Span, headline, label string)
	// Tick is called for each expression; its error ends the work.
	Tick() error
}

// resolver finds out what the names of a unit mean.
type resolver struct {
	names  namer
	u      *unit
	decl   int // the declaration: it sees those above
	scope  *scope
	locals map[string]uint32 // slot + 1
	undo   []shadowed
	err    error
}

type shadowed struct {
	name string
	slot uint32 // what the name meant outside, + 1; 0: nothing local
}

// resolve resolves all names of u. Its error is that of Tick.
func (u *unit) resolve(names namer) error {
	u.refs = make([]ref, u.file.NumExprs())
	u.scopes = make([]scope, len(u.file.Decls)+1)
	r := &resolver{names: names, u: u, locals: map[string]uint32{}}
	for i := range u.file.Decls {
		d := &u.file.Decls[i]
		r.enter(i)
		r.patterns(d.Params)
		r.scope.params = make([]usage, r.scope.slots)
		r.typ(d.Type)
		r.expr(d.Value, 0)
	}
	r.enter(len(u.file.Decls))
	r.expr(u.file.Body, 0)
	return r.err
}

func (r *resolver) enter(decl int) {
	r.decl, r.scope = decl, &r.u.scopes[decl]
	r.leave(0)
}

// leave ends the scopes of all names bound after the first n.
func (r *resolver) leave(n int) {
	for len(r.undo) > n {
		s := r.undo[len(r.undo)-1]
		r.undo = r.undo[:len(r.undo)-1]
		if s.slot == 0 {
			delete(r.locals, s.name)
		} else {
			r.locals[s.name] = s.slot
		}
	}
}

func (r *resolver) bind(name string) uint32 {
	r.undo = append(r.undo, shadowed{name, r.locals[name]})
	slot := r.scope.slots
	r.scope.slots++
	r.locals[name] = slot + 1
	return slot
}

// patterns binds the names of patterns, from left to right. In one pattern a name
// stands once.
func (r *resolver) patterns(pats []syntax.Pat) {
	for _, p := range pats {
		r.pattern(p, r.scope.slots)
	}
}

func (r *resolver) pattern(p syntax.Pat, first uint32) {
	n := r.u.file.Pat(p)
	switch n.Kind {
	case syntax.NamePat:
		if s := r.locals[n.Text]; s > first {
			r.names.Report(r.u, n.Span, "name bound twice", n.Text+" is bound twice in one pattern")
		}
		if n := int(p) + 1 - len(r.u.slots); n > 0 {
			r.u.slots = append(r.u.slots, make([]uint32, n)...)
		}
		r.u.slots[p] = r.bind(n.Text)
	case syntax.AnnotPat:
		r.typ(n.Type)
	}
	for _, k := range r.u.file.PatKids(p) {
		r.pattern(k, first)
	}
}

// typ resolves the sizes in a type.
func (r *resolver) typ(t syntax.TypeExpr) {
	for t != 0 {
		n := r.u.file.Type(t)
		r.u.duals = r.u.duals || n.Kind == syntax.LinType
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
	for r.u.file.Expr(s).Kind == syntax.BinExpr {
		kids := r.u.file.Kids(s)
		r.mark(kids[1])
		s = kids[0]
	}
	if x := r.u.refs[s]; x.kind == localRef {
		if r.scope.sized == nil {
			r.scope.sized = map[uint32]bool{}
		}
		r.scope.sized[x.n] = true
	}
}

// expr resolves an expression: from left to right, since errors are reported in this
// order.
func (r *resolver) expr(e syntax.Expr, where place) {
	if e == 0 || r.err != nil {
		return
	}
	if r.err = r.names.Tick(); r.err != nil {
		return
	}
	f := r.u.file
	n, kids := f.Expr(e), f.Kids(e)
	outer := len(r.undo)
	switch n.Kind {
	case syntax.NameExpr, syntax.SizeExpr:
		r.name(e, n, where)
	case syntax.BinExpr, syntax.AppExpr, syntax.ProjExpr:
		r.spine(e, where)
	case syntax.FunExpr, syntax.LinExpr:
		r.u.duals = r.u.duals || n.Kind == syntax.LinExpr
		r.patterns(f.Pats(e))
		r.expr(kids[0], where|underFun)
	case syntax.LetExpr:
		r.lets(e, where)
	case syntax.CompExpr:
		if n.Op == syntax.VecTok {
			r.size(kids[0])
		} else {
			r.expr(kids[0], where)
		}
		r.u.refs[e] = ref{localRef, r.bind(n.Text)}
		r.expr(kids[1], where|inComp)
	case syntax.IfExpr:
		r.expr(kids[0], where)
		r.expr(kids[1], where)
		r.expr(kids[2], where|inBranch)
		r.expr(kids[3], where|inBranch)
	default:
		if n.Kind == syntax.ListExpr {
			where |= inList
		}
		r.typ(n.Type)
		for _, k := range kids {
			r.expr(k, where)
		}
	}
	r.leave(outer)
}

// spine resolves what nests to the left.
func (r *resolver) spine(e syntax.Expr, where place) {
	f := r.u.file
	var right []syntax.Expr
	for {
		k := f.Expr(e).Kind
		if k != syntax.BinExpr && k != syntax.AppExpr && k != syntax.ProjExpr {
			break
		}
		kids := f.Kids(e)
		right = append(right, kids[1])
		e = kids[0]
	}
	r.expr(e, where)
	for _, k := range slices.Backward(right) {
		r.expr(k, where)
	}
}

// lets resolves a let, and those in its body.
func (r *resolver) lets(e syntax.Expr, where place) {
	f := r.u.file
	for f.Expr(e).Kind == syntax.LetExpr && r.err == nil {
		pats, kids := f.Pats(e), f.Kids(e)
		outer, inner := len(r.undo), where
		if len(pats) > 1 {
			r.patterns(pats[1:])
			inner |= underFun
		}
		r.expr(kids[0], inner)
		r.leave(outer)
		r.patterns(pats[:1])
		e = kids[1]
	}
	r.expr(e, where)
}

// name resolves an occurrence of a name.
func (r *resolver) name(e syntax.Expr, n *syntax.ExprNode, where place) {
	if s := r.locals[n.Text]; s > 0 {
		slot := s - 1
		r.u.refs[e] = ref{localRef, slot}
		if int(slot) < len(r.scope.params) {
			u := &r.scope.params[slot]
			u.count++
			u.where |= where
		}
		return
	}
	if g, ok := r.names.Lookup(r.u, n.Text, r.decl); ok {
		r.u.refs[e] = ref{globalRef, uint32(g)}
		return
	}
	span := n.Span
	if n.TextSpan.End > 0 {
		span = n.TextSpan
	}
	var locals []string
	for _, s := range r.undo {
		locals = append(locals, s.name)
	}
	r.names.Unknown(r.u, n.Text, span, r.decl, locals)
}
