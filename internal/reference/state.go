package reference

import (
	"iter"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// place is a position of a term: a node with its way to the root.
type place struct {
	t      *Term
	parent int // the place above, -1 at the root
	kid    int // which child of it
	depth  int
	weak   bool // neither under a λ nor in a branch of a conditional
}

// State is a term with its places, before a step.
type State struct {
	Term   *Term
	Redex  []Redex // all redexes, from left to right, as the term is printed
	prog   *Program
	eta    bool // (9) and (10) too
	places []place
	occurs map[*Var][]int // the places of the occurrences of each variable
	binder map[*Var]int   // the place of the substitution that binds it
	err    error
}

// Redex is an instance of a rule at a place.
type Redex struct {
	Rule rule.Rule
	// Garbage says that a (5) is a (5').
	Garbage bool
	// X and V are the variable and the value of (3), (4) and (5).
	X *Var
	V *Term
	// Times is how many steps of (10) it takes to name a tuple; 0 for any other rule.
	Times int
	// Weak: the redex is neither under a λ nor in a branch. For (3) that is its occurrence.
	Weak  bool
	at    int
	occ   int // the place of the occurrence of (3)
	fires func() *Term
}

// State finds the redexes of t, a term that the program has come to. With eta it also
// finds those of (9) and (10), which loop.
func (p *Program) State(t *Term, eta bool) *State {
	s := &State{Term: t, prog: p, eta: eta, occurs: map[*Var][]int{}, binder: map[*Var]int{}}
	s.visit(t, -1, 0, 0, true)
	for i, p := range s.places {
		for _, r := range rules {
			if r.op == p.t.Op || r.op == anyOp {
				r.find(s, i, p.t)
			}
		}
	}
	return s
}

// Size returns how many symbols the term has.
func (s *State) Size() int { return len(s.places) }

// At returns the subterm that the redex rewrites; of (3) that is the one with its substitution.
func (s *State) At(r *Redex) *Term { return s.places[r.at].t }

// Place returns where in the source the redex comes from, 0 for none: of (3) that is the occurrence.
func (s *State) Place(r *Redex) term.Pos {
	if pos := s.places[r.occ].t.Pos; r.occ != 0 && pos != 0 {
		return pos
	}
	return s.places[r.at].t.Pos
}

// Fire makes the step of the redex. The error is a [*denote.UndefinedError].
func (s *State) Fire(r *Redex) (*Term, error) {
	t := r.fires()
	return t, s.err
}

// visit lists the places of t from left to right: the body of a substitution before what is substituted.
func (s *State) visit(t *Term, parent, kid, depth int, weak bool) {
	i := len(s.places)
	s.places = append(s.places, place{t, parent, kid, depth, weak})
	switch t.Op {
	case Variable:
		s.occurs[t.X] = append(s.occurs[t.X], i)
	case Let:
		t.P.Vars(func(x *Var) { s.binder[x] = i })
	}
	for k, u := range t.Kids {
		s.visit(u, i, k, depth+1, weak && !t.encloses(k))
	}
}

// replace is C{u}, where C is the context of place i below place top; top = -1 for the whole term.
func (s *State) replace(i int, u *Term, top int) *Term {
	for i != top && s.places[i].parent >= 0 {
		p := s.places[i]
		u = s.places[p.parent].t.withKid(p.kid, u)
		i = p.parent
	}
	return u
}

// emit adds a redex at place i whose contractum is made by make.
func (s *State) emit(r Redex, i int, contractum func() *Term) {
	r.at = i
	if r.occ == 0 {
		r.Weak = s.places[i].weak
	}
	r.fires = func() *Term { return s.replace(i, contractum(), -1) }
	s.Redex = append(s.Redex, r)
}

// bound returns what is substituted for x, without its own substitutions; nil where
// x is free, or bound by a λ or by a pattern.
func (s *State) bound(x *Var) *Term {
	i, ok := s.binder[x]
	if !ok || s.places[i].t.P.X != x {
		return nil
	}
	u, _ := split(s.places[i].t.Kids[1])
	return u
}

// above yields the terms around place i, from the innermost on, and in which child of each it stands.
func (s *State) above(i int) iter.Seq2[*Term, int] {
	return func(yield func(*Term, int) bool) {
		for p := s.places[i]; p.parent >= 0 && yield(s.places[p.parent].t, p.kid); {
			p = s.places[p.parent]
		}
	}
}

// isHead reports whether the occurrence at place i is the function of an application, as in x α t.
func (s *State) isHead(i int) bool {
	t, kid := s.around(i)
	return t != nil && t.Op == Apply && kid == 0
}

// around returns the term around tα for the t at place i, and which child of it that is; nil if there is none.
func (s *State) around(i int) (t *Term, kid int) {
	for t, kid := range s.above(i) {
		if t.Op != Let || kid != 0 {
			return t, kid
		}
	}
	return nil, 0
}
