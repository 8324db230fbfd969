package reduction

import (
	"fmt"
	"io"

	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Step is a step of a reduction.
type Step struct {
	Number        uint64 // from 1 on; of (10) on a tuple, the last of several
	Rule          rule.Rule
	Pos           term.Pos // 0 for none
	Before, After int      // symbols of the terms
}

// Format is how steps are printed.
type Format uint8

// The formats.
const (
	Text  Format = iota
	LaTeX        // an align* environment, which needs the packages amsmath and xcolor
	JSON         // an object a line
)

// Derivation says what is printed of a reduction.
type Derivation struct {
	Format Format
	// Next chooses the steps, from the redexes of (9) and (10) too if Eta is set; nil for the machine's strategy.
	Next reference.Strategy
	Eta  bool
	// Names are the names of variables; nil for new ones.
	Names *reference.Names
	// End, if not nil, is called with the state that the reduction ends in.
	End func(s *reference.State)
	// Keep, if not nil, chooses the steps that are printed, with the terms before and
	// after each.
	Keep func(s *Step) bool
	// Last is the last step that Keep may choose, after which nothing is left to do; 0
	// for none.
	Last uint64
	// MaxSize bounds the symbols of a term, MaxSteps the steps; 0 for no bound.
	MaxSize  int
	MaxSteps uint64
	// File is the source, for the places of steps.
	File *syntax.File
	// Check, if not nil, is called before each step, and its error ends the work.
	Check func() error
}

// SizeError says that a term is too large to be printed.
type SizeError struct {
	Size, Max int
	Steps     uint64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("the term has %d symbols after %d steps, more than %d", e.Size, e.Steps, e.Max)
}

// StepsError says that the reduction is longer than it may be.
type StepsError struct{ Max uint64 }

func (e *StepsError) Error() string { return fmt.Sprintf("limit of %d steps reached", e.Max) }

// derive reduces the start term and prints the steps. It returns
// how many there were of each rule. The error is a [*SizeError], a [*StepsError], that of
// Check or of w, or a [*denote.UndefinedError].
func derive(w io.Writer, start *reference.Start, opt Derivation) (rule.Counts, error) {
	d := &deriver{Derivation: opt, start: start}
	if d.Names == nil {
		d.Names = reference.NewNames()
	}
	if d.Next == nil {
		d.Next = reference.Machine(nil)
	}
	d.to = &output{Writer: w}
	switch opt.Format {
	case LaTeX:
		d.out = &latexWriter{output: d.to}
	case JSON:
		d.out = &jsonWriter{d.to, &d.Derivation}
	default:
		d.out = &textWriter{output: d.to, opt: &d.Derivation}
	}
	err := d.run()
	return d.counts, err
}

// writer prints in a format.
type writer interface {
	begin()
	// step prints a step between two terms. chained says that the term before it is the
	// one after the step that was printed last.
	step(s *Step, before, after []reference.Token, chained bool)
	end()
}

// output keeps the first error of a writer, after which it writes nothing.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.Writer.Write(b)
	}
	return n, o.err
}

func (o *output) printf(format string, args ...any) { fmt.Fprintf(o, format, args...) }

type deriver struct {
	Derivation
	start  *reference.Start
	to     *output
	out    writer
	counts rule.Counts
	steps  uint64
}

func (d *deriver) run() error {
	d.out.begin()
	d.Names.Reserve(d.start.Duals) // the inputs' own x*
	t := d.start.Term
	var printed uint64
	st := d.start.State(t, d.Eta)
	for d.Last == 0 || d.steps < d.Last {
		if d.Check != nil {
			if err := d.Check(); err != nil {
				return err
			}
		}
		if d.MaxSize > 0 && st.Size() > d.MaxSize {
			return &SizeError{st.Size(), d.MaxSize, d.steps}
		}
		r := d.Next(st)
		if r == nil {
			break
		}
		times := uint64(max(1, r.Times))
		if d.MaxSteps > 0 && d.steps+times > d.MaxSteps {
			return &StepsError{d.MaxSteps}
		}
		after, err := st.Fire(r)
		if err != nil {
			return err
		}
		before := d.steps
		d.steps += times
		d.counts[r.Rule] += times
		to := d.start.State(after, d.Eta)
		s := &Step{Number: d.steps, Rule: r.Rule, Pos: st.Place(r), Before: st.Size(), After: to.Size()}
		// Names are given to all terms, so that they don't depend on what is printed.
		marked, plain := d.Names.Tokens(t, st.Marks(r)), d.Names.Tokens(after, nil)
		if d.Keep == nil || d.Keep(s) {
			if d.out.step(s, marked, plain, printed > 0 && printed == before); d.to.err != nil {
				return d.to.err
			}
			printed = d.steps
		}
		t, st = after, to
	}
	if d.End != nil {
		d.End(st)
	}
	d.out.end()
	return d.to.err
}
