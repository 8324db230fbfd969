// Package profile tells where the steps and nodes of a run went, in the format of pprof and by the lines of the source.
package profile

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Profile is a profile of one run of a program, in the format of pprof. It is exact: a step of the calculus is booked
// to the calls in which it was taken, from the λ whose code has it to the program, under the names and lines of the
// source. Types of samples are rewrites (the steps), nodes and bytes, which are those of the run's cost, and, if it was
// asked for, time, which is charged by a look at the clock now and then. Labels are rule, phase, as
// [gram.Options.Phase] names them, and pass: source, or generated for what the reverse transformation has put around
// the source's own code. That of a literal run is the fold over its rewrites; it has the words, too, 8 for each time
// that the machine has reached a node, and its rewrites are those of the profile of the compiler's code.
type Profile struct {
	Result    *gram.Result
	src       *lang.Program
	names     *functionNames
	out       *pprof.Profile
	functions map[functionKey]*pprof.Function
	locations map[codePlace]*pprof.Location // of places in λs
	inlined   map[string]*pprof.Location    // by their lines, as text
	samples   map[sampleKey]*pprof.Sample
	stacks    map[string][]*pprof.Location         // those of samples, by their text
	labels    map[sampleLabels]map[string][]string // those of samples
	inputs    []int                                // by scalar: its input
	ofInputs  [][]*pprof.Location                  // by input: the stack of work on it
}

// Run runs the program once at its point, for the gradient or the value, and returns where the steps went, and, if
// timed, the time. It takes memory for a number for each node and for what each calling context does.
func Run(ctx context.Context, p *gram.Program, gradient, timed bool, opt gram.EvalOptions) (*Profile, error) {
	o := newProfile(bridge.Of(p).Source(), timed, opt.Literal)
	meter, n, stopped := bridge.Of(p).Meter(ctx), 0, error(nil)
	hooks := bridge.Hooks{Timed: timed, Samples: func(s calls.Sample) {
		if n++; n%(1<<12) == 0 && stopped == nil {
			stopped = meter.Check()
		}
		if stopped == nil {
			o.add(&s)
		}
	}}
	var err error
	o.Result, err = p.Repeat(ctx, bridge.Watch(opt, hooks), gradient, 1)
	if err = cmp.Or(err, bridge.Of(p).Locate(stopped, "making the profile")); err != nil {
		return nil, err
	}
	return o, nil
}

// Write writes the profile, compressed. Without time, equal runs give equal bytes.
func (p *Profile) Write(w io.Writer) error { return p.out.Write(w) }

// Line is what a run did at one line of the source itself: what was done at the lines that this one calls is theirs.
type Line struct {
	Line int    // from 1; 0: no place in the source
	Text string // without its line break
	// The rewrites: of the source's own code, of the code that the reverse transformation has put
	// around it, and of normalising, which does not tell the two apart.
	Source, Generated, Normalised uint64
	// Nodes that the run made. Those that a strategy made before it are not among them, as in [gram.Cost].
	Nodes uint64
}

// Rewrites is the number of all rewrites.
func (l Line) Rewrites() uint64 { return l.Source + l.Generated + l.Normalised }

// Lines returns the cost of every line of the source, the first of them line 0. That of an imported file stands at its
// import. Over all, the rewrites are Result.Cost.Steps.Total(), and the nodes Result.Cost.Nodes.Allocated.
func (p *Profile) Lines() []Line {
	file := p.src.File
	lines := make([]Line, file.NumLines()+1)
	for i := range lines {
		lines[i].Line, lines[i].Text = i, file.Line(i)
	}
	for _, s := range p.out.Sample {
		inner := s.Location[0].Line[0]
		at := &lines[inner.Line]
		if line := file.ImportLine(inner.Function.Filename); line > 0 {
			at = &lines[line]
		}
		to := &at.Normalised
		if pass := s.Label["pass"]; pass != nil && pass[0] == passNames[calls.SourceCode] {
			to = &at.Source
		} else if pass != nil {
			to = &at.Generated
		}
		*to += uint64(s.Value[inRewrites])
		if s.Label["phase"][0] != calls.Normalise.String() {
			at.Nodes += uint64(s.Value[inNodes])
		}
	}
	return lines
}

// Frame is a function at a line, as a flame graph has it.
type Frame struct {
	Name     string
	Line     int // 0: the whole run
	Depth    int // of calls
	From     uint64
	Rewrites uint64 // of what it did there and of what it called there; they begin at From
}

// mostDepth is how deep a flame graph is. What is called deeper is counted where it was called.
const mostDepth = 40

// Frames returns the calls of the run, each before those that it makes. Calls of one function are in the order of
// lines, and before what it does itself.
func (p *Profile) Frames() []Frame {
	type calls struct {
		lines    []*pprof.Line // from the program on
		rewrites uint64
	}
	var all []*calls
	for _, s := range p.out.Sample {
		c := &calls{rewrites: uint64(s.Value[inRewrites])}
		for _, loc := range slices.Backward(s.Location) {
			for i := range slices.Backward(loc.Line) {
				if c.rewrites > 0 && len(c.lines) < mostDepth {
					c.lines = append(c.lines, &loc.Line[i])
				}
			}
		}
		all = append(all, c)
	}
	compare := func(k, l *pprof.Line) int {
		return cmp.Or(cmp.Compare(k.Line, l.Line), cmp.Compare(k.Function.Name, l.Function.Name))
	}
	sort.SliceStable(all, func(i, j int) bool {
		c, d := all[i].lines, all[j].lines
		n := min(len(c), len(d))
		return cmp.Or(slices.CompareFunc(c[:n], d[:n], compare), len(d)-len(c)) < 0
	})
	out := []Frame{{}}
	var before []*pprof.Line // the calls that were last
	around := []int{0}       // their frames, behind that of the whole run
	for _, c := range all {
		from, same := out[0].Rewrites, true
		out[0].Rewrites += c.rewrites
		for i, l := range c.lines {
			if same = same && i < len(before) && compare(before[i], l) == 0; !same {
				around = append(around[:i+1], len(out))
				out = append(out, Frame{Name: l.Function.Name, Line: int(l.Line), Depth: i + 1, From: from})
			}
			out[around[i+1]].Rewrites += c.rewrites
		}
		before = c.lines
	}
	return out
}

// passNames are the values of the label pass; what is not told apart has none.
var passNames = map[calls.Origin]string{calls.SourceCode: "source", calls.GeneratedCode: "generated"}

// add adds a sample of a machine.
func (o *Profile) add(s *calls.Sample) {
	var stack []*pprof.Location
	if s.Input >= 0 {
		stack = o.ofInput(o.inputs[s.Input])
	} else {
		for _, f := range s.Stack {
			stack = append(stack, o.location(f.Func, f.At))
		}
	}
	var ids []byte
	for _, l := range stack {
		ids = binary.AppendUvarint(ids, l.ID)
	}
	key := sampleKey{string(ids), sampleLabels{phase: s.Phase.String(), pass: passNames[s.Origin]}}
	for r, n := range s.Counts {
		if n != 0 {
			key.rule = rule.Rule(r).String()
			o.sample(stack, key)[inRewrites] += int64(n)
		}
	}
	key.rule = ""
	if s.Nodes != 0 {
		v := o.sample(stack, key)
		v[inNodes] += int64(s.Nodes)
		v[inBytes] += int64(s.Bytes)
	}
	if s.Words != 0 {
		o.sample(stack, key)[inWords] += int64(s.Words)
	}
	if s.Time != 0 {
		o.sample(stack, key)[inNanoseconds] += s.Time.Nanoseconds()
	}
}

// The types of samples, by their places in a sample's values.
const (
	inRewrites = iota
	inNodes
	inBytes
	inNanoseconds
	inWords = inNanoseconds // of a literal run, which has no time
)

func newProfile(src *lang.Program, timing, words bool) *Profile {
	types := []*pprof.ValueType{{Type: "rewrites", Unit: "count"}, {Type: "nodes", Unit: "count"},
		{Type: "bytes", Unit: "bytes"}}
	if timing {
		types = append(types, &pprof.ValueType{Type: "time", Unit: "nanoseconds"})
	}
	if words {
		types = append(types, &pprof.ValueType{Type: "words", Unit: "count"})
	}
	o := &Profile{src: src, names: newFunctionNames(src.File),
		out: &pprof.Profile{SampleType: types, DefaultSampleType: types[inRewrites].Type,
			Mapping: []*pprof.Mapping{{ID: 1, File: src.Name, HasFunctions: true, HasFilenames: true,
				HasLineNumbers: true, HasInlineFrames: true}}},
		functions: map[functionKey]*pprof.Function{}, locations: map[codePlace]*pprof.Location{},
		inlined: map[string]*pprof.Location{}, samples: map[sampleKey]*pprof.Sample{},
		stacks: map[string][]*pprof.Location{}, labels: map[sampleLabels]map[string][]string{}}
	o.ofInputs = make([][]*pprof.Location, len(src.Inputs))
	for i := range src.Inputs {
		for range src.Inputs[i].Vars {
			o.inputs = append(o.inputs, i)
		}
	}
	return o
}

// functionKey is a function, and the file with the code: the program may run code of a file that it imports.
type functionKey struct {
	function
	file string
}

// codePlace is a place in the code of a λ.
type codePlace struct{ fun, at term.Pos }

// sampleKey is what tells samples apart: the stack, as text, and the labels.
type sampleKey struct {
	stack string
	sampleLabels
}

type sampleLabels struct{ rule, phase, pass string }

// sample returns the values of the sample with this stack and these labels. Samples share both.
func (o *Profile) sample(stack []*pprof.Location, key sampleKey) []int64 {
	s := o.samples[key]
	if s == nil {
		if o.stacks[key.stack] == nil {
			o.stacks[key.stack] = slices.Clone(stack)
		}
		l := key.sampleLabels
		if o.labels[l] == nil {
			o.labels[l] = map[string][]string{}
			for name, label := range map[string]string{"rule": l.rule, "phase": l.phase, "pass": l.pass} {
				if label != "" {
					o.labels[l][name] = []string{label}
				}
			}
		}
		s = &pprof.Sample{Location: o.stacks[key.stack], Value: make([]int64, len(o.out.SampleType)), Label: o.labels[l]}
		o.samples[key] = s
		o.out.Sample = append(o.out.Sample, s)
	}
	return s.Value
}

// location returns that of a place in the code of the λ at fun, which is 0 for the program.
// A def that was expanded there is a function that was inlined; where it was is not known,
// so that is said to be where the λ begins. The value of a let is one that was inlined, too.
func (o *Profile) location(fun, at term.Pos) *pprof.Location {
	place := codePlace{fun, at}
	if known := o.locations[place]; known != nil {
		return known
	}
	outer := o.names.at(fun)
	inner := outer
	if at != 0 {
		inner = o.names.at(at)
	}
	var lines []pprof.Line
	if let, ok := o.names.letAt(at); ok {
		lines = append(lines, o.line(let, at))
	}
	lines = append(lines, o.line(inner, at))
	if inner != outer {
		lines = append(lines, o.line(outer, cmp.Or(fun, o.src.BodyPos())))
	}
	o.locations[place] = o.lines(lines...)
	return o.locations[place]
}

// ofInput is the stack of work on an input.
func (o *Profile) ofInput(input int) []*pprof.Location {
	if known := o.ofInputs[input]; known != nil {
		return known
	}
	name := o.src.Inputs[input].Name
	f := function{name: "input " + name}
	for i := range o.src.File.Decls {
		if d := &o.src.File.Decls[i]; d.Name == name && d.Kind != syntax.TypeDecl {
			f.pos = term.Pos(d.NameSpan.Start) + 1
		}
	}
	o.ofInputs[input] = []*pprof.Location{o.lines(o.line(f, f.pos)), o.lines(o.line(programFunction, o.src.BodyPos()))}
	return o.ofInputs[input]
}

// line returns a place in a function.
func (o *Profile) line(f function, at term.Pos) pprof.Line {
	file, line, column := o.where(at)
	fn := o.functions[functionKey{f, file}]
	if fn == nil {
		_, start, _ := o.where(f.pos)
		fn = &pprof.Function{ID: uint64(len(o.out.Function) + 1), Name: f.name, SystemName: f.name, Filename: file,
			StartLine: int64(start)}
		o.functions[functionKey{f, file}] = fn
		o.out.Function = append(o.out.Function, fn)
	}
	return pprof.Line{Function: fn, Line: int64(line), Column: int64(column)}
}

// where returns the file, the line and the column of a place, zeros without one.
func (o *Profile) where(at term.Pos) (name string, line, column int) {
	if at == 0 {
		return o.src.Name, 0, 0
	}
	return o.src.File.Where(uint32(at) - 1)
}

// lines returns the location of these lines, what is inlined first.
func (o *Profile) lines(lines ...pprof.Line) *pprof.Location {
	key := ""
	for _, l := range lines {
		key += fmt.Sprintf("%d:%d:%d ", l.Function.ID, l.Line, l.Column)
	}
	loc := o.inlined[key]
	if loc == nil {
		id := uint64(len(o.out.Location) + 1)
		loc = &pprof.Location{ID: id, Address: id, Mapping: o.out.Mapping[0], Line: lines}
		o.inlined[key] = loc
		o.out.Location = append(o.out.Location, loc)
	}
	return loc
}

// function is a function of the source: a def or a let under its name, a fun under its
// place; the program's body is the one at 0. One of the prelude is named where it is used.
type function struct {
	name string
	pos  term.Pos
	let  bool // it is no function, but a value that a let binds
}

var programFunction = function{name: "program"}

// functionNames tell which function a place of the source stands in.
type functionNames struct {
	library map[uint32]string // by offset: functions of the prelude, where they are used
	regions []*region         // of functions, and of what lets bind to other values; the inner ones behind those around
}

// region is the text of a function, or that of a value with the pattern to which a let binds it.
type region struct {
	syntax.Span
	name string
	let  bool
}

func newFunctionNames(f *syntax.File) *functionNames {
	n := &functionNames{library: map[uint32]string{}}
	own := boundNames(f)
	var lets []*region
	named := map[syntax.Expr]bool{} // functions that have the name of what they are bound to
	for i := range f.Decls {
		if d := &f.Decls[i]; d.Kind == syntax.DefDecl {
			n.regions = append(n.regions, &region{d.Span, d.Name, false})
			named[d.Value] = true
		}
	}
	for x := syntax.Expr(f.NumExprs() - 1); x > 0; x-- { // a let before the fun that it binds
		e := f.Expr(x)
		switch e.Kind {
		case syntax.NameExpr:
			if slices.Contains(elaborate.PreludeNames(), e.Text) && !own[e.Text] {
				n.library[e.Span.Start] = e.Text
			}
		case syntax.LetExpr, syntax.BindExpr:
			pats := f.Pats(x)
			bound := f.Kids(x)[0]
			if p := f.Pat(pats[0]); p.Kind == syntax.NamePat && (len(pats) > 1 || f.Expr(bound).Kind == syntax.FunExpr) {
				n.regions = append(n.regions, &region{syntax.Span{Start: p.Span.Start, End: f.Expr(bound).Span.End}, p.Text, false})
				named[bound] = true
			} else {
				lets = append(lets, &region{syntax.Span{Start: p.Span.Start, End: f.Expr(bound).Span.End},
					strings.Join(strings.Fields(f.Text(p.Span)), " "), true})
			}
		case syntax.FunExpr, syntax.LinExpr:
			if !named[x] {
				what := "fun"
				if e.Kind == syntax.LinExpr {
					what = "lin"
				}
				n.regions = append(n.regions, &region{e.Span, what + " at " + f.LineCol(e.Span.Start), false})
			}
		}
	}
	n.regions = append(n.regions, lets...)
	sort.SliceStable(n.regions, func(i, j int) bool {
		a, b := n.regions[i], n.regions[j]
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) < 0
	})
	return n
}

// boundNames returns the names that the file gives to anything.
func boundNames(f *syntax.File) map[string]bool {
	names := map[string]bool{}
	var pats []syntax.Pat
	for i := range f.Decls {
		if f.Decls[i].Kind != syntax.TypeDecl {
			names[f.Decls[i].Name] = true
		}
		pats = append(pats, f.Decls[i].Params...)
	}
	for x := syntax.Expr(1); int(x) < f.NumExprs(); x++ {
		pats = append(pats, f.Pats(x)...)
	}
	for len(pats) > 0 {
		p := pats[len(pats)-1]
		pats = append(pats[:len(pats)-1], f.PatKids(p)...)
		if f.Pat(p).Kind == syntax.NamePat {
			names[f.Pat(p).Text] = true
		}
	}
	return names
}

// at returns the function that the place stands in.
func (n *functionNames) at(pos term.Pos) function {
	if pos == 0 {
		return programFunction
	}
	off := uint32(pos) - 1
	if name, ok := n.library[off]; ok {
		return function{name: name, pos: pos}
	}
	return n.innermost(off, false)
}

// letAt returns the let of the function whose value the place stands in, by the names of both: day.h; false if there is
// none.
func (n *functionNames) letAt(pos term.Pos) (function, bool) {
	if pos == 0 {
		return function{}, false
	}
	l := n.innermost(uint32(pos)-1, true)
	l.name = n.at(pos).name + "." + l.name
	return l, l.let
}

// innermost returns the innermost function, or with lets also let, of which a place is a part.
func (n *functionNames) innermost(off uint32, lets bool) function {
	for _, r := range slices.Backward(n.regions) {
		if r.Start <= off && off < r.End && (lets || !r.let) {
			return function{r.name, term.Pos(r.Start) + 1, r.let}
		}
	}
	return programFunction
}
