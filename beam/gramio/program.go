// Package gramio runs gram programs in pipelines of Apache Beam: the value and gradient of a program summed over shards of a
// data list, and the program at each of many points.
//
// A [Program] travels to the workers with the pipeline, with all files that it reads. A worker loads it once, and keeps an
// evaluator for each goroutine. An element is a shard; the shards of a bundle run side by side.
//
//	program, shards, err := gramio.Open(ctx, gramio.Source{Path: "linear.gram", Over: "rows", Shards: 8})
//	…
//	p, s := beam.NewPipelineWithRoot()
//	sum := gramio.Sum(s, program, gramio.Create(s, shards), len(shards), program.Point, gramio.Mean)
//	// sum has one element, a gramio.Partial
//
// What is wrong with a shard is a [Partial] with the text in Wrong: a runner that repeats what fails would fail again. A worker
// that dies is the runner's affair: it repeats the bundle. The numbers are the same in each case, to the bit.
package gramio

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing/fstest"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	_ "github.com/gram-machine/gram/parquet" // programs may read such files
)

// Program is a program as it travels: with the files that it reads, by their paths.
type Program struct {
	Name   string
	Text   []byte
	Dir    string // to which paths in the program are relative
	Params []string
	Sets   []string
	Files  map[string][]byte
	Over   string // the data list that shards take the place of; "": none
	Width  int    // numbers in a row of it
	Form   string // how a shard's file is read, as a program writes it: csv "part-*.csv" "a" "b"
	Finite bool   // a result that is NaN or infinite is an error

	Point []float64 `json:"-"` // where the program says; it does not travel
}

// Source says what [Open] opens.
type Source struct {
	Path   string   // of the program
	Params []string // as [gram.Options] has them
	Sets   []string
	Over   string // the data list; "": none
	// Input names files with the rows of the list: a pattern like gs://bucket/part-*.csv, read as the program reads the list, or an
	// expression with a pattern for a path, csv "part-*.csv" "a" "b" skip. "": the program's own list is cut.
	Input  string
	Shards int // at least so many, as far as there are rows; each file is cut into equally many
}

// Open loads a program, and returns it with the shards of its list. A file that the list is read from does not travel.
func Open(ctx context.Context, src Source) (*Program, []Shard, error) {
	text, err := os.ReadFile(src.Path)
	if err != nil {
		return nil, nil, err
	}
	p := &Program{Name: src.Path, Text: text, Dir: filepath.Dir(src.Path), Params: src.Params, Sets: src.Sets, Over: src.Over, Files: map[string][]byte{}}
	var values map[string][]float64
	var rows []float64
	if src.Over != "" {
		if src.Input != "" {
			if rows, err = p.firstRows(ctx, src.Input); err != nil {
				return nil, nil, err
			}
		} else if rows, err = p.ownRows(ctx); err != nil {
			return nil, nil, err
		}
		values = map[string][]float64{src.Over: rows}
	}
	loaded, err := p.load(ctx, values, p.record)
	if err != nil {
		return nil, nil, err
	}
	p.Point = loaded.Point()
	if err := loaded.Differentiable(); err != nil {
		return nil, nil, err
	}
	if s := loaded.Shape(); src.Over != "" && (s == nil || s.Kind != load.Real) {
		return nil, nil, fmt.Errorf("%s: the body has type %s; a sum over shards has type R", p.Name, loaded.Type())
	}
	if src.Over == "" {
		return p, nil, nil
	}
	if err := p.list(loaded); err != nil {
		return nil, nil, err
	}
	shards, err := p.shards(ctx, rows, src)
	return p, shards, err
}

// ownRows are the rows that the program's own list has.
func (p *Program) ownRows(ctx context.Context) ([]float64, error) {
	whole, err := p.load(ctx, nil, open)
	if err != nil {
		return nil, err
	}
	if err := p.list(whole); err != nil {
		return nil, err
	}
	return p.data(whole).Value.Data, nil
}

// firstRows are the rows of the first file, by which the program is typed.
func (p *Program) firstRows(ctx context.Context, input string) ([]float64, error) {
	_, _, n, err := p.form(input)
	if err != nil {
		return nil, err
	}
	p.Form = input
	files, err := List(ctx, n.Words[0].Text)
	if err != nil {
		return nil, err
	}
	v, err := p.readFile(ctx, files[0], nil)
	return v.Data, err
}

// list checks that the program has the list, and that it can be divided, and sets the width of its rows.
func (p *Program) list(loaded *gram.Program) error {
	d := p.data(loaded)
	switch {
	case d == nil:
		return fmt.Errorf("%s: the program has no data %s", p.Name, p.Over)
	case d.Shape.Kind != load.List || d.Shape.Tagged():
		return fmt.Errorf("%s: %s is %v, and no list", p.Name, p.Over, d.Shape)
	case d.Used:
		return fmt.Errorf("%s: other values of the program are computed from %s, so it cannot be divided", p.Name, p.Over)
	}
	p.Width = d.Shape.A.Width()
	return nil
}

// data returns the list of the loaded program, or nil.
func (p *Program) data(loaded *gram.Program) *load.Variable {
	data := bridge.Of(loaded).Source().Data
	i := slices.IndexFunc(data, func(d load.Variable) bool { return d.Name == p.Over })
	if i < 0 {
		return nil
	}
	return &data[i]
}

func parse(name string, text []byte) (*syntax.File, error) {
	file, wrong, err := syntax.Parse(name, text, syntax.Options{})
	if err == nil && len(wrong) > 0 {
		err = syntax.NewErrors(file, wrong)
	}
	return file, err
}

// load loads the program.
func (p *Program) load(ctx context.Context, values map[string][]float64, open func(string) (fs.File, error)) (*gram.Program, error) {
	return gram.Load(ctx, p.Name, p.Text, gram.Options{Params: p.Params, Sets: p.Sets, Values: values, Dir: p.Dir, Open: open})
}

func open(path string) (fs.File, error) { return os.Open(path) }

// record opens a file, and takes it into the program.
func (p *Program) record(path string) (fs.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p.Files[path] = text
	return memory(text)
}

// file opens a file that has travelled with the program.
func (p *Program) file(path string) (fs.File, error) {
	text, ok := p.Files[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return memory(text)
}

// memory opens a file in memory.
func memory(text []byte) (fs.File, error) { return fstest.MapFS{"file": {Data: text}}.Open("file") }

// NewPoint returns the program's point, with the names of the inputs.
func (p *Program) NewPoint(ctx context.Context) (*gram.Point, error) {
	r, err := p.resident(ctx)
	if err != nil {
		return nil, err
	}
	return r.one.NewPoint(), nil
}

// resident is a program that a worker has loaded. It stays for the pipelines that the process runs later.
type resident struct {
	*Program
	one *gram.Program // with one row of zeros, or, without a list, as it is

	mu     sync.Mutex
	byRows []*sized // those used last at the end
}

// sized is the program with so many rows.
type sized struct {
	rows    int
	program *gram.Program
	free    []*gram.Evaluator // that no goroutine uses
}

// mostSizes bounds the numbers of rows for which a worker keeps evaluators. Shards of one list have two, files any.
const mostSizes = 4

var (
	residentsMu sync.Mutex
	residents   = map[[sha256.Size]byte]*resident{}
)

// mostResidents bounds the programs that a worker keeps.
const mostResidents = 8

// resident returns the program as the worker has it, and loads it the first time.
func (p *Program) resident(ctx context.Context) (*resident, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(text)
	residentsMu.Lock()
	defer residentsMu.Unlock()
	if r := residents[key]; r != nil {
		return r, nil
	}
	r := &resident{Program: p}
	var values map[string][]float64
	if p.Over != "" {
		values = map[string][]float64{p.Over: make([]float64, p.Width)}
	}
	if r.one, err = p.load(ctx, values, p.file); err != nil {
		return nil, err
	}
	if len(residents) == mostResidents {
		clear(residents) // evaluators that nobody uses give their memory back
	}
	residents[key] = r
	return r, nil
}

// gradient returns value, gradient and counts at the point, with the rows in place of the list. The numbers are the caller's.
func (r *resident) gradient(ctx context.Context, point, rows []float64) (*gram.Result, error) {
	s, e, err := r.take(ctx, rows)
	if err != nil {
		return nil, err
	}
	if r.Over != "" {
		err = e.SetData(r.Over, rows)
	}
	var res *gram.Result
	if err == nil {
		res, err = e.Gradient(ctx, point)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if r.Finite && (!finite(res.Values) || !finite(res.Jacobian)) {
		return nil, errors.Join(r.notFinite(ctx, s.program, point, rows), e.Close())
	}
	out := &gram.Result{Values: slices.Clone(res.Values), Jacobian: slices.Clone(res.Jacobian), Cost: e.Cost()}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.free = append(s.free, e)
	return out, nil
}

// gradients returns the values and the gradients at so many points, one behind the other. They are nil if the points may
// take different steps, if a run fails, or if a number is not finite where that is an error.
func (r *resident) gradients(ctx context.Context, points []float64, count int) (values, jacobians []float64) {
	s, e, err := r.take(ctx, nil)
	if err != nil {
		return nil, nil
	}
	if e.Alike() {
		values, jacobians = make([]float64, count), make([]float64, len(points))
		err = e.Gradients(ctx, points, values, jacobians)
	}
	if err != nil {
		_ = e.Close()
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.free = append(s.free, e)
	if r.Finite && (!finite(values) || !finite(jacobians)) {
		return nil, nil
	}
	return values, jacobians
}

func finite(numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// notFinite finds the place in the program of a result that is not finite. It runs the program again.
func (r *resident) notFinite(ctx context.Context, p *gram.Program, point, rows []float64) error {
	e, err := p.NewGradient(ctx, gram.EvalOptions{Finite: true})
	if err != nil {
		return err
	}
	defer e.Close()
	if r.Over != "" {
		err = e.SetData(r.Over, rows)
	}
	if err == nil {
		_, err = e.Gradient(ctx, point)
	}
	if err == nil {
		err = errors.New("the value or the gradient is not finite")
	}
	return err
}

// take returns an evaluator for so many rows.
func (r *resident) take(ctx context.Context, rows []float64) (*sized, *gram.Evaluator, error) {
	n := 0
	if r.Over != "" {
		n = len(rows) / r.Width
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var s *sized
	if i := slices.IndexFunc(r.byRows, func(s *sized) bool { return s.rows == n }); i >= 0 {
		s = r.byRows[i]
		r.byRows = append(slices.Delete(r.byRows, i, i+1), s)
	} else {
		s = &sized{rows: n, program: r.one}
		if r.Over != "" {
			var err error
			if s.program, err = r.load(ctx, map[string][]float64{r.Over: rows}, r.file); err != nil {
				return nil, nil, err
			}
		}
		if len(r.byRows) == mostSizes {
			for _, e := range r.byRows[0].free {
				_ = e.Close()
			}
			r.byRows = slices.Delete(r.byRows, 0, 1)
		}
		r.byRows = append(r.byRows, s)
	}
	if k := len(s.free); k > 0 {
		e := s.free[k-1]
		s.free = s.free[:k-1]
		return s, e, nil
	}
	e, err := s.program.NewGradient(ctx, gram.EvalOptions{})
	return s, e, err
}
