package lsp

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
)

// document is an open document. The server's lock guards it.
type document struct {
	uri     string
	version int
	text    *text
	edits   edits        // that made the text
	file    *syntax.File // of the text, partial if that has errors; nil if it is too large
	loading *loading     // of the text
	good    *loaded      // the last version without syntax errors that has been loaded; nil if there is none
	cost    *cost        // the last profile; nil if there is none
}

// loading is a load under way. done is closed when it has ended.
type loading struct {
	cancel func()
	done   chan struct{}
}

// loaded is what a load has told.
type loaded struct {
	file  *syntax.File
	types elaborate.Types
	edits int // how many edits had been made
}

// cost is a profile of a program.
type cost struct {
	text  string
	lines []profile.Line
	total uint64
	edits int // how many edits had been made
}

// pathOf returns the path of a file's URI, and the URI itself of anything else, with the folder that the program's
// paths are relative to.
func pathOf(uri string) (path, dir string) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri, ""
	}
	path = u.Path
	if len(path) > 2 && path[2] == ':' {
		path = path[1:] // /C:/folder
	}
	path = filepath.FromSlash(path)
	return path, filepath.Dir(path)
}

// parse returns the syntax tree of a document.
func (s *Server) parse(ctx context.Context, uri string, t *text) *syntax.File {
	path, dir := pathOf(uri)
	meter := limits.New(ctx, s.cfg.MaxMemory)
	f, _, err := syntax.Parse(path, []byte(t.src),
		syntax.Options{Guard: syntax.Guard{Check: meter.Check, Reserve: meter.Reserve}, Open: s.open(ctx), Dir: dir})
	if err != nil {
		return nil
	}
	return f
}

// load loads a version of a document within the limits, and returns its errors. out is nil if there are errors of
// syntax, or a limit was reached.
func (s *Server) load(ctx context.Context, uri string, t *text, f *syntax.File) (out *loaded, ds []diagnostic) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	path, dir := pathOf(uri)
	meter := limits.New(ctx, s.cfg.MaxMemory)
	out = &loaded{file: f}
	_, err := lang.Load(path, []byte(t.src), lang.Options{
		Dir: dir, Open: s.open(ctx), Check: meter.Check, Reserve: meter.Reserve, Types: &out.types,
	})
	var wrong *syntax.Errors
	switch {
	case err == nil:
		return out, []diagnostic{}
	case errors.As(err, &wrong):
		for _, d := range wrong.List {
			ds = append(ds, diagnosticOf(uri, t, wrong.File, d))
		}
	default:
		ds = []diagnostic{{Severity: severityError, Source: "gram", Message: "the program was not checked: " + err.Error()}}
	}
	if out.types.Parts == nil {
		out = nil
	}
	return out, ds
}

// locate returns the place of a span of a program, in the text t of a document or in a file that it imports.
func locate(uri string, t *text, f *syntax.File, s syntax.Span) location {
	if in, s := f.Part(s); in != f {
		u := url.URL{Scheme: "file", Path: filepath.ToSlash(in.Name)}
		return location{u.String(), newText(string(in.Src)).span(s)}
	}
	return location{uri, t.span(s)}
}

// diagnosticOf returns an error as the protocol has it. An error in a data file or an imported file stands where the
// program names that.
func diagnosticOf(uri string, t *text, f *syntax.File, d syntax.Diagnostic) diagnostic {
	at := f.Outer(d.Span)
	message := strings.TrimSuffix(d.Headline+": "+d.Label, ": ")
	if where := f.Foreign(d); where != "" {
		message = where + ": " + message
	}
	out := diagnostic{Severity: severityError, Source: "gram"}
	for _, n := range d.Notes {
		switch {
		case n.Span == (syntax.Span{}):
			message += "\n" + n.Text
		case at == (syntax.Span{}) && d.File != "":
			at = f.Outer(n.Span)
		default:
			out.Related = append(out.Related, related{locate(uri, t, f, n.Span), n.Text})
		}
	}
	out.Range, out.Message = t.span(at), message
	return out
}

// run runs a version of a document within the limits, for its gradient if it has one.
func (s *Server) run(ctx context.Context, uri string, t *text) (*cost, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	path, dir := pathOf(uri)
	p, err := gram.Load(ctx, path, []byte(t.src), gram.Options{Dir: dir, Open: s.open(ctx), MaxMemory: s.cfg.MaxMemory})
	if err == nil {
		err = bridge.Of(p).Expand(ctx)
	}
	if err != nil {
		return nil, err
	}
	prof, err := profile.Run(ctx, p, len(p.Inputs()) > 0 && p.Differentiable() == nil, false, s.cfg.Run)
	if err != nil {
		return nil, err
	}
	return &cost{text: t.src, lines: prof.Lines(), total: prof.Result.Cost.Steps.Total()}, nil
}

// reason returns the first line of an error.
func reason(err error) string {
	var wrong *gram.Error
	if errors.As(err, &wrong) && len(wrong.Diagnostics) > 0 {
		d := wrong.Diagnostics[0]
		return strings.TrimSuffix(d.Headline+": "+d.Label, ": ")
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return cmp.Or(first, "unknown error")
}

// text is the text of a document. The protocol places a character by its line and the number of UTF-16 units before it.
type text struct {
	src   string
	lines []int // where lines start
}

func newText(src string) *text {
	t := &text{src: src, lines: []int{0}}
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' && !strings.HasPrefix(src[i+1:], "\n") {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// position returns the place of the byte at off.
func (t *text) position(off int) position {
	off = min(off, len(t.src))
	line := sort.SearchInts(t.lines, off+1) - 1
	return position{line, units(t.src[t.lines[line]:off])}
}

// units returns the number of UTF-16 units of s.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// offset returns the byte at a place. A place behind the end of a line is its end.
func (t *text) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(t.lines) {
		return len(t.src)
	}
	off := t.lines[p.Line]
	for n := p.Character; n > 0 && off < len(t.src) && t.src[off] != '\n' && t.src[off] != '\r'; {
		r, size := utf8.DecodeRuneInString(t.src[off:])
		n -= utf16.RuneLen(r)
		off += size
	}
	return off
}

// span returns the range of a span of the source.
func (t *text) span(s syntax.Span) span {
	return span{t.position(int(s.Start)), t.position(int(s.End))}
}

// word returns the name at off or just before it; start is end if there is none.
func (t *text) word(off int) (start, end int) {
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\'' }
	before, behind := strings.TrimRightFunc(t.src[:off], part), strings.TrimLeftFunc(t.src[off:], part)
	return len(before), len(t.src) - len(behind)
}

// edit says how a text has become another: the bytes from start on, up to oldEnd in the old text, are those up to
// newEnd in the new one.
type edit struct{ start, oldEnd, newEnd int }

func editOf(before, after string) edit {
	e := edit{0, len(before), len(after)}
	for e.start < e.oldEnd && e.start < e.newEnd && before[e.start] == after[e.start] {
		e.start++
	}
	for e.oldEnd > e.start && e.newEnd > e.start && before[e.oldEnd-1] == after[e.newEnd-1] {
		e.oldEnd--
		e.newEnd--
	}
	return e
}

// moved returns a span of a text, whose bytes from start to end become others that end at newEnd. It fails for a span
// that overlaps these bytes.
func moved(s syntax.Span, start, end, newEnd int) (syntax.Span, bool) {
	if int(s.End) <= start {
		return s, true
	}
	by := uint32(newEnd - end) // modulo 2³²
	return syntax.Span{Start: s.Start + by, End: s.End + by}, int(s.Start) >= end
}

// edits are the edits of a document since it was opened.
type edits []edit

// back returns where a span of the present text stood when there had been n edits.
func (es edits) back(s syntax.Span, n int) (_ syntax.Span, ok bool) {
	ok = true
	for i := len(es) - 1; i >= n && ok; i-- {
		s, ok = moved(s, es[i].start, es[i].newEnd, es[i].oldEnd)
	}
	return s, ok
}

// forward returns where a span of the text after n edits stands now.
func (es edits) forward(s syntax.Span, n int) (_ syntax.Span, ok bool) {
	ok = true
	for i := n; i < len(es) && ok; i++ {
		s, ok = moved(s, es[i].start, es[i].oldEnd, es[i].newEnd)
	}
	return s, ok
}
