package lsp

import (
	"slices"

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

// find returns the innermost of the names with a text.
func find(names []name, text string) (name, bool) {
	for _, n := range slices.Backward(names) {
		if n.text == text {
			return n, true
		}
	}
	return name{}, false
}
