package revgrad

import "github.com/gram-machine/gram/term"

// Start is a term to be reduced at a point. It has the nodes of the term that it was made from, and a few more. The
// numbers of the inputs are those of the point that the reduction is given.
type Start struct {
	Term    *term.Term
	Inputs  map[term.Ref]int // the numerals that stand for the inputs, with their numbers
	Outputs map[term.Var]int // of a gradient: the z of each [⟨z,z*⟩:=…], the program's values
	Stars   []term.Var       // of a gradient: the free x* of each input
	Seeds   term.Ref         // of a gradient: the vector of all z* 1
	Around  map[term.Var]int // the variables that have been added: the inputs that they are of; -1: of the seeds
	// Of a term with its inputs left open:
	Open    bool
	Symbols []term.Var        // the free variables that stand for numbers
	Named   map[term.Ref]bool // the pairs ⟨x,x*⟩, whose components are named
}

// ValueStart returns t[x1:=r1]…[xn:=rn], which reduces to the value of t at a point.
func ValueStart(t *term.Term, inputs []term.Var) *Start {
	s := newStart(t)
	for i, x := range inputs {
		s.Around[x] = i
		s.Term.Root = s.Term.Let(0, x, s.input(i), s.Term.Root)
	}
	return s
}

// GradientStart returns the start term of Corollary gradient for D(t):
//
//	(z* 1)[⟨z,z*⟩:=D(t)] with [x:=⟨x0,d⟩][d:=λa.x* a][x0:=r] for each input
//
// or, where t has type R^k, with k = outputs seeds. outputs is 0 for t of type R.
func GradientStart(d *term.Term, inputs []term.Var, outputs int) *Start {
	s := newStart(d)
	s.seed(outputs)
	t := s.Term
	for i, x := range inputs {
		x0 := s.variable("x0", term.R, i)
		s.dual(i, x, x0)
		t.Root = t.Let(0, x0, s.input(i), t.Root)
	}
	return s
}

// OpenStart returns t with its inputs left open.
func OpenStart(t *term.Term, inputs []term.Var) *Start {
	s := newStart(t)
	s.Open, s.Symbols = true, inputs
	return s
}

// OpenGradientStart returns the term of Theorem 1, ⟨z, z*⟩ for D(t) with t of type R, with the λ of its second
// component opened:
//
//	⟦z* a, z⟧[⟨z,z*⟩:=D(t)] with [x:=⟨x0,d⟩][d:=λb.x* b] for each input
//
// where a, the x0 and the x* are free.
func OpenGradientStart(d *term.Term, inputs []term.Var) *Start {
	s := newStart(d)
	s.Open, s.Named = true, map[term.Ref]bool{}
	t := s.Term
	a := s.variable("a", term.R, -1)
	z, star := s.variable("z", term.R, -1), s.variable("z*", term.AbstractDual, -1)
	t.Root = t.Vec(0, []term.Ref{t.App(0, t.Variable(0, star), t.Variable(0, a)), t.Variable(0, z)})
	s.Seeds, s.Outputs[z] = t.Root, 0
	t.Root = t.Unpair(0, z, star, d.Root, t.Root)
	for i, x := range inputs {
		x0 := s.variable("x0", term.R, i)
		s.Symbols = append(s.Symbols, x0)
		s.Named[s.dual(i, x, x0)] = true
	}
	s.Symbols = append(s.Symbols, a)
	return s
}

// dual puts [x:=⟨x0,d⟩][d:=λa.x* a] for input i around the term, and returns the pair.
func (s *Start) dual(i int, x, x0 term.Var) term.Ref {
	t := s.Term
	name, star := s.variable("d", term.AbstractDual, i), s.variable("x*", term.AbstractDual, i)
	s.Around[x] = i
	s.Stars = append(s.Stars, star)
	pair := t.Pair(0, t.Variable(0, x0), t.Variable(0, name))
	t.Root = t.Let(0, x, pair, t.Root)
	a := t.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true, Generated: true})
	t.Root = t.Let(0, name, t.Lam(0, a, t.App(0, t.Variable(0, star), t.Variable(0, a))), t.Root)
	return pair
}

func newStart(t *term.Term) *Start {
	u := *t
	u.Nodes = t.Nodes[:len(t.Nodes):len(t.Nodes)]
	u.ShareVars(t)
	return &Start{Term: &u, Inputs: map[term.Ref]int{}, Outputs: map[term.Var]int{}, Around: map[term.Var]int{}}
}

func (s *Start) input(i int) term.Ref {
	r := s.Term.Num(0, 0)
	s.Inputs[r] = i
	return r
}

// variable returns a variable of the start term, of an input or, -1, of the seeds.
func (s *Start) variable(name string, ty term.Type, input int) term.Var {
	x := s.Term.NewVar(term.VarInfo{Name: name, Type: ty, Generated: true})
	s.Around[x] = input
	return x
}

// seed puts the seeds around D(t).
func (s *Start) seed(k int) {
	t := s.Term
	d := t.Root
	apps, zs, stars := []term.Ref{}, []term.Var{}, []term.Var{}
	for i := range max(1, k) {
		z, star := s.variable("z", term.R, -1), s.variable("z*", term.AbstractDual, -1)
		s.Outputs[z] = i
		zs, stars = append(zs, z), append(stars, star)
		apps = append(apps, t.App(0, t.Variable(0, star), t.Num(0, 1)))
	}
	t.Root = t.Vec(0, apps)
	s.Seeds = t.Root
	if k == 0 {
		t.Root = t.Unpair(0, zs[0], stars[0], d, t.Root)
		return
	}
	ps := make([]term.Var, k)
	for i := range ps {
		ps[i] = s.variable("p", t.Types.Reverse(term.R), -1)
		t.Root = t.Unpair(0, zs[i], stars[i], t.Variable(0, ps[i]), t.Root)
	}
	t.Root = t.Unvec(0, ps, d, t.Root)
}
