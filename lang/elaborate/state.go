package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

type globalKind uint8

const (
	badGlobal     globalKind = iota // an error about it has been reported
	paramGlobal                     // a static number: num
	numGlobal                       // a def that is a numeral: num
	inputGlobal                     // x its first scalar, typ
	dataGlobal                      // n its index in Program.Data, x the variable that stands for a vector, typ
	letGlobal                       // a def that is a let: x
	defGlobal                       // a def that is expanded where it is used: unit, decl
	primGlobal                      // a function symbol, dot or matvec: prim
	pendingGlobal                   // a def that has not been elaborated
	conGlobal                       // a constructor: n its type, num its number in it
)

// global is what a declared or predefined name means.
type global struct {
	kind globalKind
	used bool
	unit *unit
	decl int
	name string
	num  float64
	x    core.Var
	n    int
	typ  core.Type // inputs, data that is no list; the type of an element for a list
	list bool
	prim core.Prim
}

type bindingKind uint8

const (
	badBinding       bindingKind = iota
	varBinding                   // a variable: x
	pathBinding                  // a projection of one: x, the indices off … off+n in core.args, typ
	inputBinding                 // an input or a component of one: x its first scalar, typ
	dataBinding                  // g
	numBinding                   // num
	indexBinding                 // num; it is static
	familyBinding                // an index of a family, or of a comprehension of a default value: x, a term.Static
	staticBinding                // a numeral that depends on such indices: x, a term.Static
	componentBinding             // a scalar of an input: x, off, n as core.ComponentOp has them
	churchBinding                // num
	defBinding                   // g
	conBinding                   // g
	primBinding                  // g
	nodeBinding                  // an argument that has been elaborated and stands in one place: val
)

// binding is what a local name means, or an argument.
type binding struct {
	kind   bindingKind
	x      core.Var
	g      int
	off, n core.Ref
	num    float64
	val    val
	typ    core.Type // also the annotation of a parameter for an atom that has its own types
	annot  syntax.TypeExpr
	unit   *unit
	span   syntax.Span
}

// val is the result of elaborating an expression.
type val struct {
	node core.Ref
	typ  core.Type
	span syntax.Span // where messages point to
	head syntax.Span // an application: where its function stands
}

// activation is a declaration that is being elaborated: a def in one of its uses,
// or the body.
type activation struct {
	unit   *unit
	global int // -1: the body
	base   int // of its slots
	scope  *scope
	use    syntax.Span // where the def is used, in the program's file
	inUses int         // its place in Elaborator.uses, 0 if it has none
}
