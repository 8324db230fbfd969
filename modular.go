package gram

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// BudgetFactor is c in the budget c·|D(L)| of steps within which the strategy [Modular]
// normalises the reverse image of a λ.
const BudgetFactor = 64

// Normalised says what the strategy [Modular] did before a program ran.
type Normalised struct {
	Lambdas int    `json:"lambdas"` // that were normalised
	Kept    int    `json:"kept"`    // that stayed as they were: their budget was used up
	Budget  int    `json:"budget"`  // c: a λ has c·|D(λ)| steps
	Steps   uint64 `json:"steps"`   // taken; they are among the steps of the cost
}

// modularProgram is D(t) with its λs normalised, at a point if t branches, and what that
// cost.
type modularProgram struct {
	prog   *graph.Program
	report Normalised
	reuse  Reuse
	stats  engine.Stats
}

// normalForm is what the strategy [Modular] makes of a closed λ, in isolation: its inputs
// are the variables from 1 on. It is not modified.
type normalForm struct {
	// t is the normal form of D(λ), or, if that took too many steps, D(λ) under lets of the
	// λs that it names.
	t       *term.Term
	used    selection // what of the λ's tables t's numbers stand for
	kept    bool
	image   int64 // |D(λ)|, without those
	symbols int64 // |t|
	stats   engine.Stats
}

// modular makes the program in which the closed λs of D(t) are normalised: the outermost
// ones whose free variables are inputs or names of such λs, once each, before anything
// copies them (sections 6.2 and 7). Lists, numerals and data stay folded. A λ that takes
// more steps than its budget stays as it was. D of the rest of t is made around them: D(t)
// has the closed λs that t has.
func (p *Program) modular(point []float64, meter *limits.Meter, prof *profiler) (*modularProgram, error) {
	src := p.src.Term
	if err := p.differentiable(); err != nil {
		return nil, err
	}
	p.opt.phase("compile")
	check := p.opt.check("compile", meter)
	inputs := p.ScalarInputs()
	m := &modularProgram{report: Normalised{Budget: BudgetFactor}}
	c := newCloser(p.src, inputs, point)
	given := map[term.Ref]func(*term.Term) term.Ref{}
	var replaced, image int64 // symbols of the given terms, and of what they stand for
	for _, at := range src.ClosedLambdas(inputs) {
		if err := check(); err != nil {
			return nil, p.locate(err, "normalising")
		}
		l := c.lambda(at)
		if err := p.normalised(l, c.point, meter, prof, &m.reuse); err != nil {
			return nil, err
		}
		n := l.normal
		m.stats = addStats(m.stats, n.stats)
		m.report.Steps += n.stats.Counts.Total()
		if n.kept {
			m.report.Kept++
			continue
		}
		m.report.Lambdas++
		replaced, image = replaced+n.symbols, image+n.image
		given[l.at] = func(d *term.Term) term.Ref { return d.Import(n.t, l.importInto(inputs)) }
	}
	p.opt.phase("compile")
	d, err := revgrad.ReverseAround(src, given, check)
	if err != nil {
		return nil, p.locate(err, "differentiating")
	}
	size := d.Size()
	if size < math.MaxInt64 { // where sizes saturate
		size += image - replaced
	}
	p.setSize(src.Size(), size)
	m.reuse.Rebuilt = size - m.reuse.Reused
	m.prog, err = compile.Compile(d, compile.Options{Inputs: inputs, Reversed: true, Places: prof != nil, Check: check})
	return m, p.locate(err, "compiling")
}

// normalised finds the normal form of a λ in the cache, or makes it; for a profile it
// always makes it.
func (p *Program) normalised(l *closedLambda, point []float64, meter *limits.Meter, prof *profiler, r *Reuse) error {
	var n *normalForm
	if prof == nil {
		n = p.opt.Cache.get(l.key)
	}
	if n != nil {
		r.Hits++
		if !n.kept { // D of one that was kept is made with that of the rest
			r.Reused += n.image
		}
	} else {
		r.Misses++
		var err error
		if n, err = p.normalise(l, point, meter, prof); err != nil {
			return err
		}
		p.opt.Cache.put(l.key, n)
	}
	l.settle(n)
	return nil
}

// normalise makes the normal form of a λ, in isolation: so it depends on nothing that the
// key leaves out.
func (p *Program) normalise(l *closedLambda, point []float64, meter *limits.Meter, prof *profiler) (*normalForm, error) {
	t, inputs := p.isolate(l)
	d, err := revgrad.Reverse(t, p.opt.check("compile", meter))
	if err != nil {
		return nil, p.locate(relocate(err, l.place), "differentiating")
	}
	out := &normalForm{image: d.Size()}
	l.bindNames(d, inputs)
	at := make([]float64, len(l.inputs))
	for i, in := range l.inputs {
		at[i] = point[in]
	}
	job := normalising{t: d, inputs: inputs, point: at, place: l.place, profile: prof}
	n, stats, err := p.normalForm(job, meter, engine.Options{Folded: true,
		Limits: limits.Bounds{MaxSteps: uint64(BudgetFactor * d.Size())}})
	var limit *LimitError
	if errors.As(err, &limit) && limit.Limit == "steps" {
		n, out.kept, err = d, true, nil
	}
	if err != nil {
		return nil, err
	}
	out.stats = engine.Stats{Counts: stats.Counts, Instantiate: stats.Instantiate, Search: stats.Search}
	out.t, out.used = compact(n, inputs)
	out.symbols = out.t.Size()
	return out, nil
}

// isolate returns the λ as a term of its own, and the variables of its inputs.
func (p *Program) isolate(l *closedLambda) (*term.Term, []term.Var) {
	t := l.sub.Isolate()
	for _, i := range l.data[len(l.sub.Data):] {
		t.Data = append(t.Data, p.src.Term.Data[i])
	}
	inputs := make([]term.Var, len(l.inputs))
	for _, in := range l.extra {
		x := len(t.Vars)
		inputs[l.rank(in)] = t.NewVar(term.VarInfo{Name: strconv.Itoa(x), Type: term.R, Pos: term.Pos(len(l.sub.Nodes) + x)})
	}
	for i, m := range l.free {
		if m.lambda == nil {
			inputs[l.rank(m.input)] = term.Var(len(l.sub.Bound) + i + 1)
		}
	}
	return t, inputs
}

// bindNames puts d, D of the λ in isolation, under lets of the λs that it names. Their
// tables stand behind the λ's own.
func (l *closedLambda) bindNames(d *term.Term, inputs []term.Var) {
	vars := len(l.sub.Bound) + len(l.sub.Free) + len(l.extra)
	places, labels, data := len(l.sub.Nodes)+vars, vars, len(l.sub.Data)
	for i, m := range l.free {
		n := m.lambda
		if n == nil {
			continue
		}
		u := d.Import(n.normal.t, term.Import{
			Free: func(x term.Var) term.Var { return inputs[l.rank(n.inputs[x-1])] },
			Data: func(k int) int { return data + k },
			Pos: func(p term.Pos) term.Pos {
				if p == 0 {
					return 0
				}
				return p + term.Pos(places)
			},
			Name: func(s string) string {
				return numbered(s, func(k int) string { return strconv.Itoa(labels + k) })
			},
		})
		d.Root = d.Let(0, term.Var(len(l.sub.Bound)+i+1), u, d.Root)
		places, labels, data = places+len(n.places), labels+len(n.labels), data+len(n.data)
	}
}

// compact returns t in an arena that holds nothing else, over a universe of its own, and
// without the elements of data lists. Its inputs are the variables from 1 on; its numbers
// are those of the entries that it uses of the λ's tables.
func compact(t *term.Term, inputs []term.Var) (*term.Term, selection) {
	out := term.New(term.NewTypes())
	var used selection
	number := map[term.Var]term.Var{}
	rank := map[term.Var]int{}
	for i, x := range inputs {
		rank[x] = i
	}
	free := t.FreeVars()
	slices.SortFunc(free, func(x, y term.Var) int { return cmp.Compare(rank[x], rank[y]) })
	for _, x := range free {
		used.inputs = append(used.inputs, rank[x])
		number[x] = out.NewVar(term.VarInfo{Type: out.Types.Reverse(term.R)})
	}
	places, labels := numbering(&used.places), numbering(&used.labels)
	out.Root = out.Import(t, term.Import{
		Free: func(x term.Var) term.Var { return number[x] },
		Data: numbering(&used.data),
		Pos: func(p term.Pos) term.Pos {
			if p == 0 {
				return 0
			}
			return term.Pos(places(int(p-1)) + 1)
		},
		Name: func(s string) string {
			return numbered(s, func(k int) string { return strconv.Itoa(labels(k-1) + 1) })
		},
	})
	for _, i := range used.data {
		d := t.Data[i]
		d.Name = ""
		if d.List {
			d.Values = nil
		}
		out.Data = append(out.Data, d)
	}
	return out, used
}

// numbering returns a function that numbers what it is given, from 0 on, as it is met; the
// list says what has each number.
func numbering(list *[]int) func(int) int {
	numbers := map[int]int{}
	return func(k int) int {
		n, ok := numbers[k]
		if !ok {
			n = len(*list)
			numbers[k] = n
			*list = append(*list, k)
		}
		return n
	}
}

// bytes is about what the normal form takes in memory.
func (n *normalForm) bytes() int64 {
	ints := cap(n.used.inputs) + cap(n.used.data) + cap(n.used.places) + cap(n.used.labels)
	return int64(unsafe.Sizeof(*n)) + n.t.Bytes() + int64(ints)*int64(unsafe.Sizeof(0))
}
