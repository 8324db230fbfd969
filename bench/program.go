package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gram-machine/gram"
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
	r := &sourceRuns{Source: s, of: map[int]sourceRun{}}
	limit := Law{Kind: AtMost, Power: s.Law.Power, Logs: s.Law.Logs}
	c := &Claim{
		Title: filepath.Base(s.Name), Family: fmt.Sprintf("%s, by its param %s.", s.Name, s.Param),
		Depends: hex.EncodeToString(h.Sum(nil))[:16],
		Series: []Series{
			s.series("steps", s.Law, Evidence, r.count(func(c *gram.Cost) uint64 { return c.Steps.Total() })),
			s.series("overhead", limit, Aside, r.count(func(c *gram.Cost) uint64 { return c.Overhead.Total })),
			s.series("nodes", limit, Aside, r.count(func(c *gram.Cost) uint64 { return c.Nodes.Allocated })),
			s.series("m", limit, Aside, r.bound(func(b *gram.Bound) uint64 { return b.M })),
			s.series("|G|", limit, Aside, r.bound(func(b *gram.Bound) uint64 { return b.Graph })),
			s.series("time", limit, Aside, r.time),
		},
	}
	time := &c.Series[len(c.Series)-1]
	time.Y, time.Timed = "time (ns)", true
	return c, nil
}

// series is one series of the family.
func (s *Source) series(name string, law Law, role Role, measure func(context.Context, int) (Point, error)) Series {
	return Series{Name: name, Role: role, Law: law, X: s.Param, Y: "count", Quick: s.Sizes, Full: s.Sizes, Measure: measure}
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
	of      map[int]sourceRun
	program *gram.Program
	loaded  int // the size of program
}

// sourceRun is what was counted at one size.
type sourceRun struct {
	cost     gram.Cost
	bound    gram.Bound
	boundErr error
	width    float64
}

// at returns the program at a size.
func (r *sourceRuns) at(ctx context.Context, size int) (*gram.Program, error) {
	if r.program != nil && r.loaded == size {
		return r.program, nil
	}
	p, err := r.load(ctx, size)
	if err != nil {
		return nil, err
	}
	r.program, r.loaded = p, size
	return p, nil
}

// run counts at a size, or returns what was counted there.
func (r *sourceRuns) run(ctx context.Context, size int) (sourceRun, error) {
	if run, ok := r.of[size]; ok {
		return run, nil
	}
	p, err := r.at(ctx, size)
	if err != nil {
		return sourceRun{}, err
	}
	res, err := p.Gradient(ctx, r.Run)
	if err != nil {
		return sourceRun{}, err
	}
	run := sourceRun{cost: res.Cost}
	run.bound, run.boundErr = p.Bound(ctx, r.Run)
	if run.width, err = widestCapture(ctx, &subject{Program: p, size: size}); err != nil {
		return sourceRun{}, err
	}
	if ctx.Err() != nil {
		return sourceRun{}, ctx.Err()
	}
	r.of[size] = run
	return run, nil
}

// count measures a count of the gradient. A graph that can't be had leaves out m and |G|.
func (r *sourceRuns) count(of func(*gram.Cost) uint64) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		run, err := r.run(ctx, size)
		if err != nil {
			return Point{}, err
		}
		more := map[string]float64{StepsName: float64(run.cost.Steps.Total()), OverheadName: float64(run.cost.Overhead.Total), WidthName: run.width}
		if run.boundErr == nil {
			more[MName], more[GraphName] = float64(run.bound.M), float64(run.bound.Graph)
		}
		return Point{X: float64(size), Y: float64(of(&run.cost)), More: more}, nil
	}
}

// bound measures a count of the reduction to the graph.
func (r *sourceRuns) bound(of func(*gram.Bound) uint64) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		run, err := r.run(ctx, size)
		if err == nil {
			err = run.boundErr
		}
		return Point{X: float64(size), Y: float64(of(&run.bound))}, err
	}
}

// time measures one gradient, in nanoseconds.
func (r *sourceRuns) time(ctx context.Context, size int) (Point, error) {
	p, err := r.at(ctx, size)
	if err != nil {
		return Point{}, err
	}
	res, err := p.Gradient(ctx, r.Run)
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(size), Y: res.Cost.Seconds.Reduce * 1e9}, nil
}

// hashing opens files and adds what is in them to a hash.
func hashing(h hash.Hash, open func(string) (fs.File, error)) func(string) (fs.File, error) {
	if open == nil {
		open = func(path string) (fs.File, error) { return os.Open(path) }
	}
	return func(path string) (fs.File, error) {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(f)
		if err != nil {
			return nil, err
		}
		h.Write(text)
		return &readAgain{f, bytes.NewReader(text)}, nil
	}
}

// readAgain is a file whose text has been read.
type readAgain struct {
	fs.File
	text *bytes.Reader
}

func (r *readAgain) Read(p []byte) (int, error) { return r.text.Read(p) }
