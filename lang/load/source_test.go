package load

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
)

// preludeSource is a prelude for tests.
const preludeSource = `
def fold f x l = l f x
def foldl f x l = l (fun a k s -> k (f a s)) (fun s -> s) x
def rev l = foldl (fun k a f x -> f a (k f x)) (fun f x -> x) l
def length l = l (fun a n -> 1 + n) 0
def map g l = fun f x -> l (fun a r -> f (g a) r) x
def iter n f x = n f x
def fst (a, b) = a
def snd (a, b) = b
def compose f g x = f (g x)
`

func parse(tb testing.TB, src string) *syntax.File {
	tb.Helper()
	f, diags, err := syntax.Parse("test.gram", []byte(src), syntax.Options{NoBody: true})
	require.NoError(tb, err)
	require.Empty(tb, diags, "%s", src)
	return f
}

func prelude(tb testing.TB) *syntax.File {
	f, diags, err := syntax.Parse("prelude", []byte(preludeSource), syntax.Options{NoBody: true})
	require.NoError(tb, err)
	require.Empty(tb, diags)
	return f
}

// files are CSV files for tests, by path.
type files map[string]string

// given are the options of a test.
type given struct {
	params, sets []string
	files        files
}

func (g given) options(tb testing.TB) Options {
	tb.Helper()
	opt := Options{Prelude: prelude(tb)}
	fsys := fstest.MapFS{}
	for name, text := range g.files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	opt.Open = fsys.Open
	for _, text := range g.params {
		p, err := ParseParam(text)
		require.NoError(tb, err)
		opt.Params = append(opt.Params, p)
	}
	for _, text := range g.sets {
		s, err := ParseSet(text)
		require.NoError(tb, err)
		opt.Sets = append(opt.Sets, s)
	}
	return opt
}

func load(tb testing.TB, src string, g given) (*Program, error) {
	tb.Helper()
	return Load(parse(tb, src), g.options(tb))
}

// variable returns the input or data called name.
func (p *Program) variable(name string) *Variable {
	d := p.names[name]
	if x := p.Input(d); x != nil {
		return x
	}
	return p.DataOf(d)
}

// text prints a value: its shape and its numbers.
func (v Value) text() string {
	return fmt.Sprintf("%v %v", v.Shape, v.Data)
}

// render prints an error: for each diagnostic its place, headline, label and the
// words at its span, and the notes.
func render(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	var b strings.Builder
	words := func(f *syntax.File, s syntax.Span) string {
		line, col := f.Position(s.Start)
		return fmt.Sprintf("%d:%d «%s»", line, col, f.Src[s.Start:s.End])
	}
	for _, p := range e.Items {
		where := fmt.Sprintf("%s:%d:%d", p.Diagnostic.File, p.Line, p.Col)
		if p.Line == 0 {
			where = words(p.File, p.Span)
		}
		fmt.Fprintf(&b, "%s %s: %s\n", where, p.Headline, p.Label)
		for _, n := range p.Notes {
			place := ""
			if n.Span.End > 0 {
				place = words(p.File, n.Span) + " "
			}
			fmt.Fprintf(&b, "  %s%s\n", place, n.Text)
		}
	}
	return b.String()
}
