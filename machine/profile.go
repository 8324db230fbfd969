package machine

import (
	"cmp"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Profile is a fold over the events of a run: it books each rewrite to the calling context and the
// place in the source to which code of the compiler books it. Each node has the entry of what made it, and each
// occurrence of a variable that of its own place.
//
// (1) and (4) of a parameter are of the λ, if the application binds all its parameters, and else, or if a list is
// applied, of the application. All that a dual does is of the place of the dual and of the calls that made it: of D(t)
// as for code of the compiler, which books the firings of other duals to the place of the sum. λa.0⃗ fires where it is
// applied.
type Profile struct {
	Events  func(*Fired) error // books an event, for [Options]
	code    codeInfo
	calls   *calls.Calls
	at      []contextEntries     // of templates in contexts
	of      map[[2]uint32]uint32 // by template and context: where it is in at
	index   []nodeEntry          // of instructions of those: of what they make; 0: none yet
	entries []entry
	nodes   graph.Table[nodeEntry] // by Ref
	// What is copied stands in a template in a context, of at, or all of it has the one entry.
	context uint32
	only    uint32
}

// entry is what was done at a place in a context.
type entry struct {
	context uint32
	pos     term.Pos
	input   int
	phase   calls.Phase
	origin  calls.Origin
	counts  rule.Counts
	nodes   uint64
	words   uint64
	fired   uint32 // the entry of the firings of the dual that was made here
	datum   uint32 // that of the elements of data that an iteration made here
	isCell  bool   // the substitutions that are made here are cells
	// The call from here that was made last, and where in Profile.at its template is.
	template, callee uint32
}

// nodeEntry is what is known of a node.
type nodeEntry struct {
	entry uint32
	// of are the entries of the occurrences that are its operands; the second, of the substitution
	// of the accumulator of a list, that of the variable's own occurrence, and of any other 0.
	of     [2]uint32
	rest   uint8 // of an App: how many arguments follow
	iter   bool
	firing bool // an App of a dual that fires
	known  bool // of Profile.index: the rest is known, not only the entry
}

// contextEntries says where the entries of a template in a context stand in Profile.index.
type contextEntries struct {
	context    uint32
	base, from uint32
	param      uint32 // the entry of the parameters that it binds
}

// NewProfile returns a profile of one run of the program, whose events Events gets.
func NewProfile(p *compile.Program) *Profile {
	f := &Profile{code: describe(p), of: map[[2]uint32]uint32{}, entries: make([]entry, 1)}
	f.calls = calls.NewCalls(calls.Call{Template: p.Start, Pos: p.Pos})
	f.in(p.Start, 0)
	f.Events = func(e *Fired) error {
		made := e.Made()
		var x *entry
		switch {
		case e.Move == rule.Instantiate:
			x = &f.entries[f.instantiate(e, made)]
		case e.Move < rule.Instantiate:
			x = &f.entries[f.rewrite(rule.Rule(e.Move), e, made)]
			x.counts[e.Move]++
		default:
			at := f.node(e.Redex >> 2).entry
			f.putAll(made, at)
			x = &f.entries[at]
		}
		x.words += e.Words
		x.nodes += uint64(len(made))
		return nil
	}
	return f
}

// node returns what is known of the node r.
func (f *Profile) node(r Ref) *nodeEntry { return f.nodes.At(int(r)) }

// putAll sets what is known of nodes that stand at an entry.
func (f *Profile) putAll(made []Ref, at uint32) {
	for _, r := range made {
		*f.node(r) = nodeEntry{entry: at}
	}
}

// rewrite returns the entry of a rewrite, and sets those of what it leaves.
func (f *Profile) rewrite(by rule.Rule, e *Fired, made []Ref) uint32 {
	n := f.node(e.Redex >> 2)
	switch by {
	case rule.Lambda:
		n.entry = f.apply(e, n)
		return n.entry
	case rule.Subst, rule.SubstNumeral:
		s := f.node(e.Own()[1])
		switch {
		case f.entries[s.entry].isCell:
			n.entry, n.firing = f.firing(s.entry), true
			return n.entry
		case s.of[1] != 0:
			return s.of[1]
		}
		return n.of[e.Redex&1]
	case rule.Factor:
		n.entry = f.firing(f.node(e.Own()[1]).entry)
	case rule.Lin:
		if e.Body() != nil {
			f.only = n.entry
		}
	case rule.Branch, rule.Case:
		f.context, f.only = f.callee(n.entry, e.Body().Index), 0
	}
	at := n.entry
	f.putAll(made, at)
	return at
}

// apply is (1), at the application n.
func (f *Profile) apply(e *Fired, n *nodeEntry) uint32 {
	at, rest := n.entry, n.rest
	switch {
	case n.firing:
		n.firing = false
		return at
	case e.Linear(): // a dual that has no cell, such as λa.0⃗: it fires where it is applied
		return cmp.Or(n.of[0], at)
	case e.Body() == nil:
		return f.applyList(e, n)
	}
	n.of[1] = 0
	t := &f.code.templates[e.Body().Index]
	f.only = at
	if t.left > uint32(rest) {
		return at
	}
	c := f.callee(at, t.last)
	f.only = f.at[c].param
	at = f.only
	if t.left == 0 {
		f.context, f.only = c, 0
	}
	return at
}

// applyList is (1) of a list or numeral, or of what that has made.
func (f *Profile) applyList(e *Fired, n *nodeEntry) uint32 {
	site := n.entry
	n.of[1] = 0
	switch len(e.Made()) {
	case 1:
		*f.node(e.Made()[0]) = nodeEntry{entry: f.node(e.Own()[1]).entry}
		return site
	case 2:
		*f.node(e.Made()[0]) = nodeEntry{entry: site, iter: true}
		*f.node(e.Made()[1]) = nodeEntry{entry: site}
	}
	n.of[1] = site
	return site
}

// instantiate books the unit that makes a node, or the next application of an iteration.
func (f *Profile) instantiate(e *Fired, made []Ref) uint32 {
	r := e.Redex >> 2
	var at *site
	if e.Code < compile.NoCode {
		at = &f.code.sites[e.Code]
	}
	switch {
	case at != nil && at.variable:
		x := f.here(e.Code)
		f.putAll(made, x)
		f.node(r).of[e.Redex&1] = x
		return x
	case len(made) == 0:
		return f.node(r).entry
	case at == nil: // a node that no code makes
		f.putAll(made, 0)
		return 0
	case made[0] != r && f.node(r).iter:
		return f.iterate(e, f.node(r).entry)
	}
	n := f.made(e.Code, at)
	for _, r := range made {
		*f.node(r) = n
	}
	return n.entry
}

// made returns what is known of a node that an instruction makes.
func (f *Profile) made(code uint32, at *site) nodeEntry {
	if f.only != 0 {
		n := nodeEntry{entry: f.only, rest: at.rest}
		for i, occurrence := range at.occurs {
			if occurrence != 0 {
				n.of[i] = f.only
			}
		}
		return n
	}
	c := &f.at[f.context]
	n := c.base + code - c.from
	if !f.index[n].known {
		f.here(code)
		f.index[n].rest, f.index[n].known = at.rest, true
		for i, occurrence := range at.occurs {
			if occurrence != 0 {
				f.index[n].of[i] = f.here(occurrence)
			}
		}
	}
	return f.index[n]
}

// here returns the entry of an instruction whose node is made.
func (f *Profile) here(code uint32) uint32 {
	if f.only != 0 {
		return f.only
	}
	c := &f.at[f.context]
	i := c.base + code - c.from
	if f.index[i].entry == 0 {
		f.index[i].entry = f.add(f.code.entry(f.at[f.context].context, code))
	}
	return f.index[i].entry
}

func (f *Profile) add(x entry) uint32 {
	f.entries = append(f.entries, x)
	return uint32(len(f.entries) - 1)
}

// iterate books the unit that makes f ti x, or f x of a numeral.
func (f *Profile) iterate(e *Fired, site uint32) uint32 {
	app := e.Made()[0]
	*f.node(app) = nodeEntry{entry: site}
	if len(e.Made()) > 1 {
		app = e.Made()[1]
		*f.node(app) = nodeEntry{entry: site, rest: 1}
	}
	f.node(app).of[0] = site
	f.only = f.datum(site)
	if e.Body() != nil {
		if t := f.code.templates[e.Body().Index].elements; t != 0 {
			f.context, f.only = f.callee(site, t), 0
		}
	}
	return site
}

// datum returns the entry of the elements of data that an iteration makes.
func (f *Profile) datum(site uint32) uint32 {
	if f.entries[site].datum == 0 {
		x := &f.entries[site]
		d := f.add(entry{context: x.context, pos: x.pos, input: -1, origin: calls.GeneratedCode})
		f.entries[site].datum = d
	}
	return f.entries[site].datum
}

// firing returns the entry of the firings of the duals whose cells are made at an entry.
func (f *Profile) firing(cell uint32) uint32 {
	if f.entries[cell].fired == 0 {
		x := f.entries[cell]
		if x.pos == 0 {
			x.pos = f.code.templates[f.calls.At(x.context).Template].pos
		}
		d := entry{context: x.context, pos: x.pos, input: x.input}
		if f.code.reversed {
			d.phase, d.origin = calls.Backward, calls.GeneratedCode
		}
		fired := f.add(d)
		f.entries[cell].fired = fired
	}
	return f.entries[cell].fired
}

// callee returns where the template is in Profile.at that is called from an entry.
func (f *Profile) callee(from, template uint32) uint32 {
	x := &f.entries[from]
	if x.callee == 0 || x.template != template {
		c := f.in(template, f.calls.Callee(calls.Call{Caller: x.context, Pos: x.pos,
			Template: f.code.templates[template].same}))
		x = &f.entries[from]
		x.template, x.callee = template, c
	}
	return x.callee
}

// in returns where a template in a context is in Profile.at, and makes room for its entries.
func (f *Profile) in(template, context uint32) uint32 {
	k := [2]uint32{template, context}
	at, ok := f.of[k]
	if !ok {
		t := &f.code.templates[template]
		at = uint32(len(f.at))
		f.of[k] = at
		f.at = append(f.at, contextEntries{context, uint32(len(f.index)), t.from,
			f.add(entry{context: context, pos: t.pos, input: -1})})
		f.index = append(f.index, make([]nodeEntry, t.to-t.from)...)
	}
	return at
}

// Samples calls g on the samples of the run that made so many nodes, in an order that depends on the run alone. What
// has no place, as nodes that no move has made, is of the program. The stack is overwritten by the next.
func (f *Profile) Samples(made uint64, g func(calls.Sample)) {
	main, none := &f.entries[f.at[0].param], &f.entries[0]
	main.counts.AddTimes(&none.counts, 1)
	for i := range f.entries {
		made -= f.entries[i].nodes
	}
	main.nodes += made + none.nodes
	main.words += none.words
	*none = entry{}
	var stack []calls.Frame
	for i := range f.entries[1:] {
		x := &f.entries[1+i]
		s := calls.Sample{Input: x.input, Phase: x.phase, Origin: x.origin, Counts: x.counts, Nodes: x.nodes,
			Bytes: NodeBytes * x.nodes, Words: x.words}
		if s.Counts == (rule.Counts{}) && s.Nodes == 0 && s.Words == 0 {
			continue
		}
		if x.input < 0 {
			stack = f.calls.Stack(stack[:0], x.context, x.pos, func(id uint32) (term.Pos, bool) {
				t := &f.code.templates[id]
				return t.pos, !t.branch
			})
			s.Stack = stack
		}
		g(s)
	}
}
