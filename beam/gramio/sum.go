package gramio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/beam/internal/bundle"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/rule"
)

// Partial is what a shard, or several together, come to.
type Partial struct {
	Index    int    // of the shard; above the shards, of the group
	Shards   int    // how many are in it
	Rows     int    // of the shards, or points of a sweep
	Wrong    string // what is wrong with the first shard that failed; "": all are in the sums
	Value    float64
	Gradient []float64
	Counts   Counts
}

// Counts are the counts of one gradient, or the sums of several: of nodes at once, the most.
type Counts struct {
	Steps    rule.Counts   `json:"steps"`
	Overhead cost.Overhead `json:"overhead"`
	Nodes    cost.Nodes    `json:"nodes"`
}

// CountsOf are the counts in a cost.
func CountsOf(c *gram.Cost) Counts { return Counts{c.Steps, c.Overhead, c.Nodes} }

// Add adds d to c.
func (c *Counts) Add(d *Counts) {
	c.Steps.AddTimes(&d.Steps, 1)
	c.Overhead.Instantiate += d.Overhead.Instantiate
	c.Overhead.Search += d.Overhead.Search
	c.Overhead.Readback += d.Overhead.Readback
	c.Overhead.Total += d.Overhead.Total
	c.Overhead.Recompute += d.Overhead.Recompute
	c.Overhead.Machine = cmp.Or(c.Overhead.Machine, d.Overhead.Machine)
	c.Nodes.Allocated += d.Nodes.Allocated
	c.Nodes.Freed += d.Nodes.Freed
	c.Nodes.Peak = max(c.Nodes.Peak, d.Nodes.Peak)
}

// add adds what comes next in order.
func (p *Partial) add(q *Partial) {
	p.Shards += q.Shards
	p.Rows += q.Rows
	p.Counts.Add(&q.Counts)
	if p.Wrong == "" {
		p.Wrong = q.Wrong
	}
	p.Value += q.Value
	if len(p.Gradient) < len(q.Gradient) { // what comes before has failed
		p.Gradient = make([]float64, len(q.Gradient))
	}
	for i, x := range q.Gradient {
		p.Gradient[i] += x
	}
}

// Weight says what a shard's value and gradient are multiplied by.
type Weight int

// The weights: 1, or the number of the shard's rows, by whose sum [Partial.Finish] divides.
const (
	Plain Weight = iota
	Mean
)

// Finish divides by the rows if the weight asks for that. It returns the error of the first shard that has failed.
func (p *Partial) Finish(w Weight) error {
	if p.Wrong != "" {
		return errors.New(p.Wrong)
	}
	if w == Mean {
		n := float64(p.Rows)
		p.Value /= n
		for i := range p.Gradient {
			p.Gradient[i] /= n
		}
	}
	return nil
}

func init() {
	beam.RegisterType(reflect.TypeFor[Shard]())
	beam.RegisterType(reflect.TypeFor[Points]())
	beam.RegisterType(reflect.TypeFor[Partial]())
	beam.RegisterCoder(reflect.TypeFor[Shard](), encodeShard, decodeShard)
	beam.RegisterCoder(reflect.TypeFor[Points](), encodePoints, decodePoints)
	beam.RegisterCoder(reflect.TypeFor[Partial](), encodePartial, decodePartial)
	beam.RegisterType(reflect.TypeFor[*gradientFn]())
	beam.RegisterType(reflect.TypeFor[*sweepFn]())
	beam.RegisterType(reflect.TypeFor[*addFn]())
}

// Beam finds a coder by the names of its functions. Those of generic ones are the same for all types.

func encodeShard(x Shard) ([]byte, error)     { return Encode(x) }
func encodePoints(x Points) ([]byte, error)   { return Encode(x) }
func encodePartial(x Partial) ([]byte, error) { return Encode(x) }
func decodeShard(b []byte) (Shard, error)     { return Decode[Shard](b) }
func decodePoints(b []byte) (Points, error)   { return Decode[Points](b) }
func decodePartial(b []byte) (Partial, error) { return Decode[Partial](b) }

// Encode writes a value as elements of collections are written.
func Encode(x any) ([]byte, error) {
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(x)
	return out.Bytes(), err
}

// Decode reads what Encode has written.
func Decode[T any](text []byte) (x T, err error) {
	err = gob.NewDecoder(bytes.NewReader(text)).Decode(&x)
	return x, err
}

// fan is how many partials are added at once.
const fan = 16

// Sum returns a collection of one [Partial]: the sum of value, gradient and counts over the n shards of a collection, whose indices
// are 0 to n-1. The shards are added in a tree that depends on n alone, in the order of their indices, so the bits don't depend on
// the runner, its bundles and its workers. A shard that is missing or that comes twice is an error of the pipeline.
func Sum(s beam.Scope, p *Program, shards beam.PCollection, n int, point []float64, w Weight) beam.PCollection {
	s = s.Scope("gramio.Sum")
	at, _ := binary.Append(nil, binary.LittleEndian, point) // numbers have no errors
	return tree(s, beam.ParDo(s, &gradientFn{Program: p, At: at, Weight: w}, shards), n)
}

// tree adds n partials.
func tree(s beam.Scope, partials beam.PCollection, n int) beam.PCollection {
	for {
		grouped := beam.GroupByKey(s, partials)
		partials = beam.ParDo(s, &addFn{Of: n}, grouped)
		if n = (n + fan - 1) / fan; n == 1 {
			return beam.DropKey(s, partials)
		}
	}
}

// addFn adds the partials of a group.
type addFn struct {
	Of int // partials in all
}

// ProcessElement adds the partials of one group in the order of their indices.
func (f *addFn) ProcessElement(group int, next func(*Partial) bool, emit func(int, Partial)) error {
	from, to := group*fan, min((group+1)*fan, f.Of)
	parts := make([]*Partial, to-from)
	for {
		var p Partial
		if !next(&p) {
			break
		}
		if parts[p.Index-from] != nil {
			return fmt.Errorf("gramio: part %d of %d came twice", p.Index, f.Of)
		}
		parts[p.Index-from] = &p
	}
	sum := Partial{Index: group}
	for i, p := range parts {
		if p == nil {
			return fmt.Errorf("gramio: part %d of %d is missing", from+i, f.Of)
		}
		sum.add(p)
	}
	emit(group/fan, sum)
	return nil
}

// gradientFn computes value and gradient of shards, several at once.
type gradientFn struct {
	Program *Program
	At      []byte // the point, 8 bytes for each number
	Weight  Weight

	bundle.Group[Partial]
	point   []float64
	program *resident
}

// Setup loads the program.
func (f *gradientFn) Setup(ctx context.Context) (err error) {
	f.point = make([]float64, len(f.At)/8)
	if _, err = binary.Decode(f.At, binary.LittleEndian, f.point); err == nil {
		f.program, err = f.Program.resident(ctx)
	}
	return err
}

// ProcessElement begins with a shard, and emits those that are done.
func (f *gradientFn) ProcessElement(ctx context.Context, s Shard, emit func(int, Partial)) {
	f.Do(func() (int, Partial) {
		p, err := f.shard(ctx, &s)
		if err != nil {
			p = &Partial{Index: s.Index, Shards: 1, Wrong: fmt.Sprintf("%s: %v", s.String(), err)}
		}
		return s.Index / fan, *p
	}, emit)
}

func (f *gradientFn) shard(ctx context.Context, s *Shard) (*Partial, error) {
	rows, err := f.program.rows(ctx, s)
	if err != nil {
		return nil, err
	}
	n := len(rows) / f.program.Width
	if n == 0 {
		return &Partial{Index: s.Index, Shards: 1, Gradient: make([]float64, len(f.point))}, nil
	}
	res, err := f.program.gradient(ctx, f.point, rows)
	if err != nil {
		return nil, err
	}
	p := &Partial{Index: s.Index, Shards: 1, Rows: n, Value: res.Values[0], Gradient: res.Jacobian, Counts: CountsOf(&res.Cost)}
	if f.Weight == Mean {
		p.Value *= float64(n)
		for i := range p.Gradient {
			p.Gradient[i] *= float64(n)
		}
	}
	return p, nil
}
