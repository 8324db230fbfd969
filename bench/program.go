package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
)

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
	Run  gram.EvalOptions
}

// Claim returns the family as a claim without a number: steps against the param, which are
// to follow the law, and besides overhead, nodes, m, |G| and the time of the gradient, which are
// to grow no faster. It loads the program at its least size; the error is that of [gram.Load].
func (s *Source) Claim(ctx context.Context) (*Claim, error) {
	h := sha256.New()
	h.Write(s.Text)
	fmt.Fprintf(h, "%q %q %q %v", s.Param, s.Load.Params, s.Load.Sets, s.Run)
	first := *s
	first.Load.Open = hashing(h, s.Load.Open)
	if _, err := first.load(ctx, s.Sizes[0]); err != nil {
		return nil, err
	}
	r := &sourceRuns{Source: s, counted: map[int]*sourceCounts{}}
	limit := Law{Kind: AtMost, Power: s.Law.Power, Logs: s.Law.Logs}
	series := func(name string, role Role, law Law, measure func(*subject) Point) curves {
		return points(role, law, s.Param, "count", measure, sized(name, s.Sizes, s.Sizes))
	}
	c := &Claim{
		Title: filepath.Base(s.Name), Family: fmt.Sprintf("%s, by its param %s.", s.Name, s.Param),
		Depends: hex.EncodeToString(h.Sum(nil))[:16],
		Series: slices.Concat(
			series("steps", Evidence, s.Law, r.cost(totalSteps)),
			series("overhead", Aside, limit, r.cost(func(c *gram.Cost) uint64 { return c.Overhead.Total })),
			series("nodes", Aside, limit, r.cost(func(c *gram.Cost) uint64 { return c.Nodes.Allocated })),
			series("m", Aside, limit, r.bound(func(b *gram.Bound) uint64 { return b.M })),
			series("|G|", Aside, limit, r.bound(func(b *gram.Bound) uint64 { return b.Graph })),
			series("time", Aside, limit, r.time),
		),
	}
	time := &c.Series[len(c.Series)-1]
	time.Y, time.Timed = "time (ns)", true
	return c, nil
}

// load loads the program with the param at a size.
func (s *Source) load(ctx context.Context, size int) (*gram.Program, error) {
	opt := s.Load
	opt.Params = append(opt.Params[:len(opt.Params):len(opt.Params)], fmt.Sprintf("%s=%d", s.Param, size))
	return gram.Load(ctx, s.Name, s.Text, opt)
}

// sourceRuns runs the program of a source at its sizes. The series share what was counted,
// and the program that was loaded last. The series of a claim are measured one after the other.
type sourceRuns struct {
	*Source
	counted map[int]*sourceCounts
	program *gram.Program
	loaded  int // the size of program
}

// sourceCounts is what was counted at one size.
type sourceCounts struct {
	cost     gram.Cost
	bound    gram.Bound
	boundErr error
	more     map[string]float64 // for the points of the gradient's series
}

// at returns the program at a size.
func (r *sourceRuns) at(s *subject) *gram.Program {
	if r.program == nil || r.loaded != s.size {
		r.program, r.loaded = must(r.load(s.ctx, s.size)), s.size
	}
	return r.program
}

// counts counts at a size, or returns what was counted there. A graph that can't be had leaves out m and |G|.
func (r *sourceRuns) counts(s *subject) *sourceCounts {
	if c := r.counted[s.size]; c != nil {
		return c
	}
	s.Program = r.at(s)
	s.Inside = bridge.Of(s.Program)
	c := &sourceCounts{cost: must(s.Gradient(s.ctx, r.Run)).Cost}
	c.more = map[string]float64{StepsName: float64(totalSteps(&c.cost)), OverheadName: float64(c.cost.Overhead.Total),
		BilinearName: (termSize.of(s) + float64(len(s.ScalarInputs()))) * float64(totalSteps(&c.cost)+1)}
	if c.bound, c.boundErr = s.Bound(s.ctx, r.Run); c.boundErr == nil {
		c.more[MName], c.more[GraphName] = float64(c.bound.M), float64(c.bound.Graph)
	}
	try(s.ctx.Err())
	r.counted[s.size] = c
	return c
}

// cost measures a count of the gradient, bound one of the reduction to the graph, and time one gradient, in
// nanoseconds.
func (r *sourceRuns) cost(of func(*gram.Cost) uint64) func(*subject) Point {
	return func(s *subject) Point {
		c := r.counts(s)
		return Point{X: float64(s.size), Y: float64(of(&c.cost)), More: c.more}
	}
}

func (r *sourceRuns) bound(of func(*gram.Bound) uint64) func(*subject) Point {
	return func(s *subject) Point {
		c := r.counts(s)
		try(c.boundErr)
		return Point{X: float64(s.size), Y: float64(of(&c.bound))}
	}
}

func (r *sourceRuns) time(s *subject) Point {
	res := must(r.at(s).Gradient(s.ctx, r.Run))
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
