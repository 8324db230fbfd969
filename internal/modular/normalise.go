package modular

import (
	"container/heap"
	"fmt"
	"slices"
	"sort"

	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Options says how far to reduce.
type Options struct {
	// Unfold applies lists, numerals and data, and recursive functions outside of λs. Without it these stay as they
	// are.
	Unfold bool
	Limits limits.Bounds // steps, nodes and Look
	// Step, if not nil, is told the steps: how many, by which rule, at which place of the code of which λ.
	Step func(by rule.Rule, n uint64, in, at term.Pos)
}

// Normal returns the normal form of t, under λ too, in an arena of its own, and the steps to it, also if there is an
// error. inputs, numbers of type R or D(R), are the free variables of both. Conditions that depend on inputs alone are
// decided at the point. t has no families. The elements of lists are in normal form, and lists are copied after that.
// The error is a [*limits.ReachedError].
func Normal(t *term.Term, inputs []term.Var, point []float64, opt Options) (*term.Term, rule.Counts, error) {
	m := &machine{t: t, opt: opt, inputs: inputs, root: &scope{}}
	m.scope = m.root
	n, err := m.normal(point)
	return n, m.counts, err
}

type machine struct {
	t      *term.Term
	opt    Options
	types  []term.Type // of the nodes
	inputs []term.Var
	root   *scope
	scope  *scope // in which values are made
	tasks  []task
	vals   []*value
	counts rule.Counts
	total  uint64
	units  int
	nodes  uint64
	in, at term.Pos // the code that runs
	duals  []*value // that have been made
	linear []*value // that linear variables are names of
	job    *job
	err    error
}

// todo is what a task does.
type todo uint8

const (
	evaluate todo = iota // the node r
	finish               // the node r, whose parts are the last values
	apply                // the last value but one to the last
	give                 // v to the last value, a function
	iterate              // v, an iteration, with n elements left; the last value is what has come of the others
)

type task struct {
	do  todo
	r   term.Ref
	env *frame
	v   *value
	n   uint64
}

func (m *machine) normal(point []float64) (_ *term.Term, err error) {
	if m.types, err = m.t.Typing(m.opt.Limits.Look); err != nil {
		return nil, err
	}
	env := (*frame)(nil).inside(0)
	for i, x := range m.inputs {
		v := m.fresh(variable, m.t.TypeOf(x))
		v.x, v.visited, v.named = x, true, true
		in := m.reflect(v)
		num := in
		if in.kind == pair { // D(R)
			num = in.args[0]
		}
		num.num, num.known = point[i], true
		env.vars[x] = binding{in, true}
	}
	m.root.root = m.run(m.t.Root, env)
	m.explore()
	if m.err != nil {
		return nil, m.err
	}
	for _, d := range m.duals {
		if !d.visited {
			m.step(rule.GC, 1)
		}
	}
	for _, v := range m.linear {
		if !v.visited { // (5')
			m.step(rule.Lin, 1)
		}
	}
	if m.err != nil {
		return nil, m.err
	}
	return m.read()
}

// step counts steps.
func (m *machine) step(by rule.Rule, n uint64) {
	if n == 0 {
		return
	}
	m.counts[by] += n
	m.total += n
	if m.opt.Step != nil {
		m.opt.Step(by, n, m.in, m.at)
	}
	if most := m.opt.Limits.MaxSteps; most > 0 && m.total > most {
		m.stop("steps", most, nil)
	}
}

func (m *machine) stop(limit string, most uint64, err error) {
	if m.err == nil {
		m.err = &limits.ReachedError{Limit: limit, Max: most, Steps: m.total, Nodes: m.nodes, Pos: m.at, Err: err}
	}
}

// lookEvery is how many units of work there are between two looks.
const lookEvery = 1 << 16

// unit is called for each unit of work. It reports whether the work goes on: there is no error.
func (m *machine) unit() bool {
	if m.units++; m.units%lookEvery == 0 && m.opt.Limits.Look != nil && m.err == nil {
		if err := m.opt.Limits.Look(); err != nil {
			m.stop("", 0, err)
		}
	}
	return m.err == nil
}

// fresh makes a value.
func (m *machine) fresh(k kind, typ term.Type) *value {
	if m.nodes++; m.opt.Limits.MaxNodes > 0 && m.nodes > m.opt.Limits.MaxNodes {
		m.stop("nodes", m.opt.Limits.MaxNodes, nil)
	}
	return &value{kind: k, typ: typ, seq: int(m.nodes), scope: m.scope, pos: m.at}
}

// reflect returns the tuple of components that v, which has no value, stands for, or v if it is of another type.
func (m *machine) reflect(v *value) *value {
	types := m.t.Types.Components(v.typ)
	if len(types) == 0 {
		return v
	}
	t := m.fresh(pair, v.typ)
	t.of, t.named, t.open = v, true, true
	for i, typ := range types {
		c := m.fresh(component, typ)
		c.args, c.index, c.named = []*value{v}, i, true
		v.parts = append(v.parts, c)
		t.args = append(t.args, m.reflect(c))
	}
	return t
}

// neutral makes what has no value of a node.
func (m *machine) neutral(k kind, typ term.Type, r term.Ref, env *frame, args ...*value) *value {
	v := m.fresh(k, typ)
	v.node, v.env, v.args = r, env, args
	for _, a := range args {
		v.linear = v.linear || a.linear
	}
	m.scope.made = append(m.scope.made, v)
	return m.reflect(v)
}

// operate computes an operation, + where sym is [term.NoSymbol]: (6), (8) or (12) on numbers.
func (m *machine) operate(sym term.Symbol, args []*value) *value {
	known, fires := true, true
	x := make([]float64, len(args))
	for i, a := range args {
		x[i] = a.num
		known = known && (a.kind == number || a.known)
		fires = fires && a.kind == number
	}
	if !fires {
		v := m.neutral(operation, term.R, 0, nil, args...)
		if v.sym, v.known = sym, known; known {
			v.num = sym.Eval(x...)
		}
		return v
	}
	by := rule.Function
	switch sym {
	case term.NoSymbol:
		by = rule.Plus
	case term.Mul:
		by = rule.Times
	}
	m.step(by, 1)
	return m.number(sym.Eval(x...))
}

func (m *machine) number(x float64) *value {
	v := m.fresh(number, term.R)
	v.num = x
	return v
}

// bind binds a variable to v. An operation, or a dual, that has no name gets this one. (10) names the components of
// a pair. (4) will drop any other.
func (m *machine) bind(v *value) binding {
	switch b := v.bare(); {
	case b.kind == null:
		d := m.fresh(dual, b.typ)
		d.named, d.pos = true, b.pos
		m.duals = append(m.duals, d)
		return binding{d, true}
	case !b.named && (b.inert() || b.kind == dual):
		b.named = true
		return binding{v, true}
	case b.kind == pair && b.open && !b.named:
		m.nameComponents(b)
	}
	m.step(rule.GC, 1)
	return binding{v, false}
}

// nameComponents is (10), and the (2) that opens the pair that it leaves. A component that is a value is put back by
// (3).
func (m *machine) nameComponents(v *value) {
	v.named = true
	m.step(rule.EtaPair, uint64(len(v.args)-1))
	m.step(rule.Pair, uint64(len(v.args)-1))
	for i, a := range v.args {
		v.args[i] = m.occurrence(m.bind(a))
	}
}

// occurrence is (3), unless the variable is a name.
func (m *machine) occurrence(b binding) *value {
	switch {
	case b.name:
	case b.v.bare().kind == number:
		m.step(rule.SubstNumeral, 1)
	default:
		m.step(rule.Subst, 1)
	}
	return b.v
}

// bindAt binds the variables of a let to v, or those of an opening to its components: (2).
func (m *machine) bindAt(n *term.Node, v *value, env *frame) {
	switch {
	case n.Op != term.LetOp:
		xs := m.t.BoundVars(n)
		m.step(rule.Pair, uint64(len(xs)-1))
		m.bindTuple(xs, v, n.Op != term.UnvecOp, env)
	case m.t.Linear(n.X):
		env.vars[n.X] = m.bindLinear(v)
	default:
		if v.kind == dual && m.t.Nodes[n.B].Op == term.LamOp { // this is its name
			v.named = false
		}
		env.vars[n.X] = m.bind(v)
	}
}

// bindTuple binds variables to the components of a vector, or of pairs nested to the right.
func (m *machine) bindTuple(xs []term.Var, v *value, nested bool, env *frame) {
	for i, x := range xs {
		u := v
		switch {
		case !nested:
			u = v.args[i]
		case i < len(xs)-1:
			u, v = v.args[0], v.args[1]
		}
		env.vars[x] = m.bind(u)
	}
}

// run reduces a node to its value, nil if there is an error.
func (m *machine) run(r term.Ref, env *frame) *value {
	return m.runFrom(func() { m.todo(evaluate, r, env) })
}

// runFrom does what start has added to the tasks, and returns the value that is left, nil if there is an error.
func (m *machine) runFrom(start func()) *value {
	base := len(m.tasks)
	start()
	for len(m.tasks) > base {
		if !m.unit() {
			return nil
		}
		t := m.tasks[len(m.tasks)-1]
		m.tasks = m.tasks[:len(m.tasks)-1]
		if t.r != 0 {
			if pos := m.t.Nodes[t.r].Pos; pos != 0 {
				m.at = pos
			}
			m.in = t.env.pos
		}
		switch t.do {
		case evaluate:
			m.evaluate(t.r, t.env)
		case finish:
			m.finish(t.r, t.env)
		case apply:
			u := m.pop()
			m.apply(m.pop(), u, t.r, t.env)
		case give:
			m.apply(m.pop(), t.v, t.r, t.env)
		case iterate:
			m.iterate(t)
		}
	}
	return m.pop()
}

func (m *machine) todo(do todo, r term.Ref, env *frame) {
	m.tasks = append(m.tasks, task{do: do, r: r, env: env})
}

func (m *machine) push(v *value) { m.vals = append(m.vals, v) }

func (m *machine) pop() *value {
	v := m.vals[len(m.vals)-1]
	m.vals = m.vals[:len(m.vals)-1]
	return v
}

// popAll takes the last n values.
func (m *machine) popAll(n int) []*value {
	out := slices.Clone(m.vals[len(m.vals)-n:])
	m.vals = m.vals[:len(m.vals)-n]
	return out
}

// evaluate begins with a node: its parts first, from left to right.
func (m *machine) evaluate(r term.Ref, env *frame) {
	n := &m.t.Nodes[r]
	value := func(k kind) *value {
		v := m.fresh(k, m.types[r])
		v.node, v.env = r, env
		m.push(v)
		return v
	}
	switch n.Op {
	case term.VarOp:
		m.push(m.occurrence(env.at(n.X)))
	case term.NumOp:
		m.push(m.number(n.Val))
	case term.LamOp:
		switch {
		case !m.t.Linear(n.X):
			value(closure)
		case m.t.Nodes[n.A].Op == term.ZeroOp:
			value(null)
		default:
			d := value(dual)
			d.named = true
			m.duals = append(m.duals, d)
		}
	case term.FixOp:
		value(fix).index = int(n.Count)
	case term.NatOp:
		value(literal)
	case term.DataOp:
		if d := &m.t.Data[n.A]; !d.List {
			x := d.Values
			m.push(m.datum(n.Elem, &x))
			return
		}
		value(literal)
	case term.LetOp, term.UnvecOp, term.UntupleOp:
		m.todo(finish, r, env)
		m.todo(evaluate, n.B, env)
	case term.IfOp, term.CaseOp:
		m.todo(finish, r, env)
		for _, k := range slices.Backward(m.t.Children(n)[:scrutinees(n)]) {
			m.todo(evaluate, k, env)
		}
	case term.AppOp:
		m.todo(apply, r, env)
		m.todo(evaluate, n.B, env)
		m.todo(evaluate, n.A, env)
	default:
		m.todo(finish, r, env)
		first := len(m.tasks)
		m.t.Kids(n, func(k term.Ref) { m.todo(evaluate, k, env) })
		slices.Reverse(m.tasks[first:])
	}
}

// scrutinees is how many parts of a conditional or a match are no branches.
func scrutinees(n *term.Node) int {
	if n.Op == term.IfOp {
		return 2
	}
	return 1
}

// finish makes the value of a node, whose parts have been evaluated, or goes on with its body.
func (m *machine) finish(r term.Ref, env *frame) {
	n := &m.t.Nodes[r]
	switch n.Op {
	case term.LetOp, term.UnvecOp, term.UntupleOp:
		m.bindAt(n, m.pop(), env)
		m.todo(evaluate, n.A, env)
	case term.FunOp:
		m.push(m.operate(n.Sym, m.popAll(int(n.N))))
	case term.AddOp:
		m.push(m.operate(term.NoSymbol, m.popAll(2)))
	case term.PairOp:
		m.tuple(r, m.popAll(2))
	case term.VecOp:
		m.tuple(r, m.popAll(int(n.N)))
	case term.ListOp:
		v := m.fresh(literal, m.types[r])
		v.node, v.args = r, m.popAll(int(n.N))
		m.push(v)
	case term.ConOp:
		v := m.fresh(construct, n.Res)
		v.node = r
		if n.A != 0 { // C t is (C y)[y:=t]
			v.args = []*value{m.occurrence(m.bind(m.pop()))}
		}
		m.push(v)
	case term.IfOp:
		m.decide(n, r, env)
	case term.CaseOp:
		v := m.pop()
		if v.kind != construct {
			m.push(m.neutral(match, m.types[r], r, env, v))
			return
		}
		m.step(rule.Case, 1)
		branch := m.t.Children(n)[1+m.t.Nodes[v.node].Count]
		b := &m.t.Nodes[branch]
		if xs := m.t.BoundVars(b); len(xs) > 0 {
			m.step(rule.Pair, uint64(len(xs)-1))
			m.bindTuple(xs, v.args[0], true, env)
		}
		m.todo(evaluate, b.A, env)
	default:
		m.unsupported(n)
		m.push(m.number(0))
	}
}

func (m *machine) unsupported(n *term.Node) {
	m.stop("", 0, fmt.Errorf("no normal form of constructor %d", n.Op))
}

// tuple makes a pair or a vector.
func (m *machine) tuple(r term.Ref, args []*value) {
	v := m.fresh(pair, m.types[r])
	v.node, v.args = r, args
	for _, a := range args {
		a = a.bare()
		v.open = v.open || a.inert() && m.t.Types.Kind(a.typ) != term.DualKind || a.kind == pair && a.open
	}
	m.push(v)
}

// datum makes a value of a constant's numbers, which it takes from x.
func (m *machine) datum(typ term.Type, x *[]float64) *value {
	tt := m.t.Types
	switch types := tt.Components(typ); {
	case typ == term.R:
		v := m.number((*x)[0])
		*x = (*x)[1:]
		return v
	case tt.Kind(typ) == term.DualKind:
		return m.fresh(null, typ)
	default:
		var args []*value // are made before the tuple: they are read before it
		for _, t := range types {
			args = append(args, m.datum(t, x))
		}
		v := m.fresh(pair, typ)
		v.args = args
		return v
	}
}

// decide is (13), also at the point. Of what has no value there both branches are left.
func (m *machine) decide(n *term.Node, r term.Ref, env *frame) {
	sides := m.popAll(2)
	for _, v := range sides {
		if v.kind != number && !v.known {
			m.push(m.neutral(conditional, m.types[r], r, env, sides...))
			return
		}
	}
	m.step(rule.Branch, 1)
	k := m.t.Children(n)
	if n.Cmp.Holds(sides[0].num, sides[1].num) {
		m.todo(evaluate, k[2], env)
	} else {
		m.todo(evaluate, k[3], env)
	}
}

// apply applies f to u, at the node r.
func (m *machine) apply(f, u *value, r term.Ref, env *frame) {
	switch {
	case f.kind == closure:
		m.step(rule.Lambda, 1)
		n := &m.t.Nodes[f.node]
		body := f.env.inside(n.Pos)
		body.vars[n.X] = m.bind(u)
		m.todo(evaluate, n.A, body)
	case f.kind == fix && m.opt.Unfold && m.scope == m.root: // (15)
		m.step(rule.Unfold, 1)
		n := &m.t.Nodes[f.node]
		body := f.env.inside(n.Pos)
		for i, x := range m.t.BoundVars(n) {
			g := m.fresh(fix, m.t.TypeOf(x))
			g.node, g.env, g.index = f.node, f.env, i
			body.vars[x] = m.bind(g)
		}
		m.tasks = append(m.tasks, task{do: give, r: r, env: env, v: u})
		m.todo(evaluate, m.t.Children(n)[f.index], body)
	case f.kind == literal && m.opt.Unfold: // (1)
		m.step(rule.Lambda, 1)
		v := m.fresh(iteration, m.t.Types.Right(f.typ))
		b := m.bind(u)
		v.args, v.named = []*value{f, b.v}, b.name
		m.push(v)
	case f.kind == iteration:
		m.step(rule.Lambda, 1)
		m.push(m.occurrence(m.bind(u)))
		m.tasks = append(m.tasks, task{do: iterate, env: env, v: f, n: m.length(f.args[0])})
	default:
		m.push(m.neutral(application, m.t.Types.Right(f.typ), r, nil, f, u))
	}
}

// length is how many elements a literal has.
func (m *machine) length(v *value) uint64 {
	switch n := &m.t.Nodes[v.node]; n.Op {
	case term.NatOp:
		return n.Count
	case term.DataOp:
		return uint64(m.t.Data[n.A].Rows)
	}
	return uint64(len(v.args))
}

// iterate applies the function of an iteration to element n, and to what has come of those behind it.
func (m *machine) iterate(t task) {
	if t.n == 0 {
		return
	}
	m.occurrence(binding{t.v.args[1], t.v.named})
	m.tasks = append(m.tasks, task{do: iterate, env: t.env, v: t.v, n: t.n - 1})
	src, f := t.v.args[0], t.v.args[1]
	if n := &m.t.Nodes[src.node]; n.Op == term.NatOp {
		m.apply(f, m.pop(), 0, t.env)
		return
	}
	m.tasks = append(m.tasks, task{do: give, env: t.env, v: m.pop()})
	m.apply(f, m.element(src, int(t.n-1)), 0, t.env)
}

// element is element i of a list.
func (m *machine) element(src *value, i int) *value {
	n := &m.t.Nodes[src.node]
	if n.Op != term.DataOp {
		return src.args[i]
	}
	d := &m.t.Data[n.A]
	x := make([]float64, d.Width)
	if d.Chunk == nil {
		copy(x, d.Values[i*d.Width:])
	} else if err := d.Chunk(x, i, m.opt.Limits.Look); err != nil {
		m.stop("", 0, err)
	}
	return m.datum(n.Elem, &x)
}

// bindLinear binds a linear variable: (5) to a value, which a variable is. It is the name of an operation; at the end
// (5') drops what nothing mentions.
func (m *machine) bindLinear(v *value) binding {
	if v.kind == number || v.named {
		m.step(rule.Lin, 1)
	} else {
		v.named = true
		m.linear = append(m.linear, v)
	}
	return binding{v, true}
}

// job is the backward pass of a dual: what has arrived, and where it will be taken up, the newest dual first.
type job struct {
	arrived map[*value]*value
	queue   queue
	free    []*value // dual variables
}

type queue []*value

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].seq > q[j].seq }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(v any)        { *q = append(*q, v.(*value)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	v := (*q)[last]
	*q = (*q)[:last]
	return v
}

// underDual takes the body of a dual to a sum of applications of dual variables, as Lemma main does.
func (m *machine) underDual(d, a *value) {
	m.job = &job{arrived: map[*value]*value{}}
	m.linearBody(d, binding{a, true})
	for len(m.job.queue) > 0 && m.err == nil {
		h := heap.Pop(&m.job.queue).(*value)
		m.at = h.pos
		m.step(rule.Subst, 1)
		m.step(rule.Lambda, 1)
		b := m.bindLinear(m.job.arrived[h])
		if h.node != 0 {
			m.linearBody(h, b)
		}
	}
	sort.Slice(m.job.free, func(i, j int) bool { return m.job.free[i].seq < m.job.free[j].seq })
	for _, h := range m.job.free {
		m.scope.summands = append(m.scope.summands, summand{h, m.job.arrived[h]})
	}
}

// linearBody runs the body of a dual, whose applications of duals arrive there.
func (m *machine) linearBody(d *value, a binding) {
	n := &m.t.Nodes[d.node]
	env := d.env.inside(n.Pos)
	env.vars[n.X] = a
	for stack := []term.Ref{n.A}; len(stack) > 0 && m.unit(); {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &m.t.Nodes[r]
		switch n.Op {
		case term.ZeroOp:
		case term.AddOp:
			stack = append(stack, n.B, n.A)
		case term.AppOp:
			head := m.run(n.A, env)
			if arg := m.run(n.B, env); m.err == nil {
				m.arrive(head, arg)
			}
		case term.LetOp, term.UnvecOp, term.UntupleOp:
			if v := m.run(n.B, env); m.err == nil {
				m.bindAt(n, v, env)
			}
			stack = append(stack, n.A)
		default:
			m.unsupported(n)
		}
	}
}

// arrive adds v to what has arrived at a dual: (11).
func (m *machine) arrive(h, v *value) {
	j := m.job
	if was := j.arrived[h]; was != nil {
		m.step(rule.Factor, 1)
		j.arrived[h] = m.operate(term.NoSymbol, []*value{was, v})
		return
	}
	if j.arrived[h] = v; h.kind == dual {
		heap.Push(&j.queue, h)
	} else {
		j.free = append(j.free, h)
	}
}
