package profile

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// function is a function of the source: a def or a let under its name, a fun under its
// place; the program's body is the one at 0. One of the prelude is named where it is used.
type function struct {
	name string
	pos  term.Pos
	let  bool // it is no function, but a value that a let binds
}

var programFunction = function{name: "program"}

// functionNames tell which function a place of the source stands in.
type functionNames struct {
	library map[uint32]string // by offset: functions of the prelude, where they are used
	borders []border          // ascending
	lets    []border          // ascending: the same, with what lets bind to other values than functions
}

// border is an offset from which on the source belongs to a function.
type border struct {
	from uint32
	function
}

// region is the text of a function, or that of a value with the pattern to which a let binds it.
type region struct {
	syntax.Span
	name string
	let  bool
}

func newFunctionNames(f *syntax.File) *functionNames {
	n := &functionNames{library: map[uint32]string{}}
	own := boundNames(f)
	var regions, lets []region
	named := map[syntax.Expr]bool{} // functions that have the name of what they are bound to
	for i := range f.Decls {
		if d := &f.Decls[i]; d.Kind == syntax.DefDecl {
			regions = append(regions, region{d.Span, d.Name, false})
			named[d.Value] = true
		}
	}
	for x := syntax.Expr(f.NumExprs() - 1); x > 0; x-- { // a let before the fun that it binds
		e := f.Expr(x)
		switch e.Kind {
		case syntax.NameExpr:
			if slices.Contains(elaborate.PreludeNames(), e.Text) && !own[e.Text] {
				n.library[e.Span.Start] = e.Text
			}
		case syntax.LetExpr, syntax.BindExpr:
			pats := f.Pats(x)
			bound := f.Kids(x)[0]
			if p := f.Pat(pats[0]); p.Kind == syntax.NamePat && (len(pats) > 1 || f.Expr(bound).Kind == syntax.FunExpr) {
				regions = append(regions, region{syntax.Span{Start: p.Span.Start, End: f.Expr(bound).Span.End}, p.Text, false})
				named[bound] = true
			} else {
				lets = append(lets, region{syntax.Span{Start: p.Span.Start, End: f.Expr(bound).Span.End},
					strings.Join(strings.Fields(f.Text(p.Span)), " "), true})
			}
		case syntax.FunExpr, syntax.LinExpr:
			if !named[x] {
				what := "fun"
				if e.Kind == syntax.LinExpr {
					what = "lin"
				}
				regions = append(regions, region{e.Span, what + " at " + f.LineCol(e.Span.Start), false})
			}
		}
	}
	n.borders = lay(regions)
	n.lets = lay(append(regions, lets...))
	return n
}

// boundNames returns the names that the file gives to anything.
func boundNames(f *syntax.File) map[string]bool {
	names := map[string]bool{}
	var pats []syntax.Pat
	for i := range f.Decls {
		if f.Decls[i].Kind != syntax.TypeDecl {
			names[f.Decls[i].Name] = true
		}
		pats = append(pats, f.Decls[i].Params...)
	}
	for x := syntax.Expr(1); int(x) < f.NumExprs(); x++ {
		switch f.Expr(x).Kind {
		case syntax.FunExpr, syntax.LinExpr, syntax.LetExpr, syntax.BindExpr, syntax.MatchExpr:
			pats = append(pats, f.Pats(x)...)
		}
	}
	for len(pats) > 0 {
		p := pats[len(pats)-1]
		pats = append(pats[:len(pats)-1], f.PatKids(p)...)
		if f.Pat(p).Kind == syntax.NamePat {
			names[f.Pat(p).Text] = true
		}
	}
	return names
}

// lay returns the borders: the innermost region that a place stands in is its function.
func lay(regions []region) []border {
	var borders []border
	slices.SortStableFunc(regions, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	var open []region
	enter := func(from uint32) {
		f := programFunction
		if len(open) > 0 {
			r := open[len(open)-1]
			f = function{r.name, term.Pos(r.Start) + 1, r.let}
		}
		borders = append(borders, border{from, f})
	}
	leave := func(before uint32) {
		for len(open) > 0 && open[len(open)-1].End <= before {
			end := open[len(open)-1].End
			open = open[:len(open)-1]
			enter(end)
		}
	}
	for _, r := range regions {
		leave(r.Start)
		open = append(open, r)
		enter(r.Start)
	}
	leave(^uint32(0))
	return borders
}

// at returns the function that the place stands in.
func (n *functionNames) at(pos term.Pos) function {
	if pos == 0 {
		return programFunction
	}
	off := uint32(pos) - 1
	if name, ok := n.library[off]; ok {
		return function{name: name, pos: pos}
	}
	return within(n.borders, off)
}

// letAt returns the let of the function whose value the place stands in, by the names of both: day.h; false if there is
// none.
func (n *functionNames) letAt(pos term.Pos) (function, bool) {
	if pos == 0 {
		return function{}, false
	}
	l := within(n.lets, uint32(pos)-1)
	l.name = n.at(pos).name + "." + l.name
	return l, l.let
}

// within returns what the borders say of the place.
func within(borders []border, off uint32) function {
	i := sort.Search(len(borders), func(i int) bool { return borders[i].from > off })
	if i == 0 {
		return programFunction
	}
	return borders[i-1].function
}
