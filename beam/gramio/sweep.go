package gramio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/beam/internal/bundle"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/rule"
)

// Points is a part of the points of a CSV file: the lines that start in a range of its bytes, without the header.
type Points struct {
	Index    int
	Path     string
	From, To int64
	Output   string // the file for the results
}

// Divide divides a CSV file of points into n parts. Their results go to the files that output names: its * stands for the part
// and the number of parts, 00002-of-00008.
func Divide(ctx context.Context, path string, n int, output string) ([]Points, error) {
	system, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	size, err := system.Size(ctx, path)
	if err != nil {
		return nil, err
	}
	out := make([]Points, n)
	for k := range out {
		from, to := part(k, n, int(size))
		out[k] = Points{k, path, int64(from), int64(to), strings.Replace(output, "*", fmt.Sprintf("%05d-of-%05d", k, n), 1)}
	}
	return out, nil
}

// Sweep runs a program of type R at the points, n parts in all, and writes value, gradient and counts at each into the parts'
// files, in order. It returns a collection of one [Partial], with the sums of the counts.
func Sweep(s beam.Scope, p *Program, points []Points) beam.PCollection {
	s = s.Scope("gramio.Sweep")
	return tree(s, beam.ParDo(s, &sweepFn{Program: p}, beam.Reshuffle(s, beam.CreateList(s, points))), len(points))
}

// sweepFn runs the program at points, several parts at once.
type sweepFn struct {
	Program *Program

	bundle.Group[Partial]
	program *resident
}

// Setup loads the program.
func (f *sweepFn) Setup(ctx context.Context) (err error) {
	f.program, err = f.Program.resident(ctx)
	return err
}

// ProcessElement begins with a part, and emits those that are done.
func (f *sweepFn) ProcessElement(ctx context.Context, points Points, emit func(int, Partial)) {
	f.Do(func() (int, Partial) {
		p, err := f.program.sweep(ctx, &points)
		if err != nil {
			p = &Partial{Index: points.Index, Shards: 1, Wrong: err.Error()}
		}
		return points.Index / fan, *p
	}, emit)
}

// scalars are the names of the scalar inputs: W.(0).(1) is one of W.
func (r *resident) scalars() []string {
	var out []string
	for _, in := range r.one.Inputs() {
		out = appendNames(out, in.Name, in.Shape)
	}
	return out
}

func appendNames(out []string, name string, s *load.Shape) []string {
	part := func(i int) string { return name + ".(" + strconv.Itoa(i) + ")" }
	switch s.Kind {
	case load.Real:
		return append(out, name)
	case load.Product:
		i := 0
		for ; s.Kind == load.Product; i, s = i+1, s.B {
			out = appendNames(out, part(i), s.A)
		}
		return appendNames(out, part(i), s)
	}
	for i := range s.Size {
		out = appendNames(out, part(i), s.A)
	}
	return out
}

// sweep runs the program at the points of a part, and writes their file.
func (r *resident) sweep(ctx context.Context, points *Points) (*Partial, error) {
	system, err := filesystem.New(ctx, points.Path)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	f, err := system.OpenRead(ctx, points.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	sum := &Partial{Index: points.Index, Shards: 1}
	var out bytes.Buffer
	var columns []int
	point := r.one.Point()
	batch := &batch{resident: r, path: points.Path, sum: sum, row: func(point []float64, res *gram.Result, c *Counts) {
		writeRow(&out, columns, point, append(res.Values, res.Jacobian...), c)
	}}
	at := int64(0)
	for line := 1; at < points.To || line == 1; line++ {
		text, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, err
		}
		start := at
		at += int64(len(text))
		last := err == io.EOF
		row := strings.TrimRight(text, "\r\n")
		switch {
		case line == 1:
			if columns, err = r.header(row); err != nil {
				return nil, fmt.Errorf("%s:1: %w", points.Path, err)
			}
			r.writeHeader(&out, columns)
		case start >= points.From && start < points.To && row != "":
			if err := parsePoint(row, columns, point); err != nil {
				return nil, fmt.Errorf("%s:%d:%w", points.Path, line, err)
			}
			batch.points, batch.lines = append(batch.points, point...), append(batch.lines, line)
			if len(batch.lines) == mostInBatch || len(batch.points) >= mostNumbers {
				if err := batch.run(ctx); err != nil {
					return nil, err
				}
			}
		}
		if last {
			break
		}
	}
	if err := batch.run(ctx); err != nil {
		return nil, err
	}
	return sum, WriteFile(ctx, points.Output, out.Bytes())
}

// batch is points of a sweep that run together.
type batch struct {
	*resident
	path   string
	points []float64
	lines  []int // of the file, one for each point
	sum    *Partial
	row    func(point []float64, res *gram.Result, c *Counts)
}

// A batch has so many points at most, and ends with the point that brings it to so many numbers.
const (
	mostInBatch = 512
	mostNumbers = 1 << 14
)

// run runs the program at the points, and hands out their rows. The first point runs by itself. The others run together
// if all take the same steps, and their results are finite where that is asked for; otherwise one after the other.
func (b *batch) run(ctx context.Context) error {
	count := len(b.lines)
	if count == 0 {
		return nil
	}
	n := len(b.points) / count
	var values, jacobians []float64
	var c Counts
	for i, line := range b.lines {
		res := &gram.Result{}
		if i > 0 && values != nil {
			res.Values, res.Jacobian = values[i-1:i:i], jacobians[(i-1)*n:i*n]
		} else {
			var err error
			if res, err = b.gradient(ctx, b.points[i*n:(i+1)*n], nil); err != nil {
				return fmt.Errorf("%s:%d: %w", b.path, line, err)
			}
			c = CountsOf(&res.Cost)
		}
		if i == 0 && count > 1 {
			values, jacobians = b.gradients(ctx, b.points[n:], count-1)
		}
		b.sum.add(&Partial{Rows: 1, Counts: c})
		b.row(b.points[i*n:(i+1)*n], res, &c)
	}
	b.points, b.lines = b.points[:0], b.lines[:0]
	return nil
}

// header returns which scalar input each column is.
func (r *resident) header(row string) ([]int, error) {
	names, err := csv.NewReader(strings.NewReader(row)).Read()
	if err != nil {
		return nil, fmt.Errorf("this is no header with names of inputs: %w", err)
	}
	scalars := r.scalars()
	columns := make([]int, len(names))
	for i, name := range names {
		name = strings.TrimSpace(name)
		columns[i] = slices.Index(scalars, name)
		if columns[i] < 0 {
			return nil, fmt.Errorf("column %d: the program has no scalar input %s: it has %s", i+1, name, strings.Join(scalars, ", "))
		}
		if slices.Contains(columns[:i], columns[i]) {
			return nil, fmt.Errorf("column %d: %s is there twice", i+1, name)
		}
	}
	return columns, nil
}

// parsePoint puts the numbers of a row into the point. The error begins with the column, in runes.
func parsePoint(row string, columns []int, point []float64) error {
	fields := strings.Split(row, ",")
	if len(fields) != len(columns) {
		return fmt.Errorf("1: %d columns are expected, and there are %d", len(columns), len(fields))
	}
	at := 1
	for i, text := range fields {
		x, err := syntax.ParseNumber(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("%d: %q is no number", at, text)
		}
		point[columns[i]] = x
		at += utf8.RuneCountInString(text) + 1
	}
	return nil
}

func (r *resident) writeHeader(out *bytes.Buffer, columns []int) {
	scalars := r.scalars()
	for _, c := range columns {
		out.WriteString(scalars[c] + ",")
	}
	out.WriteString("value")
	for _, name := range scalars {
		out.WriteString(",gradient." + name)
	}
	out.WriteString(",steps")
	for _, name := range rule.Names() {
		out.WriteString(",steps." + name)
	}
	out.WriteString(",overhead,nodes\n")
}

func writeRow(out *bytes.Buffer, columns []int, point, results []float64, c *Counts) {
	number := func(x float64) { out.Write(strconv.AppendFloat(out.AvailableBuffer(), x, 'g', -1, 64)) }
	for _, i := range columns {
		number(point[i])
		out.WriteByte(',')
	}
	for _, x := range results {
		number(x)
		out.WriteByte(',')
	}
	fmt.Fprint(out, c.Steps.Total())
	for _, n := range c.Steps {
		fmt.Fprintf(out, ",%d", n)
	}
	fmt.Fprintf(out, ",%d,%d\n", c.Overhead.Total, c.Nodes.Allocated)
}
