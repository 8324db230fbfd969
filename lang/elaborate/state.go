package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// global is what a declared or predefined name means.
type global struct {
	means binding // bad before it is known, and if an error about it has been reported; of a param a static numeral
	used  bool
	unit  *unit
	decl  int
	name  string
	num   float64   // of a constructor: its number in its type
	n     int       // of data: its index in Program.Data; of a constructor: its type
	x     core.Var  // of data: the variable that stands for a vector
	typ   core.Type // of data that is no list; the type of an element for a list
	list  bool
	prim  core.Prim
}

// declared reports whether a global has a declaration of that kind.
func (g *global) declared(kind syntax.DeclKind) bool {
	return g.unit != nil && g.unit.File.Decls[g.decl].Kind == kind
}

type bindingKind uint8

const (
	badBinding  bindingKind = iota
	atomBinding             // node
	defBinding              // g
	conBinding              // g
	primBinding             // g
	nodeBinding             // an argument that has been elaborated and stands in one place: val
)

// binding is what a local name means, or an argument.
type binding struct {
	kind bindingKind
	// An atom is a node without children, which each occurrence makes anew: a variable or a projection of
	// one, an input or a component of one, data, or a numeral. An index of a comprehension is one that is static.
	node  core.Node
	index bool
	// An argument is static if it is made of numerals, params and such arguments. Its number is node.Val.
	static bool
	g      int
	val    val
	annot  syntax.TypeExpr // of a parameter, for what has its own types at each occurrence
	unit   *unit
	span   syntax.Span
}

// is reports whether a binding is an atom with that constructor.
func (b *binding) is(op core.Op) bool { return b.kind == atomBinding && b.node.Op == op }

// ownTypes reports whether each occurrence has types of its own.
func (b *binding) ownTypes() bool {
	return b.is(core.DataOp) || b.is(core.NatOp) || defBinding <= b.kind && b.kind <= primBinding
}

// numeral is the binding of a numeral.
func numeral(x float64) binding {
	return binding{kind: atomBinding, node: core.Node{Op: core.NumOp, Val: x, Type: core.R}}
}

// bound is the binding of a variable.
func (e *Elaborator) bound(x core.Var) binding {
	return binding{kind: atomBinding, node: core.Node{Op: core.VarOp, X: x, Type: e.Core.Info(x).Type}}
}

// val is the result of elaborating an expression.
type val struct {
	node core.Ref
	typ  core.Type
	span syntax.Span // where messages point to
	head syntax.Span // an application: where its function stands
}

// activation is a declaration that is being elaborated: a def in one of its uses, or the body.
type activation struct {
	unit   *unit
	global int // -1: the body
	base   int // of its slots
	scope  *scope
	use    syntax.Span // where the def is used, in the program's file
	outer  *activation // in which it is used
}
