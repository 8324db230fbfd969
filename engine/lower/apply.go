package lower

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// application makes the code of f a1 … an.
func (c *compiler) application(r term.Ref, tail bool) *value {
	var spine []term.Ref
	head := r
	for c.t.Nodes[head].Op == term.AppOp {
		spine = append(spine, c.t.Nodes[head].B)
		head = c.t.Nodes[head].A
	}
	f := c.term(head)
	args := make([]*value, len(spine))
	for i := range spine {
		args[i] = c.term(spine[len(spine)-1-i])
	}
	return c.apply(f, args, tail)
}

// apply makes the code of the application of f to arguments, and counts their passing.
func (c *compiler) apply(f *value, args []*value, tail bool) *value {
	for len(args) > 0 && c.err == nil {
		k := 1 // of the arguments
		switch f.kind {
		case lambda:
			n, body := c.arity(f.node), c.body(f.node)
			k = min(n, len(args))
			if f.shared && (c.nested >= maxNested || c.large(f)) {
				if k < n {
					return c.unknown(f, args, tail)
				}
				c.passed(k, true, body)
				f = c.call(c.code(f), c.closure(f), args[:k], f.typ, tail && len(args) == k)
				break
			}
			c.passed(k, k == n, body)
			call := c.within
			if k == n {
				call = c.called(body)
			}
			c.restore(f.node, f.free, func() {
				r := f.node
				for _, a := range args[:k] {
					c.bind(c.t.Nodes[r].X, a)
					r = c.t.Nodes[r].A
				}
				nested := c.nested
				if f.shared {
					c.nested++
				}
				f = c.in(call, func() *value { return c.value(r, tail && len(args) == k) })
				c.nested = nested
			})
		case member:
			if k = len(f.fn.out.Args); len(args) < k {
				return c.unknown(f, args, tail)
			}
			c.passed(k, true, f.fn.out.Body)
			f = c.call(f.fn, c.use(f.at), args[:k], f.typ, tail && len(args) == k)
		case list:
			if len(args) == 1 {
				c.passed(1, false, 0)
				f = &value{kind: folder, typ: c.t.Types.Right(f.typ), parts: []*value{f, args[0]}}
				break
			}
			k = 2
			c.passed(2, false, 0)
			if n := c.links(args[0], c.t.Nodes[f.node].Op != term.NatOp); n > 0 && n <= len(args)-2 {
				k += n
			}
			f = c.fold(f, args[0], args[1], args[2:k])
		case folder:
			c.passed(1, false, 0)
			f = c.fold(f.parts[0], f.parts[1], args[0], nil)
		default:
			return c.unknown(f, args, tail)
		}
		if f == nil {
			return nil
		}
		args = args[k:]
	}
	return f
}

// large reports whether the code of a λ is better called than copied.
func (c *compiler) large(f *value) bool {
	size := max(c.sizes[f.node], f.nodes)
	return size > smallLambda && (f.copies == 0 || uint64(size)*uint64(f.copies) > mostCopies)
}

// arity is how many arguments the code of a λ takes: λx.λy.t takes both at once.
func (c *compiler) arity(r term.Ref) (n int) {
	for c.t.Nodes[r].Op == term.LamOp {
		n++
		r = c.t.Nodes[r].A
	}
	return n
}

// resultOf is the type of a function of type t applied to n arguments.
func (c *compiler) resultOf(t term.Type, n int) term.Type {
	for range n {
		t = c.t.Types.Right(t)
	}
	return t
}

// call makes a call of a function of type t whose code is known.
func (c *compiler) call(fn *function, closure ir.Reg, args []*value, t term.Type, tail bool) *value {
	in := ir.Instr{Op: ir.Call, N: uint32(fn.index), A: closure, Args: c.flatten(args...)}
	return c.invoke(in, c.resultOf(t, len(args)), tail)
}

// unknown makes the application of a closure. Whose steps the passing of arguments is the interpreter finds.
func (c *compiler) unknown(f *value, args []*value, tail bool) *value {
	b := &c.out.Blocks[c.f.block]
	b.Steps[rule.Lambda] += uint64(len(args))
	b.Steps[rule.GC] += uint64(len(args))
	in := ir.Instr{Op: ir.Apply, A: c.register(f)}
	widths := make([]int, len(args))
	for i, a := range args {
		regs := c.flatten(a)
		widths[i] = len(regs)
		in.Args = append(in.Args, regs...)
	}
	in.K = c.widthsOf(widths)
	return c.invoke(in, c.resultOf(f.typ, len(args)), tail)
}

// widthsOf is the number of the widths in the program.
func (c *compiler) widthsOf(widths []int) uint32 {
	i := slices.IndexFunc(c.out.Widths, func(w []int) bool { return slices.Equal(w, widths) })
	if i < 0 {
		i = len(c.out.Widths)
		c.out.Widths = append(c.out.Widths, widths)
	}
	return uint32(i)
}

// invoke adds a call whose result has type t: in tail position a jump, whose result the function has.
func (c *compiler) invoke(in ir.Instr, t term.Type, tail bool) *value {
	k := c.layout.Registers(t)
	in.M = uint32(k)
	if tail {
		c.f.out.Results = k
		if in.Op == ir.Call {
			in.Op = ir.TailCall
		} else {
			in.Op = ir.TailApply
		}
		c.emit(in)
		return nil
	}
	v := c.fresh(t)
	in.D = ir.Reg(c.f.out.Regs - k)
	c.emit(in)
	c.newBlock() // a block has no call in it, so what it appends to the tape is known
	return v
}

// mentioned are the free variables and indices of a node, and those that are bound in it.
type mentioned struct {
	vars, bound  []term.Var
	indices, own []term.Index
}

// capture is what the free variables and the indices of a node are bound to.
func (c *compiler) capture(r term.Ref) scope {
	m := c.free[r]
	if m == nil {
		m = c.mentions(r)
		c.free[r] = m
	}
	return c.bindings(m.vars, m.indices)
}

// bindings are what variables and indices are bound to now.
func (c *compiler) bindings(vars []term.Var, indices []term.Index) scope {
	s := scope{vars: vars, indices: indices, values: make([]*value, len(vars)), at: make([]index, len(indices))}
	for i, x := range vars {
		s.values[i] = c.vars[x]
	}
	for i, x := range indices {
		s.at[i] = c.indices[x]
	}
	return s
}

// rebind binds the variables and indices of a scope.
func (c *compiler) rebind(s scope) {
	for i, x := range s.vars {
		c.vars[x] = s.values[i]
	}
	for i, x := range s.indices {
		c.indices[x] = s.at[i]
	}
}

// mentions finds the free variables and indices of a node, without inputs.
func (c *compiler) mentions(r term.Ref) *mentioned {
	vars, bound := map[term.Var]bool{}, map[term.Var]bool{}
	indices, own := map[term.Index]bool{}, map[term.Index]bool{}
	static := func(e term.Static) {
		for _, i := range c.t.IndicesOf(e) {
			indices[i] = true
		}
	}
	for stack := []term.Ref{r}; len(stack) > 0; {
		n := &c.t.Nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		switch {
		case n.Op == term.VarOp:
			vars[n.X] = true
		case n.Op == term.ComponentOp:
			static(n.Static())
			for x := n.X; x < n.X+term.Var(n.N); x++ {
				vars[x] = true
			}
		case n.Op == term.IndexNumOp:
			static(n.Static())
		case n.Comprehends():
			static(n.Static())
			own[n.Index()] = true
		}
		c.t.Binders(n, func(x term.Var) { bound[x] = true })
		c.t.Kids(n, func(k term.Ref) { stack = append(stack, k) })
	}
	maps.DeleteFunc(vars, func(x term.Var, _ bool) bool { return bound[x] || c.inputs[x] != 0 })
	maps.DeleteFunc(indices, func(i term.Index, _ bool) bool { return own[i] })
	return &mentioned{slices.Sorted(maps.Keys(vars)), slices.Sorted(maps.Keys(bound)),
		slices.Sorted(maps.Keys(indices)), slices.Sorted(maps.Keys(own))}
}

// restore runs f, which makes the code of node r, where variables and indices are bound as they were, and binds them
// as now behind it, and those that r binds: code of r, or of a λ in it, may be in the making further out.
func (c *compiler) restore(r term.Ref, s scope, f func()) {
	m := c.free[r]
	now, own := c.bindings(s.vars, s.indices), c.bindings(m.bound, m.own)
	c.rebind(s)
	f()
	c.rebind(now)
	c.rebind(own)
}

// closure makes the closure of a function or a list.
func (c *compiler) closure(v *value) ir.Reg { return c.makeClosure(c.code(v)) }

// makeClosure makes the closure of a function whose code is done.
func (c *compiler) makeClosure(fn *function) ir.Reg {
	in := ir.Instr{Op: ir.MakeClosure, N: uint32(fn.index)}
	for i := 0; i < len(fn.caps.from); i++ {
		in.Args = append(in.Args, c.use(fn.caps.from[i]))
	}
	return c.set(in)
}

// code is the function that a λ, a list or a list applied to a function is.
func (c *compiler) code(v *value) *function {
	if v.fn != nil {
		return v.fn
	}
	name, body := "", uint32(0)
	if v.kind == lambda {
		name, body = "λ"+c.t.Info(c.t.Nodes[v.node].X).Name, c.body(v.node)
	}
	fn := c.newFunction(name, c.pos, body, nil)
	fn.out.AtCall = v.kind != lambda
	v.fn = fn
	switch v.kind {
	case lambda:
		params := c.lambdaParams(fn, v.node)
		c.restore(v.node, v.free, func() {
			c.inside(fn, func() { c.lambdaBody(fn, v.node, params) })
		})
	case list, folder:
		c.inside(fn, func() {
			parts, t := v.parts, v.typ
			if v.kind == list {
				parts, t = []*value{v, c.parameter(c.t.Types.Left(t))}, c.t.Types.Right(t)
			}
			z := c.parameter(c.t.Types.Left(t))
			c.result(c.fold(parts[0], parts[1], z, nil))
		})
	default:
		panic("lower: a closure of what is no function")
	}
	return fn
}

// lambdaBody makes the code of λx.λy.t in a function of both.
func (c *compiler) lambdaBody(fn *function, r term.Ref, params []term.Var) {
	first := ir.Reg(0)
	for i, x := range params {
		n := fn.out.Args[i]
		c.bind(x, c.fromRegs(regsFrom(first, n), c.t.TypeOf(x)))
		first, r = first+ir.Reg(n), c.t.Nodes[r].A
	}
	c.tail(r)
}

// lambdaParams gives a function the parameters of a λ.
func (c *compiler) lambdaParams(fn *function, r term.Ref) (params []term.Var) {
	for ; c.t.Nodes[r].Op == term.LamOp; r = c.t.Nodes[r].A {
		x := c.t.Nodes[r].X
		k := c.layout.Registers(c.t.TypeOf(x))
		fn.out.Args = append(fn.out.Args, k)
		fn.out.Regs += k
		params = append(params, x)
	}
	return params
}

// regsFrom are n registers from one on.
func regsFrom(first ir.Reg, n int) []ir.Reg {
	regs := make([]ir.Reg, n)
	for k := range regs {
		regs[k] = first + ir.Reg(k)
	}
	return regs
}

// parameter adds a parameter to the function in the making, which has no other registers yet.
func (c *compiler) parameter(t term.Type) *value {
	c.f.out.Args = append(c.f.out.Args, c.layout.Registers(t))
	return c.fresh(t)
}

// fix makes a member of fix ⟨f1,…⟩.⟨λ1,…⟩: the functions that are defined together share what they capture.
func (c *compiler) fix(r term.Ref, n *term.Node) *value {
	lams, names := c.t.Children(n), c.t.BoundVars(n)
	caps := &captures{index: map[operand]int{}}
	fns := make([]*function, len(lams))
	for i, l := range lams {
		fns[i] = c.newFunction(c.t.Info(names[i]).Name, c.t.Nodes[l].Pos, c.body(l), caps)
		fns[i].out.Unfold = true
	}
	params := make([][]term.Var, len(lams))
	for i, l := range lams {
		params[i] = c.lambdaParams(fns[i], l)
		fns[i].out.Results = c.layout.Registers(c.resultOf(c.types[l], len(params[i])))
	}
	free := c.capture(r)
	for i, l := range lams {
		c.restore(r, free, func() {
			c.inside(fns[i], func() {
				c.pos = c.t.Nodes[l].Pos
				c.unfolded(names)
				c.newBlock()
				for k, x := range names {
					if c.uses[x] > 0 {
						at := c.set(ir.Instr{Op: ir.Member, N: uint32(fns[k].index)})
						c.vars[x] = &value{kind: member, typ: c.t.TypeOf(term.Var(x)), at: c.here(at), fn: fns[k]}
					}
				}
				c.lambdaBody(fns[i], l, params[i])
			})
		})
	}
	at := c.makeClosure(fns[0])
	if n.Count > 0 { // the closures of the functions are one object
		at = c.set(ir.Instr{Op: ir.Sibling, A: at, N: uint32(fns[n.Count].index)})
	}
	return &value{kind: member, typ: c.types[r], at: c.here(at), fn: fns[n.Count]}
}
