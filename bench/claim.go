package bench

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gram-machine/gram"
)

// Claim is one cost claim of the paper, or of gram about it, with the measurements that decide it. A claim is data: one
// more is one more value in a table.
type Claim struct {
	Number int    `json:"number,omitempty"` // its number on the page
	Title  string `json:"title"`            // what the paper says, in one line
	Source string `json:"source,omitempty"` // where it says so, or, of a claim of gram's own, what that is about
	Own    bool   `json:"own,omitempty"`    // the sentence is gram's, not the paper's
	Family string `json:"-"`                // the programs, in one sentence
	// Series are what is measured; all of role Evidence must follow their laws for the claim to hold.
	Series []Series `json:"-"`
	// Correction is the corrected sentence that holds; "" if the claim holds as it is printed. A claim that has one has
	// series of role Printed, whose law fails.
	Correction string `json:"correction,omitempty"`
	Meaning    string `json:"-"` // what the figures mean, a few sentences for the page
	// Depends is what the measurements depend on besides the program that takes them: a
	// hash of the file that a family is read from. "" for families in Go.
	Depends string `json:"-"`
}

// Name is the claim's name for people: "claim 9", or its title if it has no number.
func (c *Claim) Name() string {
	if c.Number == 0 {
		return c.Title
	}
	return fmt.Sprintf("claim %d", c.Number)
}

// Role is what a series is to its claim.
type Role string

// The roles.
const (
	Evidence Role = "evidence"   // decides the verdict
	Printed  Role = "as printed" // breaks the sentence as the paper prints it, where the claim has a correction
	Stronger Role = "stronger"   // breaks a sentence of gram's own that says more than the paper's, and does not decide
	// Contrast is an ablation or a rival that the claim is held against; it has its own law, and does not decide.
	Contrast Role = "contrast"
	Aside    Role = "aside" // is measured in addition, with its own law, and does not decide
)

// Law is how a quantity y is to grow with a quantity x.
type Law struct {
	Kind LawKind
	// Power is the exponent of a power law, 1 for a linear one.
	Power float64
	// Logs is the exponent of a logarithm that multiplies it: 1 for x·log x.
	Logs int
}

// LawKind is the kind of a law.
type LawKind string

// The kinds of laws.
const (
	Power       LawKind = "power"       // y = Θ(x^Power): 1 is linear
	AtMost      LawKind = "at most"     // y = O(x^Power): the largest ratio y / x^Power does not grow; 0 is a constant
	Exponential LawKind = "exponential" // y = 2^Θ(x)
	Equal       LawKind = "equal"       // y = x, exactly, at each point
	Below       LawKind = "below"       // y ≤ x at each point
)

// exact reports whether the law compares y with x at each point, so that nothing is fitted.
func (l Law) exact() bool { return l.Kind == Equal || l.Kind == Below }

// Series is one curve of a claim: how y grows with x over programs of growing size.
type Series struct {
	Name string `json:"name"` // of the family's member, unique in its claim
	Role Role   `json:"role"`
	// Without is what an ablation takes away, as in "without rule (11)"; "" for all other series.
	Without string `json:"without,omitempty"`
	Law     Law    `json:"-"`
	X       string `json:"x"` // the quantities, as axes are labelled: "|G|", "steps", "time (ns)"
	Y       string `json:"y"`
	// If is the condition under which the law is claimed, which is printed with it; "" if there is none.
	If string `json:"-"`
	// Timed says that y is a time: it is taken several times, and is a property of the
	// computer. Counts are taken once.
	Timed bool `json:"-"`
	// Quick and Full are the sizes, in ascending order; sizes for a full run include
	// those for a quick one.
	Quick []int `json:"-"`
	Full  []int `json:"-"`
	// Measure takes one point. It is deterministic, but for times. It ends early with the
	// context's error when the context ends. The series of one claim are measured one after the
	// other, those of several claims at once.
	Measure func(ctx context.Context, size int) (Point, error) `json:"-"`
}

// Point is one measurement.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"` // of a time, the median
	// More has further quantities of the same run by name, exact counts: "m", "|G|",
	// "steps", "overhead", "search". A point of evidence that has the first four enters the
	// bound of Theorem 1, which is of one gradient: a Jacobian leaves "m" out.
	More map[string]float64 `json:"more,omitempty"`
}

// claimsText has the sentence of each claim, where it stands in the paper, its programs, its corrected form if it has
// one, and what its figures mean.
//
//go:embed claims.md
var claimsText string

// Claims returns the cost claims of the paper, in order.
func Claims() (out []Claim) {
	for number, series := range claimSeries {
		if series != nil {
			c := describe(number)
			c.Series = slices.Clone(series)
			out = append(out, c)
		}
	}
	return out
}

// describe is the claim with the number as [claimsText] has it, without series.
func describe(number int) Claim {
	c := Claim{Number: number}
	fields := map[string]*string{"paper": &c.Source, "gram": &c.Source, "programs": &c.Family, "corrected": &c.Correction}
	_, text, _ := strings.Cut(claimsText, fmt.Sprintf("# %d. ", number))
	text, _, _ = strings.Cut(text, "\n# ")
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		paragraph = strings.ReplaceAll(paragraph, "\n", " ")
		name, rest, _ := strings.Cut(paragraph, ": ")
		switch field := fields[name]; {
		case i == 0:
			c.Title = paragraph
		case field != nil:
			*field, c.Own = rest, c.Own || name == "gram"
		default:
			c.Meaning = paragraph
		}
	}
	return c
}

// Source is a program with a param, as a family: how the cost of its gradient grows with the
// param.
type Source struct {
	Name  string // of the file, for errors
	Text  []byte
	Param string // the param that grows
	Sizes []int  // its values
	Law   Law    // that the steps are to follow
	// Load has the other params, and how data are read.
	Load gram.Options
}

// Claim returns the family as a claim without a number: steps against the param, which are
// to follow the law, and besides overhead, nodes, m, |G| and the time of the gradient, which are
// to grow no faster. It loads the program at its least size; the error is that of [gram.Load].
func (s *Source) Claim(ctx context.Context) (*Claim, error) {
	h := sha256.New()
	h.Write(s.Text)
	fmt.Fprintf(h, "%q %q %q", s.Param, s.Load.Params, s.Load.Sets)
	first := *s
	first.Load.Open = hashing(h, s.Load.Open)
	if _, err := first.load(ctx, s.Sizes[0]); err != nil {
		return nil, err
	}
	r := &sourceRuns{Source: s, known: map[int]Point{}}
	limit := Law{Kind: AtMost, Power: s.Law.Power, Logs: s.Law.Logs}
	series := func(name string, role Role, law Law, measure func(*subject) Point) curves {
		return points(role, law, s.Param, "count", measure, sized(name, s.Sizes, s.Sizes))
	}
	return &Claim{
		Title: filepath.Base(s.Name), Family: fmt.Sprintf("%s, by its param %s.", s.Name, s.Param),
		Depends: fmt.Sprintf("%x", h.Sum(nil)[:8]),
		Series: slices.Concat(
			series(StepsName, Evidence, s.Law, r.counted(StepsName)),
			series(OverheadName, Aside, limit, r.counted(OverheadName)),
			series("nodes", Aside, limit, r.counts),
			series(MName, Aside, limit, r.counted(MName)),
			series(GraphName, Aside, limit, r.counted(GraphName)),
			series("time", Aside, limit, r.time).timed().each(func(s *Series) { s.Y = "time (ns)" })),
	}, nil
}

// load loads the program with the param at a size.
func (s *Source) load(ctx context.Context, size int) (*gram.Program, error) {
	opt := s.Load
	opt.Params = append(opt.Params[:len(opt.Params):len(opt.Params)], fmt.Sprintf("%s=%d", s.Param, size))
	return gram.Load(ctx, s.Name, s.Text, opt)
}

// sourceRuns runs the program of a source at its sizes. The series share what was counted: those of a claim are
// measured one after the other.
type sourceRuns struct {
	*Source
	known map[int]Point
}

// at returns the subject with the program at its size.
func (r *sourceRuns) at(s *subject) *subject { return s.with(must(r.load(s.ctx, s.size))) }

// counts is the nodes of a gradient at a size. The point has its other counts, and those of the reduction to the graph
// if that can be had.
func (r *sourceRuns) counts(s *subject) Point {
	if pt, ok := r.known[s.size]; ok {
		return pt
	}
	s = r.at(s)
	cost := s.gradient(gram.EvalOptions{})
	pt, steps := Point{X: float64(s.size), Y: float64(cost.Nodes.Allocated)}, float64(totalSteps(cost))
	pt.add(StepsName, steps)
	pt.add(OverheadName, float64(cost.Overhead.Total))
	pt.add(BilinearName, (termSize.of(s)+float64(len(s.ScalarInputs())))*(steps+1))
	if bound, err := s.Bound(s.ctx, gram.EvalOptions{}); err == nil {
		pt.add(MName, float64(bound.M))
		pt.add(GraphName, float64(bound.Graph))
	}
	try(s.ctx.Err())
	r.known[s.size] = pt
	return pt
}

// counted measures one of the other counts, and time one gradient, in nanoseconds.
func (r *sourceRuns) counted(name string) func(*subject) Point {
	return func(s *subject) Point {
		pt := r.counts(s)
		var ok bool
		if pt.Y, ok = pt.More[name]; !ok {
			r.at(s).bound() // ends with the error
		}
		return pt
	}
}

func (r *sourceRuns) time(s *subject) Point {
	res := must(r.at(s).Gradient(s.ctx, gram.EvalOptions{}))
	return Point{X: float64(s.size), Y: res.Cost.Seconds.Reduce * 1e9}
}

// hashing opens files, and adds what is read from them to a hash.
func hashing(h hash.Hash, open func(string) (fs.File, error)) func(string) (fs.File, error) {
	if open == nil {
		open = func(path string) (fs.File, error) { return os.Open(path) }
	}
	return func(path string) (fs.File, error) {
		f, err := open(path)
		return &hashed{f, io.TeeReader(f, h)}, err
	}
}

// hashed is a file whose text goes into a hash.
type hashed struct {
	fs.File
	text io.Reader
}

func (f *hashed) Read(p []byte) (int, error) { return f.text.Read(p) }
