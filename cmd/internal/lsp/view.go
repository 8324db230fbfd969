package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gram-machine/gram/docs"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// view is a version of a document, for one request.
type view struct {
	ctx context.Context
	document
}

// within reports whether off stands in a comment or in what says which file is read.
func (v view) within(off int) bool {
	inside := func(s syntax.Span) bool { return int(s.Start) < off && off < int(s.End) }
	if slices.ContainsFunc(v.file.Comments, func(s syntax.Span) bool { return inside(s) || int(s.End) == off }) ||
		slices.ContainsFunc(v.file.Imports, func(i syntax.Import) bool { return inside(i.File) }) {
		return true
	}
	for e := syntax.Expr(1); int(e) < v.file.NumExprs(); e++ {
		if slices.ContainsFunc(v.file.Expr(e).Words, func(w syntax.Word) bool { return inside(w.Span) }) {
			return true
		}
	}
	return false
}

// named returns the name at off, where it is written, and what binds it, if it is in scope.
func (v view) named(off int) (written string, at syntax.Span, bound name, ok bool) {
	start, end := v.text.word(off)
	if start == end || v.within(off) {
		return "", at, bound, false
	}
	written, at = v.text.src[start:end], syntax.Span{Start: uint32(start), End: uint32(end)}
	for _, n := range slices.Backward(scope(v.file, at.Start)) { // the innermost first
		if n.text == written {
			return written, at, n, true
		}
	}
	return written, at, bound, false
}

// typeOf returns the type of the part of the program at s, if it is known.
func (v view) typeOf(s syntax.Span) (string, bool) {
	if v.good == nil {
		return "", false
	}
	s, ok := v.edits.back(s, v.good.edits)
	if !ok {
		return "", false
	}
	t, ok := v.good.types.Parts[s]
	return t, ok
}

// around returns the smallest part of the program around off that has a type.
func (v view) around(off int) (at syntax.Span, is string) {
	if v.good == nil {
		return at, ""
	}
	for s, t := range v.good.types.Parts {
		s, ok := v.edits.forward(s, v.good.edits)
		if !ok || off < int(s.Start) || off >= int(s.End) {
			continue
		}
		if size, best := s.End-s.Start, at.End-at.Start; is == "" || size < best || size == best && s.Start > at.Start {
			at, is = s, t
		}
	}
	return at, is
}

// hover tells the type of what stands at a place.
func (v view) hover(p documentParams) any {
	off := v.text.offset(p.Position)
	written, at, bound, inScope := v.named(off)
	var lines string
	switch f, known := function(written); {
	case inScope:
		lines = v.describe(bound, at)
	case known:
		lines = code(f.Name+" : "+f.Type) + about(f)
	case !v.within(off):
		var is string
		if at, is = v.around(off); is != "" {
			lines = code(oneLine(v.text.src[at.Start:at.End]) + " : " + is)
		}
	}
	if lines == "" {
		return nil
	}
	return hover{markup{"markdown", lines}, v.text.span(at)}
}

// describe tells about a name that is written at a place.
func (v view) describe(n name, at syntax.Span) string {
	text, sign, is := n.text, " : ", ""
	switch {
	case n.index:
		return code(text) + "an index, a static number"
	case n.decl == nil:
		var ok bool
		if is, ok = v.typeOf(at); !ok {
			is, _ = v.typeOf(n.span)
		}
	case n.decl.Kind == syntax.TypeDecl && !n.con:
		return code(oneLine(v.file.Text(n.decl.Span)))
	case v.good != nil:
		is = v.good.types.Names[text]
	}
	if n.decl != nil && !n.con {
		text = n.decl.Kind.String() + " " + text
		if n.decl.Kind == syntax.ParamDecl {
			sign = " = "
		}
	}
	if is == "" {
		return code(text)
	}
	return code(text + sign + is)
}

// code is a line of a program in Markdown.
func code(line string) string { return "```gram\n" + line + "\n```\n" }

// oneLine cuts a text to a line of moderate length.
func oneLine(s string) string {
	const most = 60
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return string(runes)
}

// function returns the entry of a function in the reference of the language.
func function(name string) (docs.Function, bool) {
	for _, f := range docs.Functions() {
		if f.Name == name {
			return f, true
		}
	}
	return docs.Function{}, false
}

// about tells what a function is, in Markdown.
func about(f docs.Function) string {
	out := "`" + f.Use + "`: " + f.About
	if len(f.Derivatives) > 0 {
		out += "\n\nDerivative: `" + strings.Join(f.Derivatives, "`, `") + "`"
	}
	return out
}

// definition tells where the name at a place is bound.
func (v view) definition(p documentParams) any {
	if _, _, bound, ok := v.named(v.text.offset(p.Position)); ok {
		return locate(v.uri, v.text, v.file, bound.span)
	}
	off := uint32(v.text.offset(p.Position))
	for _, i := range v.file.Imports {
		if name, ok := v.file.Imported(i); ok && contains(i.Span, off) {
			return locate(v.uri, v.text, v.file, name)
		}
	}
	return nil
}

// format returns the edit that formats the document; none if it has errors of syntax or is formatted.
func (v view) format(documentParams) any {
	formatted, err := syntax.Format(v.file, syntax.Options{Guard: syntax.Guard{Check: v.ctx.Err}})
	if err != nil || string(formatted) == v.text.src {
		return []textEdit{}
	}
	return []textEdit{{span{End: v.text.position(len(v.text.src))}, string(formatted)}}
}

// complete lists what may stand at a place: names in scope, functions, and the words of the language.
func (v view) complete(p documentParams) any {
	off := v.text.offset(p.Position)
	items := []completionItem{}
	if v.within(off) {
		return items
	}
	taken := map[string]bool{"_": true}
	add := func(order string, i completionItem) {
		if !taken[i.Label] {
			taken[i.Label] = true
			i.SortText = order + i.Label
			items = append(items, i)
		}
	}
	names := scope(v.file, uint32(off))
	if v.good != nil { // while a form is being written, the tree may lack it
		if s, ok := v.edits.back(syntax.Span{Start: uint32(off), End: uint32(off)}, v.good.edits); ok {
			names = append(scope(v.good.file, s.Start), names...)
		}
	}
	for _, n := range slices.Backward(names) {
		item := completionItem{Label: n.text, Kind: kindVariable, Detail: v.detail(n)}
		if n.con || n.decl != nil && (n.decl.Kind == syntax.DefDecl || n.decl.Kind == syntax.SymbolDecl) {
			item.Kind = kindFunction
		} else if n.index || n.decl != nil && n.decl.Kind == syntax.ParamDecl {
			item.Kind = kindConstant
		}
		add("0", item)
	}
	for _, f := range docs.Functions() {
		add("1", completionItem{Label: f.Name, Kind: kindFunction, Detail: f.Type,
			Documentation: &markup{"markdown", about(f)}})
	}
	for k := syntax.ParamTok; k.IsKeyword(); k++ {
		add("2", completionItem{Label: k.String(), Kind: kindKeyword})
	}
	for _, word := range syntax.Contextual() {
		add("2", completionItem{Label: word, Kind: kindKeyword})
	}
	return items
}

// detail is the line beside a name in a list.
func (v view) detail(n name) string {
	switch {
	case n.index:
		return "index"
	case n.decl != nil && v.good != nil:
		return v.good.types.Names[n.text]
	}
	is, _ := v.typeOf(n.span)
	return is
}

// codeLenses offers the profile above the first line, and tells the steps of the last one.
func (v view) codeLenses(documentParams) any {
	title := "gram: count the steps of each line"
	if v.cost != nil {
		title = fmt.Sprintf("gram: %s steps; count again", load.Grouped(v.cost.total))
	}
	return []codeLens{{Command: command{title, profileCommand, []any{v.uri}}}}
}

// inlayHints shows the cost of the lines that have not been edited since the last profile.
func (v view) inlayHints(p documentParams) any {
	hints := []inlayHint{}
	if v.cost == nil {
		return hints
	}
	next := 0
	for _, l := range v.cost.lines[1:] {
		start, end := next, len(v.cost.text)
		if i := strings.IndexByte(v.cost.text[start:], '\n'); i >= 0 {
			end = start + i
		}
		next = min(end+1, len(v.cost.text))
		steps := l.Source + l.Generated
		whole := syntax.Span{Start: uint32(max(start-1, 0)), End: uint32(next)} // with the line breaks around it
		_, same := v.edits.forward(whole, v.cost.edits)
		if steps == 0 || !same {
			continue
		}
		s, _ := v.edits.forward(syntax.Span{Start: uint32(start), End: uint32(start + len(l.Text))}, v.cost.edits)
		at := v.text.position(int(s.End))
		if at.Line < p.Range.Start.Line || at.Line > p.Range.End.Line {
			continue
		}
		hints = append(hints, inlayHint{
			Position: at, PaddingLeft: true,
			Label: fmt.Sprintf("%s steps, %.1f %%", load.Grouped(steps), 100*float64(steps)/float64(v.cost.total)),
			Tooltip: fmt.Sprintf("%s of the source, %s of what the reverse transformation adds; %s nodes",
				load.Grouped(l.Source), load.Grouped(l.Generated), load.Grouped(l.Nodes)),
		})
	}
	return hints
}

// name is a name that a program binds.
type name struct {
	text  string
	span  syntax.Span  // where it is bound
	decl  *syntax.Decl // the declaration, nil for a local name
	con   bool         // a constructor of the type that it declares
	index bool         // of vec, sum or list
}

// scope returns the names in scope at a place of a file, the innermost last. The file may have errors.
func scope(f *syntax.File, off uint32) []name {
	s := &scoper{f: f, off: off}
	in := -1 // the declaration at the place, −1 for the body
	for i := range f.Decls {
		d := &f.Decls[i]
		at := f.Outer(d.Span)
		if at.Start > off {
			break
		}
		if at == d.Span {
			in = i
		}
		if at != d.Span || off > d.Span.End || off >= d.NameSpan.Start && off <= d.NameSpan.End || d.Kind == syntax.TypeDecl {
			s.declared(d)
		}
		for _, c := range d.Cons {
			s.names = append(s.names, name{text: c.Name, span: c.Span, decl: d, con: true})
		}
	}
	if in < 0 || f.Body != 0 && off >= f.Expr(f.Body).Span.Start {
		s.expr(f.Body)
		return s.names
	}
	d := &f.Decls[in]
	if d.Rec {
		from, to := f.Group(in)
		for k := from; k < to; k++ {
			s.declared(&f.Decls[k])
		}
	}
	for _, p := range d.Params {
		s.pattern(p)
	}
	s.expr(d.Value)
	return s.names
}

// scoper collects the names in scope at off.
type scoper struct {
	f     *syntax.File
	off   uint32
	names []name
}

func (s *scoper) declared(d *syntax.Decl) {
	s.names = append(s.names, name{text: d.Name, span: d.NameSpan, decl: d})
}

func (s *scoper) pattern(p syntax.Pat) {
	if n := s.f.Pat(p); n.Kind == syntax.NamePat {
		s.names = append(s.names, name{text: n.Text, span: n.Span})
	}
	for _, k := range s.f.PatKids(p) {
		s.pattern(k)
	}
}

// expr adds what is bound on the way from e to the place: what the expressions around it bind there, and what they bind
// at the place itself. Between two parts of an expression the names of both are in scope.
func (s *scoper) expr(e syntax.Expr) {
	tail := true // the place may stand behind e, where an expression is yet to be written
	for e != 0 {
		n, kids := s.f.Expr(e), s.f.Kids(e)
		if s.off < n.Span.Start || s.off > n.Span.End && !tail {
			return
		}
		for _, p := range s.f.Pats(e) {
			if contains(s.f.Pat(p).Span, s.off) {
				s.pattern(p)
			}
		}
		if (n.Kind == syntax.CompExpr || n.Kind == syntax.ScanExpr) && contains(n.TextSpan, s.off) {
			s.names = append(s.names, name{text: n.Text, span: n.TextSpan, index: true})
		}
		of := e
		e = 0
		for i, k := range kids {
			if at := s.f.Expr(k).Span; at.Start <= s.off && (i == len(kids)-1 || s.off < s.f.Expr(kids[i+1]).Span.Start) {
				e = k
				s.bound(of, i)
				if s.off > at.End && i < len(kids)-1 {
					s.bound(of, i+1)
				}
				tail = tail && i == len(kids)-1 && n.Kind.OpenEnded()
			}
		}
	}
}

func contains(at syntax.Span, off uint32) bool { return at.Start <= off && off <= at.End }

// bound adds what e binds in its kid number i.
func (s *scoper) bound(e syntax.Expr, i int) {
	pats, index := s.f.Bound(e, i)
	if n := s.f.Expr(e); index {
		s.names = append(s.names, name{text: n.Text, span: n.TextSpan, index: true})
	}
	for _, p := range pats {
		s.pattern(p)
	}
}
