package gramio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/google/uuid"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// Shard is a part of the rows of a list: some of a file's, or those that it has itself.
type Shard struct {
	Index    int
	Path     string // "": Rows are the rows
	Part, Of int    // of the file's rows, which are divided into Of parts as equal as can be
	From     int    // the first of Rows, in the list
	Rows     []float64
}

// String names the shard for people.
func (s *Shard) String() string {
	if s.Path == "" {
		return fmt.Sprintf("shard %d, from row %d", s.Index, s.From)
	}
	if s.Of == 1 {
		return fmt.Sprintf("shard %d, %s", s.Index, s.Path)
	}
	return fmt.Sprintf("shard %d, part %d of %d of %s", s.Index, s.Part+1, s.Of, s.Path)
}

// Create makes a collection of the shards.
func Create(s beam.Scope, shards []Shard) beam.PCollection {
	return beam.Reshuffle(s, beam.CreateList(s, shards))
}

// part returns the numbers from and to between which part k of n stands.
func part(k, of, n int) (from, to int) { return k * n / of, (k + 1) * n / of }

// shards divides the rows of the program's list, or the files of the input.
func (p *Program) shards(ctx context.Context, rows []float64, src Source) ([]Shard, error) {
	n := max(1, src.Shards)
	var out []Shard
	if src.Input == "" {
		all := len(rows) / p.Width
		if all == 0 {
			return nil, fmt.Errorf("%s: %s has no rows", p.Name, p.Over)
		}
		n = min(n, all)
		for k := range n {
			from, to := part(k, n, all)
			out = append(out, Shard{Index: k, From: from, Rows: rows[from*p.Width : to*p.Width]})
		}
		return out, nil
	}
	_, _, expr, err := p.form(src.Input)
	if err != nil {
		return nil, err
	}
	files, err := List(ctx, expr.Words[0].Text)
	if err != nil {
		return nil, err
	}
	parts := (n + len(files) - 1) / len(files)
	for _, f := range files {
		for k := range parts {
			out = append(out, Shard{Index: len(out), Path: f, Part: k, Of: parts})
		}
	}
	return out, nil
}

// List returns the files that match a pattern, in order. It is an error if there are none.
func List(ctx context.Context, pattern string) ([]string, error) {
	system, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	files, err := system.List(ctx, pattern)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: there is no such file", pattern)
	}
	slices.Sort(files)
	return files, err
}

// form returns the declaration of the list, and the expression that reads the files of an input: that of the declaration
// with another path, or the input itself.
func (p *Program) form(input string) (*syntax.File, *syntax.Decl, *syntax.ExprNode, error) {
	file, err := parse(p.Name, p.Text)
	if err != nil {
		return nil, nil, nil, err
	}
	i := slices.IndexFunc(file.Decls, func(d syntax.Decl) bool { return d.Kind == syntax.DataDecl && d.Name == p.Over })
	if i < 0 {
		return nil, nil, nil, fmt.Errorf("%s: the program has no data %s", p.Name, p.Over)
	}
	d := &file.Decls[i]
	if word, rest, _ := strings.Cut(input, " "); slices.Contains([]string{"csv", "npy", "npz", "parquet", "json"}, word) &&
		strings.HasPrefix(strings.TrimSpace(rest), `"`) {
		f, err := parse("input", []byte("data x = "+input+"\n0"))
		if err != nil {
			return nil, nil, nil, err
		}
		return file, d, f.Expr(f.Decls[0].Value), nil
	}
	n := *file.Expr(d.Value)
	if n.Kind != syntax.FileExpr {
		return nil, nil, nil, fmt.Errorf("data %s is not read from a file, so the input has to say how files are read: "+
			`csv "%s" "column" "column"`, d.Name, input)
	}
	n.Words = slices.Clone(n.Words)
	n.Words[0].Text = input
	return file, d, &n, nil
}

// readFile reads a file of rows. Errors tell its path, and the line and the column.
func (p *Program) readFile(ctx context.Context, name string, want *load.Shape) (load.Value, error) {
	file, d, n, err := p.form(p.Form)
	if err != nil {
		return load.Value{}, err
	}
	alias := path.Base(name)
	n.Words[0].Text = alias
	as, wrong := load.NewFile(n, "")
	var v load.Value
	if wrong == nil {
		text, err := ReadFile(ctx, name)
		if err != nil {
			return load.Value{}, err
		}
		source := &load.Source{Open: func(string) (fs.File, error) { return memory(text) }, Guard: &syntax.Guard{}}
		set := load.SetFile(p.Over, p.Form, as)
		v, wrong = source.Set(&set, want, d)
	}
	if wrong != nil {
		where := file.Foreign(*wrong)
		if where == "" {
			where = name
		}
		return load.Value{}, errors.New(strings.TrimSuffix(strings.Replace(where, alias, name, 1)+": "+wrong.Headline+": "+wrong.Label, ": "))
	}
	return v, nil
}

// attempts is how often a file is read before the error counts.
const attempts = 3

// ReadFile reads a file of any file system that Beam knows. It tries again where the error is another than that there is no
// such file.
func ReadFile(ctx context.Context, name string) ([]byte, error) {
	for try := 1; ; try++ {
		text, err := readOnce(ctx, name)
		if err == nil || try == attempts || errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
			return text, err
		}
		time.Sleep(time.Duration(try) * time.Second)
	}
}

func readOnce(ctx context.Context, name string) ([]byte, error) {
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	f, err := system.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

// WriteFile writes a file of any file system, whole or not at all where that can rename files or, as object stores do, shows
// a file when it is closed. A file that is there is replaced.
func WriteFile(ctx context.Context, name string, text []byte) error {
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer system.Close()
	beside := name
	rename, ok := system.(filesystem.Renamer)
	if ok {
		beside = name + "." + uuid.NewString()
	}
	f, err := system.OpenWrite(ctx, beside)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil && ok {
		err = rename.Rename(ctx, beside, name)
	}
	return err
}

// rows returns the rows of a shard.
func (r *resident) rows(ctx context.Context, s *Shard) ([]float64, error) {
	if s.Path == "" {
		return s.Rows, nil
	}
	v, err := r.readFile(ctx, s.Path, r.data(r.one).Shape)
	if err != nil {
		return nil, err
	}
	from, to := part(s.Part, s.Of, len(v.Data)/r.Width)
	return v.Data[from*r.Width : to*r.Width], nil
}
