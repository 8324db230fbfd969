package lang

import "github.com/gram-machine/gram/lang/syntax"

// A unit is a file with its names resolved: the program's, or the prelude's.
type unit struct {
	file    *syntax.File
	prelude bool
	refs    []ref    // by Expr: what a name or the index of a comprehension means
	slots   []uint32 // by Pat: the slot of a NamePat
	scopes  []scope  // by declaration, and one more for the body
	globals []int    // by declaration: its entry in elaborator.globals
}

type refKind uint8

const (
	badRef    refKind = iota // an error has been reported
	localRef                 // a slot of the activation
	globalRef                // an entry of elaborator.globals
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

const (
	underFun place = 1 << iota // under fun, lin or a parameter of let
	inBranch                   // then or else
	inComp                     // the body of vec, sum or list: there once for each index
	inList                     // in a list literal
)

// resolver finds out what the names of a unit mean. It walks with a stack of its
// own; one resolver serves a whole unit.
type resolver struct {
	e      *elaborator
	u      *unit
	decl   int // the declaration: it sees those above
	scope  *scope
	locals map[string]uint32 // slot + 1
	undo   []shadowed
	stack  []resolveItem
	types  []syntax.TypeExpr
	pats   []syntax.Pat
}

type shadowed struct {
	name string
	slot uint32 // what the name meant outside, + 1; 0: nothing local
}

type resolveOp uint8

const (
	visitExpr  resolveOp = iota
	leaveScope           // n: the length of undo to go back to
	enterLet             // the pattern of a let, before its body
	enterComp            // the index of a comprehension, before its body
)

type resolveItem struct {
	op    resolveOp
	where place
	e     syntax.Expr
	n     int
}

// resolve resolves all names of u.
func (e *elaborator) resolve(u *unit) error {
	u.refs = make([]ref, u.file.NumExprs())
	r := &resolver{e: e, u: u, locals: map[string]uint32{}}
	u.scopes = make([]scope, len(u.file.Decls)+1)
	for i := range u.file.Decls {
		d := &u.file.Decls[i]
		r.enter(i)
		r.patterns(d.Params)
		r.scope.params = make([]usage, r.scope.slots)
		r.typ(d.Type)
		if d.Value == 0 {
			continue
		}
		if err := r.walk(d.Value); err != nil {
			return err
		}
	}
	r.enter(len(u.file.Decls))
	if u.file.Body == 0 {
		return nil
	}
	return r.walk(u.file.Body)
}

func (r *resolver) enter(decl int) {
	r.decl, r.scope = decl, &r.u.scopes[decl]
	r.leave(0)
}

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
		r.pattern(p)
	}
}

func (r *resolver) pattern(p syntax.Pat) {
	first := r.scope.slots
	f := r.u.file
	r.pats = append(r.pats[:0], p)
	for len(r.pats) > 0 {
		p := r.pats[len(r.pats)-1]
		r.pats = r.pats[:len(r.pats)-1]
		n := f.Pat(p)
		switch n.Kind {
		case syntax.NamePat:
			if s := r.locals[n.Text]; s > first {
				r.e.report(r.u, n.Span, "name bound twice", n.Text+" is bound twice in one pattern")
			}
			for int(p) >= len(r.u.slots) {
				r.u.slots = append(r.u.slots, make([]uint32, len(r.u.slots)+64)...)
			}
			r.u.slots[p] = r.bind(n.Text)
		case syntax.AnnotPat:
			r.typ(n.Type)
		}
		kids := f.PatKids(p)
		for i := len(kids) - 1; i >= 0; i-- {
			r.pats = append(r.pats, kids[i])
		}
	}
}

// typ resolves the sizes in a type.
func (r *resolver) typ(t syntax.TypeExpr) {
	if t == 0 {
		return
	}
	r.types = append(r.types[:0], t)
	for len(r.types) > 0 {
		n := r.u.file.Type(r.types[len(r.types)-1])
		r.types = r.types[:len(r.types)-1]
		r.e.duals = r.e.duals || n.Kind == syntax.LinType
		if n.A != 0 {
			r.types = append(r.types, n.A)
		}
		if n.B != 0 {
			r.types = append(r.types, n.B)
		}
		if n.Size != 0 {
			r.size(n.Size)
		}
	}
}

// size resolves the names in the size of a vector.
func (r *resolver) size(s syntax.Expr) {
	stack := []syntax.Expr{s}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch n := r.u.file.Expr(s); n.Kind {
		case syntax.NameExpr, syntax.SizeExpr:
			r.name(s, n, 0)
			if x := r.u.refs[s]; x.kind == localRef {
				if r.scope.sized == nil {
					r.scope.sized = map[uint32]bool{}
				}
				r.scope.sized[x.n] = true
			}
		default:
			stack = append(stack, r.u.file.Kids(s)...)
		}
	}
}

func (r *resolver) push(op resolveOp, e syntax.Expr, where place) {
	r.stack = append(r.stack, resolveItem{op: op, e: e, where: where})
}

func (r *resolver) walk(root syntax.Expr) error {
	r.stack = r.stack[:0]
	r.push(visitExpr, root, 0)
	for len(r.stack) > 0 {
		it := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if err := r.e.tick(); err != nil {
			return err
		}
		switch it.op {
		case visitExpr:
			r.visit(it.e, it.where)
		case leaveScope:
			r.leave(it.n)
		case enterLet:
			r.pattern(r.u.file.Pats(it.e)[0])
		case enterComp:
			n := r.u.file.Expr(it.e)
			r.u.refs[it.e] = ref{localRef, r.bind(n.Text)}
		}
	}
	return nil
}

func (r *resolver) visit(e syntax.Expr, where place) {
	f := r.u.file
	n := f.Expr(e)
	kids := f.Kids(e)
	switch n.Kind {
	case syntax.NameExpr, syntax.SizeExpr:
		r.name(e, n, where)
	case syntax.FunExpr, syntax.LinExpr:
		r.e.duals = r.e.duals || n.Kind == syntax.LinExpr
		r.stack = append(r.stack, resolveItem{op: leaveScope, n: len(r.undo)})
		r.patterns(f.Pats(e))
		r.push(visitExpr, kids[0], where|underFun)
	case syntax.LetExpr:
		outer := resolveItem{op: leaveScope, n: len(r.undo)}
		r.stack = append(r.stack, outer)
		r.push(visitExpr, kids[1], where)
		r.push(enterLet, e, where)
		r.stack = append(r.stack, outer)
		if pats := f.Pats(e); len(pats) > 1 {
			r.patterns(pats[1:])
			where |= underFun
		}
		r.push(visitExpr, kids[0], where)
	case syntax.CompExpr:
		r.stack = append(r.stack, resolveItem{op: leaveScope, n: len(r.undo)})
		r.push(visitExpr, kids[1], where|inComp)
		r.push(enterComp, e, where)
		if n.Op == syntax.VecTok {
			r.size(kids[0])
			return
		}
		r.push(visitExpr, kids[0], where)
	case syntax.IfExpr:
		r.push(visitExpr, kids[3], where|inBranch)
		r.push(visitExpr, kids[2], where|inBranch)
		r.push(visitExpr, kids[1], where)
		r.push(visitExpr, kids[0], where)
	default:
		if n.Kind == syntax.ListExpr {
			where |= inList
		}
		if n.Kind == syntax.AnnotExpr {
			r.typ(n.Type)
		}
		for i := len(kids) - 1; i >= 0; i-- {
			r.push(visitExpr, kids[i], where)
		}
	}
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
	if g, ok := r.e.lookup(r.u, n.Text, r.decl); ok {
		r.u.refs[e] = ref{globalRef, uint32(g)}
		return
	}
	span := n.Span
	if n.TextSpan.End > 0 {
		span = n.TextSpan
	}
	r.unknown(n.Text, span)
}

// unknown reports a name that means nothing here.
func (r *resolver) unknown(name string, span syntax.Span) {
	if d, ok := r.e.names[name]; ok && d >= r.decl && !r.u.prelude {
		at := r.u.file.Decls[d].NameSpan
		label, note := name+" is not declared yet", "a declaration sees what is above it; "+name+" is declared here"
		if r.decl < len(r.u.file.Decls) && r.u.file.Decls[r.decl].Name == name && r.u.file.Decls[r.decl].Kind == syntax.DefDecl {
			label, note = name+" is used in its own definition", "there is no recursion; use a list or a numeral: iter #n f x"
			at = syntax.Span{}
		}
		r.e.report(r.u, span, "unknown name", label, syntax.Note{Span: at, Text: note})
		return
	}
	var notes []syntax.Note
	if near := r.e.closest(name, r); near != "" {
		notes = append(notes, syntax.Note{Text: "did you mean " + near + "?"})
	}
	r.e.report(r.u, span, "unknown name", name+" is not declared", notes...)
}
