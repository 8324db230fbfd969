package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/gram-machine/gram/engine/wasm"
)

// Types of values, as strings of one byte.
const (
	f64 = "\x7c"
	i64 = "\x7e"
	i32 = "\x7f"
)

// Opcodes of what loops do not use.
const (
	i32Eqz  = 0x45
	i32And  = 0x71
	fromInt = 0xb9
	bitsOf  = 0xbd
	ofBits  = 0xbf
)

// function is one that is translated. Its code has operands of one byte where it names locals and functions: 0 is the
// host's.
type function struct {
	wasm.Encoder
	t               *translator
	name            string
	index           int
	params, results string
	locals          string
	vars            map[types.Object]int
	depth           int  // of blocks
	leave           int  // the depth of the block that return leaves
	left            bool // a return has left it by a jump
}

// open opens a block of the kind; it ends with close.
func (f *function) open(kind byte, typ byte) { f.Op(kind, typ); f.depth++ }
func (f *function) close()                   { f.Op(wasm.End); f.depth-- }

// fail ends the translation.
func (f *function) fail(n ast.Node) {
	panic(unsupported{fmt.Sprintf("the %T at %s", n, f.t.fset.Position(n.Pos()))})
}

// valueTypes are those of a Go type: a slice is the place of its first number and its length.
func (f *function) valueTypes(typ types.Type, at ast.Node) string {
	switch typ := typ.Underlying().(type) {
	case *types.Basic:
		switch {
		case typ.Info()&types.IsFloat != 0:
			return f64
		case typ.Info()&types.IsInteger != 0:
			return i64
		case typ.Info()&types.IsBoolean != 0:
			return i32
		}
	case *types.Pointer:
		return i32
	case *types.Slice:
		return i32 + i32
	case *types.Tuple:
		all := ""
		for v := range typ.Variables() {
			all += f.valueTypes(v.Type(), at)
		}
		return all
	}
	f.fail(at)
	return ""
}

// local makes locals of the types, and returns the first.
func (f *function) local(typ string) int {
	i := len(f.params) + len(f.locals)
	f.locals += typ
	return i
}

// declare makes the locals of a variable.
func (f *function) declare(v types.Object, at ast.Node) {
	f.vars[v] = f.local(f.valueTypes(v.Type(), at))
}

// fields calls do for each name of a list of parameters.
func fields(list *ast.FieldList, do func(name *ast.Ident)) {
	for _, field := range list.List {
		for _, name := range field.Names {
			do(name)
		}
	}
}

// define translates a declared function.
func (f *function) define(typ *ast.FuncType, body *ast.BlockStmt) {
	fields(typ.Params, func(name *ast.Ident) {
		if v := f.t.info.Defs[name]; v != nil {
			f.vars[v] = len(f.params)
		}
		f.params += f64
	})
	for _, r := range typ.Results.List {
		f.results += strings.Repeat(f64, max(1, len(r.Names)))
	}
	f.body(typ, body)
}

// body translates a function's body to a block that leaves its results.
func (f *function) body(typ *ast.FuncType, body *ast.BlockStmt) {
	outer, outerLeft, start := f.leave, f.left, len(f.Encoder)
	f.left = false
	kinds := ""
	for _, r := range typ.Results.List {
		for _, name := range r.Names {
			f.declare(f.t.info.Defs[name], name)
		}
		kinds += strings.Repeat(f.valueTypes(f.t.info.Types[r.Type].Type, r), max(1, len(r.Names)))
	}
	// A block has at most one result: more are left in locals.
	kind, first := byte(wasm.None), -1
	if len(kinds) == 1 {
		kind = kinds[0]
	} else {
		first = f.local(kinds)
	}
	f.open(wasm.Block, kind)
	f.leave = f.depth
	for i, s := range body.List {
		f.statement(s, len(kinds), first, i == len(body.List)-1)
	}
	if _, ok := body.List[len(body.List)-1].(*ast.ReturnStmt); !ok {
		f.Op(0x00) // unreachable
	}
	f.close()
	if !f.left { // the block is not needed
		f.Encoder = append(f.Encoder[:start], f.Encoder[start+2:len(f.Encoder)-1]...)
	}
	if first >= 0 {
		for i := range kinds {
			f.Op(wasm.LocalGet, byte(first+i))
		}
	}
	f.leave, f.left = outer, outerLeft
}

// statement translates a statement. Of a function with several results, these are in the locals from first on. last
// says that it is the last of the body.
func (f *function) statement(s ast.Stmt, results, first int, last bool) {
	list := func(stmts []ast.Stmt) {
		for _, s := range stmts {
			f.statement(s, results, first, false)
		}
	}
	switch s := s.(type) {
	case *ast.ReturnStmt:
		for _, e := range s.Results {
			f.expr(e)
		}
		if first >= 0 {
			for i := results - 1; i >= 0; i-- {
				f.Op(wasm.LocalSet, byte(first+i))
			}
		}
		if !last {
			f.Op(wasm.Br, byte(f.depth-f.leave))
			f.left = true
		}
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && s.Decl.(*ast.GenDecl).Tok == token.VAR {
				if len(v.Values) > 0 {
					f.fail(s)
				}
				for _, name := range v.Names {
					f.declare(f.t.info.Defs[name], name)
				}
			}
		}
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.IncDecStmt:
		v := f.vars[f.t.info.Uses[s.X.(*ast.Ident)]]
		f.Op(wasm.LocalGet, byte(v))
		one := token.ADD
		if s.Tok == token.DEC {
			one = token.SUB
		}
		kind := f.valueTypes(f.t.info.Types[s.X].Type, s)
		if kind == f64 {
			f.F64(1)
		} else {
			f.I64(1)
		}
		f.binary(one, f.t.info.Types[s.X].Type, s)
		f.Op(wasm.LocalSet, byte(v))
	case *ast.IfStmt:
		if s.Init != nil {
			f.statement(s.Init, results, first, false)
		}
		f.expr(s.Cond)
		f.open(wasm.If, wasm.None)
		list(s.Body.List)
		if s.Else != nil {
			f.Op(wasm.Else)
			list([]ast.Stmt{s.Else})
		}
		f.close()
	case *ast.BlockStmt:
		list(s.List)
	case *ast.SwitchStmt:
		f.choose(s, list)
	case *ast.ForStmt:
		if s.Init != nil {
			f.statement(s.Init, results, first, false)
		}
		f.open(wasm.Block, wasm.None)
		f.open(wasm.Loop, wasm.None)
		f.expr(s.Cond)
		f.Op(i32Eqz, wasm.BrIf, 1)
		list(s.Body.List)
		if s.Post != nil {
			f.statement(s.Post, results, first, false)
		}
		f.Op(wasm.Br, 0)
		f.close()
		f.close()
	default:
		f.fail(s)
	}
}

// choose translates a switch without a tag.
func (f *function) choose(s *ast.SwitchStmt, list func([]ast.Stmt)) {
	if s.Tag != nil || s.Init != nil {
		f.fail(s)
	}
	nested := 0
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil { // the default is the last
			list(c.Body)
			continue
		}
		f.expr(c.List[0])
		f.open(wasm.If, wasm.None)
		list(c.Body)
		f.Op(wasm.Else)
		nested++
	}
	for range nested {
		f.close()
	}
}

var assignOps = map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB,
	token.MUL_ASSIGN: token.MUL, token.AND_NOT_ASSIGN: token.AND_NOT}

func (f *function) assign(s *ast.AssignStmt) {
	op, both := assignOps[s.Tok]
	if both {
		f.expr(s.Lhs[0])
	}
	for _, e := range s.Rhs {
		f.expr(e)
	}
	if both {
		f.binary(op, f.t.info.Types[s.Lhs[0]].Type, s)
	}
	for i := len(s.Lhs) - 1; i >= 0; i-- {
		name, ok := s.Lhs[i].(*ast.Ident)
		if !ok {
			f.fail(s)
		}
		v := f.t.info.Defs[name]
		if v == nil {
			v = f.t.info.Uses[name]
		}
		if v == nil { // _
			f.Op(wasm.Drop)
			continue
		}
		if _, ok := f.vars[v]; !ok {
			f.declare(v, name)
		}
		for k := len(f.valueTypes(v.Type(), name)) - 1; k >= 0; k-- {
			f.Op(wasm.LocalSet, byte(f.vars[v]+k))
		}
	}
}

// expr leaves the value of an expression on the stack.
func (f *function) expr(e ast.Expr) {
	info := f.t.info.Types[e]
	if info.Value != nil {
		switch f.valueTypes(info.Type, e) {
		case f64:
			f.F64(float(info.Value))
		case i64:
			v := constant.ToInt(info.Value)
			if n, ok := constant.Int64Val(v); ok {
				f.I64(n)
			} else {
				n, _ := constant.Uint64Val(v)
				f.I64(int64(n))
			}
		default:
			f.fail(e)
		}
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.expr(e.X)
	case *ast.Ident:
		f.ident(e)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.SUB:
			f.expr(e.X)
			f.Op(wasm.F64Neg)
		case token.NOT:
			f.expr(e.X)
			f.Op(i32Eqz)
		case token.AND:
			f.entry(e.X.(*ast.IndexExpr))
		default:
			f.fail(e)
		}
	case *ast.BinaryExpr:
		f.expr(e.X)
		operand := f.t.info.Types[e.X].Type
		if n, ok := f.powerOfTwo(e.Y); ok && e.Op == token.REM &&
			operand.Underlying().(*types.Basic).Info()&types.IsUnsigned != 0 {
			f.I64(n - 1) // a division takes as long as ten other instructions
			f.binary(token.AND, operand, e)
			return
		}
		f.expr(e.Y)
		f.binary(e.Op, operand, e)
	case *ast.SelectorExpr: // a field of an entry
		f.expr(e.X)
		selected := f.t.info.Types[e.X].Type.Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		for i := range selected.NumFields() {
			if v := selected.Field(i); v.Name() == e.Sel.Name {
				load := byte(wasm.F64Load)
				if f.valueTypes(v.Type(), e) == i64 {
					load = wasm.I64Load
				}
				f.Op(load, 3, byte(8*i))
			}
		}
	case *ast.IndexExpr: // of a slice
		f.expr(e.X)
		f.Op(wasm.Drop)
		f.expr(e.Index)
		f.Op(wasm.Wrap)
		f.I32(8)
		f.Op(wasm.I32Mul, wasm.I32Add, wasm.F64Load, 3, 0)
	case *ast.CallExpr:
		f.call(e)
	default:
		f.fail(e)
	}
}

// powerOfTwo returns the value of an expression that is a power of two, known to the compiler.
func (f *function) powerOfTwo(e ast.Expr) (n int64, ok bool) {
	v := f.t.info.Types[e].Value
	if v == nil || v.Kind() != constant.Int {
		return 0, false
	}
	n, ok = constant.Int64Val(v)
	return n, ok && n > 0 && n&(n-1) == 0
}

// ident leaves the value of a variable.
func (f *function) ident(e *ast.Ident) {
	v := f.t.info.Uses[e]
	if at, ok := f.vars[v]; ok {
		for k := range len(f.valueTypes(v.Type(), e)) {
			f.Op(wasm.LocalGet, byte(at+k))
		}
		return
	}
	if _, ok := v.Type().Underlying().(*types.Slice); ok {
		s := f.t.slice(v)
		f.I32(int32(s.at))
		f.I32(int32(s.len))
		return
	}
	f.F64(value(v.Name()))
}

// entry leaves the address of an entry of a table, after it has touched its last word: the checks of bounds for the
// others are left out then.
func (f *function) entry(e *ast.IndexExpr) {
	table, ok := tables[e.X.(*ast.Ident).Name]
	if !ok {
		f.fail(e)
	}
	f.expr(e.Index)
	f.Op(wasm.Wrap)
	if shift := bits.TrailingZeros(uint(table.entry)); table.entry == 1<<shift {
		f.I32(int32(shift)) // a shift takes a cycle, a product three
		f.Op(wasm.I32ShiftL)
	} else {
		f.I32(int32(table.entry))
		f.Op(wasm.I32Mul)
	}
	if table.at != 0 {
		f.I32(int32(table.at))
		f.Op(wasm.I32Add)
	}
	at := byte(f.local(i32))
	f.Op(wasm.LocalSet, at, wasm.LocalGet, at, wasm.F64Load, 3, byte(table.entry-8), wasm.Drop, wasm.LocalGet, at)
}

// binaryOps are the opcodes for float64, int and uint64.
var binaryOps = map[token.Token][3]byte{
	token.ADD: {0xa0, 0x7c, 0x7c}, token.SUB: {0xa1, 0x7d, 0x7d}, token.MUL: {0xa2, 0x7e, 0x7e},
	token.QUO: {0xa3, 0x7f, 0x80},
	token.REM: {0, 0x81, 0x82}, token.AND: {0, 0x83, 0x83}, token.OR: {0, 0x84, 0x84}, token.XOR: {0, 0x85, 0x85},
	token.SHL: {0, 0x86, 0x86}, token.SHR: {0, 0x87, 0x88}, token.EQL: {0x61, 0x51, 0x51}, token.NEQ: {0x62, 0x52, 0x52},
	token.LSS: {0x63, 0x53, 0x54}, token.GTR: {0x64, 0x55, 0x56}, token.LEQ: {0x65, 0x57, 0x58},
	token.GEQ: {0x66, 0x59, 0x5a},
}

// binary applies an operator to the operands on the stack. Both operands of && and || have been evaluated: expressions
// have no effects.
func (f *function) binary(op token.Token, operand types.Type, at ast.Node) {
	switch op {
	case token.LAND:
		f.Op(i32And)
		return
	case token.LOR:
		f.Op(wasm.I32Or)
		return
	case token.AND_NOT:
		f.I64(-1)
		f.Op(wasm.I64Xor, wasm.I64And)
		return
	}
	basic := operand.Underlying().(*types.Basic)
	kind := 1
	switch {
	case basic.Info()&types.IsFloat != 0:
		kind = 0
	case basic.Info()&types.IsUnsigned != 0:
		kind = 2
	}
	code := binaryOps[op][kind]
	if code == 0 {
		f.fail(at)
	}
	f.Op(code)
}

// call translates a conversion or a call.
func (f *function) call(e *ast.CallExpr) {
	if to := f.t.info.Types[e.Fun]; to.IsType() {
		f.expr(e.Args[0])
		from := f.t.info.Types[e.Args[0]].Type.Underlying().(*types.Basic)
		if f.valueTypes(to.Type, e) == f64 && from.Info()&types.IsInteger != 0 {
			if from.Info()&types.IsUnsigned != 0 {
				f.fail(e)
			}
			f.Op(fromInt)
		} else if f.valueTypes(to.Type, e) == i64 && from.Info()&types.IsInteger == 0 {
			f.fail(e)
		}
		return
	}
	if name, ok := e.Fun.(*ast.Ident); ok && name.Name == "len" {
		f.expr(e.Args[0]) // the place and the length
		length := byte(f.local(i32))
		f.Op(wasm.LocalSet, length, wasm.Drop, wasm.LocalGet, length, wasm.Extend)
		return
	}
	fn := f.t.object(e.Fun)
	if fn == nil {
		f.fail(e)
	}
	if fn.Pkg().Path() == "math" {
		if fn.Name() == "IsInf" || fn.Name() == "Inf" {
			f.infinite(fn.Name(), e)
			return
		}
		for _, a := range e.Args {
			f.expr(a)
		}
		f.math(fn.Name())
		return
	}
	for _, a := range e.Args {
		f.expr(a)
	}
	d := f.t.decls[fn]
	if fn.Exported() || d.Doc != nil && slices.ContainsFunc(d.Doc.List,
		func(c *ast.Comment) bool { return c.Text == "//go:noinline" }) {
		f.Op(wasm.CallOp, byte(f.t.function(fn).index+1))
		return
	}
	f.inline(d)
}

// inline translates the body of a function whose arguments are on the stack.
func (f *function) inline(d *ast.FuncDecl) {
	var params []types.Object
	fields(d.Type.Params, func(name *ast.Ident) { params = append(params, f.t.info.Defs[name]) })
	for _, v := range params {
		f.declare(v, d)
	}
	for i := len(params) - 1; i >= 0; i-- {
		for k := len(f.valueTypes(params[i].Type(), d)) - 1; k >= 0; k-- {
			f.Op(wasm.LocalSet, byte(f.vars[params[i]]+k))
		}
	}
	f.body(d.Type, d.Body)
}

// instructions are the functions of package math that are instructions.
var instructions = map[string][]byte{
	"Abs": {0x99}, "Floor": {0x9c}, "RoundToEven": {0x9e}, "Sqrt": {0x9f}, "Copysign": {0xa6},
	"Float64bits": {bitsOf}, "Float64frombits": {ofBits},
}

// math applies a function of package math to the operands on the stack.
func (f *function) math(name string) {
	if code, ok := instructions[name]; ok {
		f.Op(code...)
		return
	}
	if i := slices.IndexFunc(wasm.Hosted, func(h wasm.HostFunction) bool { return h.Name == name }); i >= 0 {
		f.host(i, wasm.Hosted[i].Operands)
		return
	}
	switch name {
	case "IsNaN":
		x := byte(f.local(f64))
		f.Op(wasm.LocalSet, x, wasm.LocalGet, x, wasm.LocalGet, x, wasm.F64Ne)
	case "NaN":
		f.F64(math.NaN())
	case "Max":
		f.extreme(0xa5, math.Inf(1))
	case "Min":
		f.extreme(0xa4, math.Inf(-1))
	case "Sincos":
		x := byte(f.local(f64))
		f.Op(wasm.LocalSet, x, wasm.LocalGet, x)
		f.math("sin")
		f.Op(wasm.LocalGet, x)
		f.math("cos")
	default:
		panic(unsupported{"math." + name})
	}
}

// host calls the host's function.
func (f *function) host(number, operands int) {
	for range 3 - operands {
		f.F64(0)
	}
	f.I32(int32(number))
	f.Op(wasm.CallOp, 0)
}

// extreme is math.Max or math.Min, for which an infinity prevails over NaN.
func (f *function) extreme(code byte, infinity float64) {
	x, y := byte(f.local(f64)), byte(f.local(f64))
	f.Op(wasm.LocalSet, y, wasm.LocalSet, x, wasm.LocalGet, x)
	f.F64(infinity)
	f.Op(0x61, wasm.LocalGet, y) // f64.eq
	f.F64(infinity)
	f.Op(0x61, wasm.I32Or, wasm.If, f64[0])
	f.F64(infinity)
	f.Op(wasm.Else, wasm.LocalGet, x, wasm.LocalGet, y, code, wasm.End)
}

// infinite is math.IsInf or math.Inf, whose sign is a constant.
func (f *function) infinite(name string, e *ast.CallExpr) {
	arg := e.Args[len(e.Args)-1]
	sign, ok := constant.Int64Val(f.t.info.Types[arg].Value)
	if !ok {
		f.fail(e)
	}
	if name == "Inf" {
		f.F64(math.Inf(int(sign)))
		return
	}
	f.expr(e.Args[0])
	if sign == 0 {
		f.Op(0x99) // f64.abs
		sign = 1
	}
	f.F64(math.Inf(int(sign)))
	f.Op(0x61)
}
