package lsp

import (
	"bytes"

	"github.com/gram-machine/gram/lang/syntax"
)

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
	var in *syntax.Decl // the declaration at the place, nil for the body
	for i := range f.Decls {
		d := &f.Decls[i]
		at := f.Outer(d.Span)
		if at.Start > off {
			break
		}
		if at == d.Span {
			in = d
		}
		if at != d.Span || off > d.Span.End || off >= d.NameSpan.Start && off <= d.NameSpan.End || d.Kind == syntax.TypeDecl {
			s.names = append(s.names, name{text: d.Name, span: d.NameSpan, decl: d})
		}
		for _, c := range d.Cons {
			s.names = append(s.names, name{text: c.Name, span: c.Span, decl: d, con: true})
		}
	}
	if f.Body != 0 && off >= f.Expr(f.Body).Span.Start {
		in = nil
	}
	if in == nil {
		s.expr(f.Body)
		return s.names
	}
	if in.Rec {
		for i := range f.Decls {
			if &f.Decls[i] == in {
				from, to := f.Group(i)
				for k := from; k < to; k++ {
					d := &f.Decls[k]
					s.names = append(s.names, name{text: d.Name, span: d.NameSpan, decl: d})
				}
			}
		}
	}
	for _, p := range in.Params {
		s.pattern(p)
	}
	s.expr(in.Value)
	return s.names
}

// scoper collects the names in scope at off.
type scoper struct {
	f     *syntax.File
	off   uint32
	names []name
}

func (s *scoper) pattern(p syntax.Pat) {
	if n := s.f.Pat(p); n.Kind == syntax.NamePat {
		s.names = append(s.names, name{text: n.Text, span: n.Span})
	}
	for _, k := range s.f.PatKids(p) {
		s.pattern(k)
	}
}

// expr adds what is bound on the way from e to the place.
func (s *scoper) expr(e syntax.Expr) {
	tail := true // the place may stand behind e, where an expression is yet to be written
	for e != 0 {
		n, kids := s.f.Expr(e), s.f.Kids(e)
		if s.off < n.Span.Start || s.off > n.Span.End && !tail {
			return
		}
		switch pats := s.f.Pats(e); n.Kind {
		case syntax.FunExpr, syntax.LinExpr:
			for _, p := range pats {
				s.pattern(p)
			}
		case syntax.LetExpr:
			in := s.keywordIn(kids)
			if s.off > in || s.off <= s.f.Pat(pats[0]).Span.End {
				s.pattern(pats[0])
			}
			if s.off <= in {
				for _, p := range pats[1:] {
					s.pattern(p)
				}
			}
		case syntax.ScanExpr:
			if s.off > s.f.Expr(kids[1]).Span.End || s.off <= s.f.Pat(pats[0]).Span.End {
				s.names = append(s.names, name{text: n.Text, span: n.TextSpan, index: true})
				s.pattern(pats[0])
			}
		case syntax.RecExpr:
			for _, b := range kids[:len(kids)-1] {
				s.pattern(s.f.Pats(b)[0])
			}
		case syntax.BindExpr:
			for _, p := range pats[1:] {
				s.pattern(p)
			}
		case syntax.MatchExpr:
			for i, p := range pats {
				if s.off >= s.f.Pat(p).Span.Start && (i == len(pats)-1 || s.off < s.f.Pat(pats[i+1]).Span.Start) {
					s.pattern(p)
				}
			}
		case syntax.CompExpr:
			if bound := s.f.Expr(kids[0]).Span; s.off > bound.End || s.off <= n.TextSpan.End {
				s.names = append(s.names, name{text: n.Text, span: n.TextSpan, index: true})
			}
		}
		e = 0
		for i, k := range kids {
			if s.f.Expr(k).Span.Start <= s.off {
				e = k
				last := i == len(kids)-1
				switch n.Kind {
				case syntax.FunExpr, syntax.LinExpr, syntax.LetExpr, syntax.RecExpr, syntax.BindExpr, syntax.MatchExpr,
					syntax.IfExpr, syntax.CompExpr, syntax.ScanExpr:
					tail = tail && last
				default:
					tail = false
				}
			}
		}
	}
}

// keywordIn returns where the in of a let stands, whose value and body are given.
func (s *scoper) keywordIn(kids []syntax.Expr) uint32 {
	from, to := s.f.Expr(kids[0]).Span.End, s.f.Expr(kids[1]).Span.Start
	if from > to {
		return from
	}
	return from + uint32(max(0, bytes.LastIndex(s.f.Src[from:to], []byte("in"))))
}

// find returns the innermost of the names with a text.
func find(names []name, text string) (name, bool) {
	for i := len(names) - 1; i >= 0; i-- {
		if names[i].text == text {
			return names[i], true
		}
	}
	return name{}, false
}
