package profile

import (
	"encoding/binary"
	"fmt"
	"slices"

	pprof "github.com/google/pprof/profile"

	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// The types of samples, by their places in a sample's values.
const (
	inRewrites = iota
	inNodes
	inBytes
	inNanoseconds
	inWords = inNanoseconds // of a literal run, which has no time
)

// builder is a profile in the making.
type builder struct {
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

func newBuilder(src *lang.Program, timing, words bool) *builder {
	types := []*pprof.ValueType{{Type: "rewrites", Unit: "count"}, {Type: "nodes", Unit: "count"},
		{Type: "bytes", Unit: "bytes"}}
	if timing {
		types = append(types, &pprof.ValueType{Type: "time", Unit: "nanoseconds"})
	}
	if words {
		types = append(types, &pprof.ValueType{Type: "words", Unit: "count"})
	}
	o := &builder{src: src, names: newFunctionNames(src.File),
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

// stackKey returns a stack as text.
func stackKey(stack []*pprof.Location) string {
	key := make([]byte, 0, 4*len(stack))
	for _, l := range stack {
		key = binary.AppendUvarint(key, l.ID)
	}
	return string(key)
}

// sample returns the values of the sample with this stack and these labels.
func (o *builder) sample(stack []*pprof.Location, key sampleKey) []int64 {
	s := o.samples[key]
	if s == nil {
		if o.stacks[key.stack] == nil {
			o.stacks[key.stack] = slices.Clone(stack)
		}
		s = &pprof.Sample{Location: o.stacks[key.stack], Value: make([]int64, len(o.out.SampleType)),
			Label: o.labelsOf(key.sampleLabels)}
		o.samples[key] = s
		o.out.Sample = append(o.out.Sample, s)
	}
	return s.Value
}

// labelsOf returns labels as samples have them: samples share them.
func (o *builder) labelsOf(l sampleLabels) map[string][]string {
	out := o.labels[l]
	if out == nil {
		out = map[string][]string{}
		for _, label := range [...][2]string{{"rule", l.rule}, {"phase", l.phase}, {"pass", l.pass}} {
			if label[1] != "" {
				out[label[0]] = []string{label[1]}
			}
		}
		o.labels[l] = out
	}
	return out
}

// location returns that of a place in the code of the λ at fun, which is 0 for the program.
// A def that was expanded there is a function that was inlined; where it was is not known,
// so that is said to be where the λ begins. The value of a let is one that was inlined, too.
func (o *builder) location(fun, at term.Pos) *pprof.Location {
	k := codePlace{fun, at}
	if o.locations[k] == nil {
		o.locations[k] = o.newLocation(fun, at)
	}
	return o.locations[k]
}

func (o *builder) newLocation(fun, at term.Pos) *pprof.Location {
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
		if fun == 0 {
			fun = o.src.BodyPos()
		}
		lines = append(lines, o.line(outer, fun))
	}
	return o.lines(lines...)
}

// inputStack is the stack of work on a scalar input.
func (o *builder) inputStack(scalar int) []*pprof.Location {
	input := o.inputs[scalar]
	if o.ofInputs[input] == nil {
		o.ofInputs[input] = o.newInputStack(o.src.Inputs[input].Name)
	}
	return o.ofInputs[input]
}

func (o *builder) newInputStack(in string) []*pprof.Location {
	f := function{name: "input " + in}
	var at term.Pos
	for i := range o.src.File.Decls {
		if d := &o.src.File.Decls[i]; d.Name == in && d.Kind != syntax.TypeDecl {
			at = term.Pos(d.NameSpan.Start) + 1
			f.pos = at
		}
	}
	return []*pprof.Location{o.lines(o.line(f, at)), o.lines(o.line(programFunction, o.src.BodyPos()))}
}

// line returns a place in a function.
func (o *builder) line(f function, at term.Pos) pprof.Line {
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
func (o *builder) where(at term.Pos) (name string, line, column int) {
	if at == 0 {
		return o.src.Name, 0, 0
	}
	return o.src.File.Where(uint32(at) - 1)
}

// lines returns the location of these lines, what is inlined first.
func (o *builder) lines(lines ...pprof.Line) *pprof.Location {
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
