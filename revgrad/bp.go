package revgrad

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gram-machine/gram/term"
)

// ErrNoInputs is the error of [BP] on a ground term without inputs: R⁰ is no type.
var ErrNoInputs = errors.New("bp is defined for one input at least")

// BP returns bp_{x,a}(G), symbolic backpropagation on ground terms: Definition bp of section 5.1, with a fresh
// variable a, which is returned too. For x1 : R, …, xn : R ⊢ G : R, the result
//
//	x1 : R, …, xn : R, a : R  ⊢  ⟨G0, ⟦G1,…,Gn⟧α⟩β  :  R × R^n
//
// has the value of G in its first component and a times its gradient in the second (Proposition backprop_sound). a is
// not free in G0 and β. With 0 the numeral, and F ⊕ 0 = 0 ⊕ F = F, otherwise F ⊕ G = F + G:
//
//	bp_a(xi)         = ⟨xi, ⟦0,…,a,…,0⟧⟩                 a at position i
//	bp_a(r)          = ⟨r, ⟦0,…,0⟧⟩
//	bp_a(f(p1,…,pk)) = ⟨f(p), ⟦G1,…,Gn⟧⟩                 Gi = ⊕ over the j with pj = xi of ∂j f(p)·a
//	bp_a(F[z:=G])    = ⟨F0, ⟦F1,…,Fn⟧α⟩β[z:=G0]β'        if H = 0
//	bp_a(F[z:=G])    = ⟨F0, ⟦F1⊕G1,…,Fn⊕Gn⟧α'[b:=H]α⟩β[z:=G0]β'
//	                   where bp_{x,z,a}(F) = ⟨F0, ⟦F1,…,Fn,H⟧α⟩β, and bp_{x,b}(G) = ⟨G0, ⟦G1,…,Gn⟧α'⟩β'
//	bp_a(F + G)      = ⟨F0 + G0, ⟦F1⊕G1,…,Fn⊕Gn⟧αα'⟩ββ'
//
// The third line is for operands that repeat a variable or are not in the order of x too. G may have the sugar that
// [Ground] expands. The variables of G keep their numbers; the b of a variable z has its name with a prime.
//
// Tuples are not built on the way: a subterm has the components that are not 0, by variable, and the smaller of two
// such maps is put into the larger. So the size of the result is O(|G| + n) (Lemma backprop_size), and the time is that
// times its logarithm. Nothing recurses.
//
// check may be nil; it is called at least every 2¹⁶ nodes. The errors are that of check, [ErrNoInputs], and
// [*NotGroundError], also for a free variable of G that is not among the inputs.
func BP(t *term.Term, inputs []term.Var, check func() error) (bp *term.Term, a term.Var, err error) {
	return AblatedBP(t, inputs, 0, check)
}

// AblatedBP is [BP] with an ablation, or with none if that is 0, for measurements of claims 4 and 7: of size and, at a
// point, of steps O(n·|G|) instead of O(|G|), n with the variables in scope.
func AblatedBP(t *term.Term, inputs []term.Var, without Ablation, check func() error) (bp *term.Term, a term.Var,
	err error) {
	if len(inputs) == 0 {
		return nil, 0, ErrNoInputs
	}
	src, err := Ground(t, check)
	if err != nil {
		return nil, 0, err
	}
	if err := scopes(src, inputs); err != nil {
		return nil, 0, err
	}
	b := &backprop{image: newImage(src, 4*len(src.Nodes), 2*src.NumVars()), inputs: inputs, check: check, ablated: without}
	a = b.dst.NewVar(term.VarInfo{Name: fresh(src, inputs), Type: term.R})
	if err := b.walk(a); err != nil {
		return nil, 0, err
	}
	b.result()
	return b.dst, a, nil
}

// fresh returns a name for a that none of the inputs has.
func fresh(t *term.Term, inputs []term.Var) string {
	name := "a"
	for slices.ContainsFunc(inputs, func(x term.Var) bool { return t.Info(x).Name == name }) {
		name += "'"
	}
	return name
}

// scopes reports a variable of a ground term that is neither bound nor an input, an
// input that is bound or stands twice, or one that is not of type R.
func scopes(t *term.Term, inputs []term.Var) error {
	known := make([]bool, t.NumVars())
	for _, x := range inputs {
		if known[x] {
			return &NotGroundError{What: fmt.Sprintf("the input %s stands twice", t.Info(x).Name)}
		}
		if t.TypeOf(x) != term.R {
			return &NotGroundError{What: fmt.Sprintf("the input %s has type %s", t.Info(x).Name, t.Types.String(t.TypeOf(x)))}
		}
		known[x] = true
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Op == term.LetOp {
			if known[n.X] {
				return &NotGroundError{n.Pos, fmt.Sprintf("the variable %s is bound twice, or an input", t.Info(n.X).Name)}
			}
			known[n.X] = true
		}
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Op == term.VarOp && !known[n.X] {
			return &NotGroundError{n.Pos, fmt.Sprintf("the variable %s is no input", t.Info(n.X).Name)}
		}
	}
	return nil
}

// binding is [x:=u] in a substitution context; next is the one around it.
type binding struct {
	x    term.Var
	u    term.Ref
	pos  term.Pos
	next int32
}

// context is a substitution context α: a list of bindings, the innermost first.
type context struct{ first, last int32 }

// components are those of a gradient that are not 0, by variable.
type components map[term.Var]term.Ref

// backprop walks a ground term F before G in F[z:=G] and F + G, since H decides
// about G. Of the subterms on the path to the root it keeps frames; of those that are
// finished F0, the Fi and α, as results; β is one list for all, in the order of the walk.
type backprop struct {
	*image
	inputs  []term.Var
	check   func() error
	frames  []bpFrame
	results []bpResult
	steps   int
	alpha   []binding
	beta    []binding
	ablated Ablation // 0 but for measurements
}

type bpFrame struct {
	r     term.Ref
	a     term.Var // the adjoint, 0 where H = 0: nothing is contributed
	b     term.Var // of a let: the adjoint of its variable
	h     term.Ref // of a let: H
	slot  int32    // of a let: its binding in β
	phase uint8
}

type bpResult struct {
	primal term.Ref
	grad   components
	alpha  context
}

func (w *backprop) enter(r term.Ref, a term.Var) {
	w.frames = append(w.frames, bpFrame{r: r, a: a})
}

// leave finishes the innermost frame.
func (w *backprop) leave(res bpResult) {
	w.frames = w.frames[:len(w.frames)-1]
	w.results = append(w.results, res)
}

func (w *backprop) pop() bpResult {
	res := w.results[len(w.results)-1]
	w.results = w.results[:len(w.results)-1]
	return res
}

func (w *backprop) walk(a term.Var) error {
	w.alpha = append(w.alpha, binding{})
	w.enter(w.src.Root, a)
	for len(w.frames) > 0 {
		w.steps++
		if err := checkAt(w.steps, w.check); err != nil {
			return err
		}
		f := &w.frames[len(w.frames)-1]
		n := &w.src.Nodes[f.r]
		switch n.Op {
		case term.VarOp:
			res := bpResult{primal: w.dst.Variable(n.Pos, n.X)}
			if f.a != 0 {
				res.grad = components{n.X: w.dst.Variable(n.Pos, f.a)}
			}
			w.finish(f, res)
		case term.NumOp:
			w.finish(f, bpResult{primal: w.dst.Num(n.Pos, n.Val)})
		case term.FunOp:
			w.function(f, n)
		case term.AddOp:
			w.add(f, n)
		case term.LetOp:
			w.let(f, n)
		}
	}
	return nil
}

// add takes the case F + G one step further.
func (w *backprop) add(f *bpFrame, n *term.Node) {
	f.phase++
	switch f.phase {
	case 1:
		w.enter(n.A, f.a)
	case 2:
		w.enter(n.B, f.a)
	default:
		right := w.pop()
		left := w.pop()
		w.leave(bpResult{w.dst.Add(n.Pos, left.primal, right.primal), w.merge(left.grad, right.grad),
			w.concat(left.alpha, right.alpha)})
	}
}

// let takes the case F[z:=G] one step further.
func (w *backprop) let(f *bpFrame, n *term.Node) {
	f.phase++
	switch f.phase {
	case 1:
		w.enter(n.A, f.a)
	case 2:
		f.slot = int32(len(w.beta))
		w.beta = append(w.beta, binding{x: n.X, pos: n.Pos})
		body := &w.results[len(w.results)-1]
		f.h = body.grad[n.X]
		delete(body.grad, n.X)
		if w.isZero(f.h) {
			f.h = 0
		}
		if f.h != 0 {
			f.b = w.dst.NewVar(term.VarInfo{Name: w.src.Info(n.X).Name + "'", Type: term.R, Pos: n.Pos})
		}
		w.enter(n.B, f.b)
	default:
		bound := w.pop()
		body := w.pop()
		w.beta[f.slot].u = bound.primal
		alpha := body.alpha
		if f.h != 0 {
			w.alpha = append(w.alpha, binding{x: f.b, u: f.h, pos: n.Pos})
			i := int32(len(w.alpha) - 1)
			alpha = w.concat(w.concat(bound.alpha, context{i, i}), alpha)
		}
		w.leave(bpResult{body.primal, w.merge(body.grad, bound.grad), alpha})
	}
}

// function is the case f(p1,…,pk).
func (w *backprop) function(f *bpFrame, n *term.Node) {
	kids := w.src.Children(n)
	operand := func(i int) term.Ref {
		k := &w.src.Nodes[kids[i]]
		if k.Op == term.NumOp {
			return w.dst.Num(k.Pos, k.Val)
		}
		return w.dst.Variable(k.Pos, k.X)
	}
	res := bpResult{primal: w.dst.Fun(n.Pos, n.Sym, each(len(kids), operand)...), grad: components{}}
	partials := n.Sym.Info().Partials
	for i, k := range kids {
		if x := &w.src.Nodes[k]; x.Op == term.VarOp && f.a != 0 {
			s := w.dst.Slope(n.Pos, &partials[i], len(kids), operand)
			res.grad[x.X] = w.dst.Plus(n.Pos, res.grad[x.X], w.dst.Fun(n.Pos, term.Mul, s, w.dst.Variable(n.Pos, f.a)))
		}
	}
	w.finish(f, res)
}

// finish leaves a frame without subterms, whose operands have contributed.
func (w *backprop) finish(f *bpFrame, res bpResult) {
	if w.ablated != 0 && f.a != 0 {
		res.grad = w.complete(res.grad, w.src.Nodes[f.r].Pos)
	}
	w.leave(res)
}

// merge is ⊕ of the components of two gradients, which it uses up.
func (w *backprop) merge(f, g components) components {
	into, from := f, g
	if len(f) < len(g) {
		into, from = g, f
	}
	for _, x := range slices.Sorted(maps.Keys(from)) {
		into[x] = w.dst.Plus(w.dst.Nodes[g[x]].Pos, f[x], g[x])
	}
	return into
}

// concat is αα': α inside α'.
func (w *backprop) concat(inner, outer context) context {
	switch {
	case inner.first == 0:
		return outer
	case outer.first == 0:
		return inner
	}
	w.alpha[inner.last].next = outer.first
	return context{inner.first, outer.last}
}

// tuple is ⟦G1,…,Gn⟧.
func (w *backprop) tuple(grad components, pos term.Pos) term.Ref {
	comps := make([]term.Ref, len(w.inputs))
	for i, x := range w.inputs {
		if comps[i] = grad[x]; comps[i] == 0 {
			comps[i] = w.dst.Num(pos, 0)
		}
	}
	return w.dst.Vec(pos, comps)
}

// result makes ⟨G0, ⟦G1,…,Gn⟧α⟩β.
func (w *backprop) result() {
	res := w.pop()
	pos := w.src.Nodes[w.src.Root].Pos
	gradient := res.grad[summedTuple]
	if gradient == 0 {
		gradient = w.tuple(res.grad, pos)
	}
	for i := res.alpha.first; i != 0; i = w.alpha[i].next {
		s := &w.alpha[i]
		gradient = w.dst.Let(s.pos, s.x, s.u, gradient)
	}
	out := w.dst.Pair(pos, res.primal, gradient)
	for _, s := range w.beta {
		out = w.dst.Let(s.pos, s.x, s.u, out)
	}
	w.dst.Root = out
}

// Ablation is a way to do without what makes [BP] small. The ablations exist to be measured: what
// they make has the same value and gradient, and is larger by a factor of n.
type Ablation uint8

// The ablations.
const (
	// PlainPlus has + for ⊕, of which the remark after Lemma backprop_size says that bp(x1 + … + xn)
	// is then quadratic in n. Each leaf of G writes the 0 of every variable in scope that it does
	// not depend on, and each F + G and F[z:=G] adds component by component:
	//
	//	bp_a(xi)    = ⟨xi, ⟦0,…,a,…,0⟧⟩
	//	bp_a(F + G) = ⟨F0 + G0, ⟦F1 + G1,…,Fn + Gn⟧αα'⟩ββ'
	//
	// The inputs and the variables of the lets around are in scope, as in the definition. H = 0 is
	// the numeral; 0 + 0 is none, so its products with partial derivatives are made, and where one of
	// those is infinite the result is no number.
	PlainPlus Ablation = iota + 1
	// DenseTuples has the gradient of each subterm as a term ∇ of type R^n, so that tuples are added
	// when bp(G) runs, by n − 1 steps by (7) and n by (6) for each F + G and F[z:=G]:
	//
	//	bp_a(xi)       = ⟨xi, ⟦0,…,a,…,0⟧⟩
	//	bp_a(F + G)    = ⟨F0 + G0, (∇F + ∇G)αα'⟩ββ'
	//	bp_a(F[z:=G])  = ⟨F0, (∇F + ∇G)α'[b:=H]α⟩β[z:=G0]β'
	//
	// The H of a let is none of the n components: it is added up by ⊕.
	DenseTuples
)

// summedTuple stands for no variable: its component is ∇G, the sum of tuples of [DenseTuples].
const summedTuple term.Var = 0

// complete completes the gradient of the leaf at which the walk is: by zeros, or to a tuple of all inputs.
func (w *backprop) complete(grad components, pos term.Pos) components {
	out := components{}
	maps.Copy(out, grad)
	if w.ablated == DenseTuples {
		out[summedTuple] = w.tuple(grad, pos)
		for _, x := range w.inputs {
			delete(out, x)
		}
		return out
	}
	scope := slices.Clone(w.inputs)
	for _, f := range w.frames {
		if n := &w.src.Nodes[f.r]; n.Op == term.LetOp && f.phase == 1 {
			scope = append(scope, n.X)
		}
	}
	for _, x := range scope {
		if out[x] == 0 {
			out[x] = w.dst.Num(pos, 0)
		}
	}
	return out
}

// isZero reports whether a component is the numeral 0, which no leaf has but by [PlainPlus].
func (w *backprop) isZero(expr term.Ref) bool {
	n := &w.dst.Nodes[expr]
	return n.Op == term.NumOp && n.Val == 0
}
