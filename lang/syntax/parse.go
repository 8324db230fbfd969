package syntax

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"slices"
)

// MaxDiagnostics is how many errors are reported in one run.
const MaxDiagnostics = 20

// NoBody is the headline of the error for a source of declarations alone.
const NoBody = "expected the program's body, found the end of the file"

// Options directs [Parse] and [Format]. The zero value has no limits.
type Options struct {
	Guard // its first error ends the work and is returned
	// Open opens the file that an import names; nil means that imports are not followed. Dir is the folder of the program:
	// paths are relative to the folder of the file that has the import.
	Open func(path string) (fs.File, error)
	Dir  string
}

// Parse parses the program src. The name is for diagnostics. Where there are diagnostics the file is partial: what
// could not be parsed is a BadExpr, BadPat or BadType, or missing, and Body may be 0. Diagnostics come in source order.
// The error is that of the [Guard].
func Parse(name string, src []byte, opt Options) (_ *File, _ []Diagnostic, err error) {
	defer Catch(&err)
	if uint64(len(src)) >= math.MaxUint32 {
		return NewFile(name, nil), []Diagnostic{{Headline: "the program is larger than 4 GB"}}, nil
	}
	p := newParser(name, src, opt)
	p.program()
	p.finish()
	p.f.Comments, p.f.broken = p.s.comments, len(p.s.diags) > 0
	return p.f, p.diagnostics(), nil
}

// parser holds the scanner and the current token. It descends into what nests, which is bounded by MaxNest.
type parser struct {
	f     *File
	s     scanner
	opt   Options
	guard *Guard
	names map[string]string // interned

	tok      lexeme          // the current token, as the layout has it: EOF where a declaration ends
	real     Token           // its own kind
	prevEnd  uint32          // where the token before it ends
	inDecl   bool            // a token at column 1 ends the declaration
	inBody   bool            // a declaration's keyword at column 1 ends the body
	groups   bool            // and joins a declaration to this one
	cons     map[string]bool // the constructors that have been declared
	matching bool            // in the pattern of a match, where every capitalised name is a constructor
	ended    bool            // a misplaced declaration's keyword ends whatever is open
	quiet    uint32          // no further error for a token that starts before this offset
	open     int             // brackets that a part left open when it failed

	nest      int   // how deep the current token is nested
	tooDeep   bool  // that has been reported; nothing more is read
	inner     *form // the innermost open form
	unwinding bool  // after an error: the current token is for a form further out
	letEnds   bool  // the value of the innermost form, a let, ends here without "in"
	last      Expr  // the last operand

	part int // the part of the file that is parsed: its index in parts + 1, 0 for the program's own text
}

func newParser(name string, src []byte, opt Options) *parser {
	guard := &opt.Guard
	f := newFile(name, src, guard)
	return &parser{f: f, s: newScanner(src, 0), opt: opt, guard: guard, names: make(map[string]string),
		cons: map[string]bool{}}
}

// stopped reports whether the parse is over before its end.
func (p *parser) stopped() bool { return p.tooDeep || len(p.s.diags) >= MaxDiagnostics }

// next moves to the next token.
func (p *parser) next() {
	p.prevEnd = p.tok.end
	p.guard.Step()
	if p.stopped() {
		end := uint32(len(p.s.src))
		p.tok, p.real = lexeme{start: end, end: end, col1: true, first: true}, EOF
		p.s.off = end
		return
	}
	p.tok = p.s.scan()
	p.real = p.tok.kind
	if p.tok.col1 && (p.inDecl || p.inBody && p.real.startsDecl()) {
		p.tok.kind = EOF
	}
}

// layoutEnds stops treating the current token as the end of a declaration or body.
func (p *parser) layoutEnds() {
	p.inDecl, p.inBody, p.ended = false, false, false
	p.tok.kind = p.real
}

func (p *parser) at(k Token) bool { return p.tok.kind == k }

// accept moves past the current token if it is k.
func (p *parser) accept(k Token) bool {
	if p.tok.kind != k {
		return false
	}
	p.next()
	return true
}

// text returns the current token's text, each distinct one once.
func (p *parser) text() string {
	b := p.s.src[p.tok.start:p.tok.end]
	s, ok := p.names[string(b)]
	if !ok {
		s = string(b)
		p.names[s] = s
	}
	return s
}

// span is the current token's span; at an end, the place just after the last token.
func (p *parser) span() Span {
	if p.tok.kind == EOF {
		return Span{p.prevEnd, p.prevEnd}
	}
	return Span{p.tok.start, p.tok.end}
}

// report adds a diagnostic, unless this token has had one.
func (p *parser) report(d Diagnostic) {
	if p.tok.start < p.quiet || p.s.mute || p.stopped() {
		return
	}
	p.quiet = p.tok.start + 1
	p.s.diags = append(p.s.diags, d)
}

// reportHere reports an error at the current token.
func (p *parser) reportHere(headline, label string, notes ...Note) {
	p.report(Diagnostic{Span: p.span(), Headline: headline, Label: label, Notes: notes})
}

// expected reports that the current token is not the one that the grammar needs.
func (p *parser) expected(what, hint string, notes ...Note) {
	if p.tok.kind == EOF && p.inDecl && !p.ended && p.real != EOF && !p.real.startsDecl() {
		notes = append(slices.Clip(notes), Note{Span{p.tok.start, p.tok.end},
			"this is at column 1, which ends the declaration; indent it to continue the line above"})
	}
	p.reportHere(fmt.Sprintf("expected %s, found %s", what, p.found()), hint, notes...)
}

// found describes the current token in a message.
func (p *parser) found() string {
	text := clip(string(p.s.src[p.tok.start:p.tok.end]))
	switch k := p.tok.kind; {
	case k == EOF && p.real == EOF:
		return "the end of the file"
	case k == EOF && p.inDecl:
		return "the end of the declaration"
	case k == EOF:
		return "the end of the body"
	case k == IdentTok:
		return "the name `" + text + "`"
	case k == NumberTok:
		return "the number `" + text + "`"
	case k == StringTok:
		return "a string"
	default:
		return "`" + text + "`"
	}
}

// reservedHint says that a reserved word stands where a name should.
func (p *parser) reservedHint() string {
	if p.tok.kind.IsKeyword() {
		return "`" + p.tok.kind.String() + "` is a reserved word"
	}
	return ""
}

// diagnostics returns what was reported, in source order.
func (p *parser) diagnostics() []Diagnostic {
	ds := p.s.diags[:min(len(p.s.diags), MaxDiagnostics)]
	sortDiagnostics(ds)
	if len(ds) == MaxDiagnostics {
		last := &ds[len(ds)-1]
		last.Notes = append(slices.Clip(last.Notes), Note{Text: "too many errors; no more are shown"})
	}
	return ds
}

// program parses declarations up to the body, and the body.
func (p *parser) program() {
	p.next()
	for p.real != EOF {
		if p.tok.kind.startsDecl() || p.groups && p.at(AndTok) {
			p.decl()
			continue
		}
		if p.f.Body != 0 {
			p.skipToDecl()
			continue
		}
		p.body()
	}
}

// finish reports what is missing in the whole.
func (p *parser) finish() {
	p.unknownTypes()
	if p.f.Body == 0 && len(p.s.diags) == 0 {
		at := uint32(len(p.s.src))
		if p.prevEnd > 0 {
			at = p.prevEnd
		}
		d := Diagnostic{Span: Span{at, at}, Headline: NoBody,
			Label: "after the declarations, one expression at column 1 is the program"}
		if line, ok := p.continuation(); ok {
			d = Diagnostic{Span: line, Headline: "expected the program's body", Label: fmt.Sprintf(
				"this line belongs to the declaration of %s, since it is indented; the body starts at column 1",
				p.f.Decls[len(p.f.Decls)-1].Name)}
		}
		p.report(d)
	}
}

// continuation returns the text of an indented line of the last declaration that may have been meant as the body: the
// first after a blank line, or else the last.
func (p *parser) continuation() (line Span, ok bool) {
	if len(p.f.Decls) == 0 || int(p.f.Decls[len(p.f.Decls)-1].Span.Start) > len(p.f.text) {
		return Span{}, false
	}
	d := p.f.Decls[len(p.f.Decls)-1].Span
	at, blank := d.Start, false
	for text := range bytes.Lines(p.f.Src[d.Start:d.End]) {
		code := bytes.TrimSpace(text)
		start := at + uint32(bytes.Index(text, code))
		at += uint32(len(text))
		switch {
		case len(code) == 0:
			blank = true
			continue
		case start == d.Start || bytes.HasPrefix(code, []byte("--")):
			continue
		}
		line, ok = Span{start, start + uint32(len(code))}, true
		if blank {
			break
		}
	}
	return line, ok
}

// body parses the expression that runs to the end of the file.
func (p *parser) body() {
	if !p.tok.col1 {
		p.reportHere("the program's body starts at column 1", "remove the space before this")
	}
	start := p.span()
	p.inBody, p.groups = true, false
	body := p.whole()
	p.f.Body = body.e
	misplaced := p.real.startsDecl() && !p.ended
	p.layoutEnds()
	if misplaced && p.tok.kind.startsDecl() {
		p.reportHere(fmt.Sprintf("expected the end of the file, found the declaration `%s`", p.tok.kind),
			"declarations stand before the body", Note{start, "the body starts here, at column 1"})
	}
}

// skipToDecl moves to the next declaration's keyword at column 1, silently.
func (p *parser) skipToDecl() {
	defer p.silently()()
	for p.real != EOF && !(p.tok.col1 && p.real.startsDecl()) {
		p.next()
	}
}

// silently drops errors until the function that it returns is called.
func (p *parser) silently() (end func()) {
	mute := p.s.mute
	p.s.mute = true
	return func() { p.s.mute = mute }
}

// startsDecl reports whether the current token is the keyword of a declaration at the start of a line.
func (p *parser) startsDecl() bool { return p.tok.first && p.real.startsDecl() }
