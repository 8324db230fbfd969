package elaborate

import (
	"slices"
	"strings"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// The nested patterns of a match become cases that look at one constructor each. Values that no case takes are found,
// and cases that take no value. The cases are rows of patterns, one column for each place that is still to be looked
// at. The first pattern of the first row that is no variable says which place is taken apart next (L. Maranget,
// "Compiling pattern matching to good decision trees", 2008). Each way through the tree is taken by some value, since
// no place is taken apart twice: so a row that no leaf has is useless, and an end without rows is a missing case
// ("Warnings for pattern matching", 2007).

// casePattern is a pattern. With a type it is a constructor, otherwise with parts a tuple or a vector, otherwise a
// variable or _.
type casePattern struct {
	Type   *core.Inductive
	Con    int // which constructor
	Vector bool
	Parts  []*casePattern // of a constructor its argument, if it is written; of a tuple or vector its components
	Name   uint32         // of a variable, in the caller's numbers; 0: _
}

// place is a part of the value that a match looks at. Place 0 is the value itself.
type place int

// bound says that a variable of a case is a place.
type bound struct {
	Name  uint32
	Place place
}

// decision says what to do with a value.
type decision struct {
	// At a leaf, Next is nil: case Row is taken, whose variables are Binds.
	Row   int
	Binds []bound
	// Otherwise Place is taken apart: by its constructors, or, without a type, into the places Parts[0]. There is a
	// tree for each constructor; if its argument has several Parts it is a tuple of them.
	Place  place
	Type   *core.Inductive
	Vector bool
	Parts  [][]place
	Next   []*decision
}

// decisions is a compiled match.
type decisions struct {
	Tree    *decision
	Names   map[place]uint32 // a variable that is the place, if there is one
	Missing []string         // values that no case takes, as patterns; a few of them
	Useless []int            // the cases that no value gets to
	TooMany bool             // the tree would have more than 2¹⁴ nodes
}

const (
	maxTree    = 1 << 14
	maxMissing = 3
)

// row is what is left of a case.
type row struct {
	pats  []*casePattern // by column
	binds []bound
	n     int
}

// shape is what is known of a place.
type shape struct {
	name   string
	vector bool
	parts  []place
}

type compiler struct {
	decisions
	places place
	nodes  int
	shapes map[place]shape
	used   []bool
}

// decide compiles a match with these cases, whose patterns have one type.
func decide(cases []*casePattern) *decisions {
	c := &compiler{decisions: decisions{Names: map[place]uint32{}}, places: 1, shapes: map[place]shape{},
		used: make([]bool, len(cases))}
	rows := syntax.Each(len(cases), func(i int) row { return row{pats: cases[i : i+1], n: i} })
	c.Tree = c.compile([]place{0}, rows)
	for i, used := range c.used {
		if !used {
			c.Useless = append(c.Useless, i)
		}
	}
	return &c.decisions
}

func (p *casePattern) plain() bool { return p.Type == nil && len(p.Parts) == 0 }

// compile makes the tree for rows of patterns for the places.
func (c *compiler) compile(places []place, rows []row) *decision {
	if c.nodes++; c.nodes > maxTree {
		c.TooMany = true
		return &decision{}
	}
	if len(rows) == 0 {
		if len(c.Missing) < maxMissing {
			c.Missing = append(c.Missing, c.example(0, false))
		}
		return &decision{Row: -1}
	}
	first := &rows[0]
	if i := slices.IndexFunc(first.pats, func(p *casePattern) bool { return !p.plain() }); i >= 0 {
		return c.split(i, places, rows)
	}
	c.used[first.n] = true
	for i, p := range first.pats {
		c.bind(first, p, places[i])
	}
	return &decision{Row: first.n, Binds: first.binds}
}

// bind notes that the variable p is a place.
func (c *compiler) bind(r *row, p *casePattern, at place) {
	if p.Name == 0 {
		return
	}
	r.binds = append(r.binds[:len(r.binds):len(r.binds)], bound{p.Name, at})
	if c.Names[at] == 0 {
		c.Names[at] = p.Name
	}
}

// with returns the row with other patterns in place of column i.
func (r row) with(i int, parts []*casePattern) row {
	return row{slices.Concat(r.pats[:i], parts, r.pats[i+1:]), r.binds, r.n}
}

// width returns into how many components patterns open a tuple or vector: the fewest that one of them has, 0 if none
// does. (a, b, c) is (a, (b, c)).
func width(pats []*casePattern) (n int, vector bool) {
	for _, p := range pats {
		if p.Type == nil && len(p.Parts) > 0 && (n == 0 || len(p.Parts) < n) {
			n, vector = len(p.Parts), p.Vector
		}
	}
	return n, vector
}

// components returns the patterns of n components.
func (p *casePattern) components(n int) []*casePattern {
	switch {
	case p.plain():
		return slices.Repeat([]*casePattern{{}}, n)
	case len(p.Parts) == n:
		return p.Parts
	}
	return append(p.Parts[:n-1:n-1], &casePattern{Parts: p.Parts[n-1:]})
}

// split takes column i apart: by its constructors, or as a tuple or vector, which has one.
func (c *compiler) split(i int, places []place, rows []row) *decision {
	at, cons := places[i], []core.Constructor{{}}
	t := &decision{Place: at, Type: rows[0].pats[i].Type}
	if t.Type != nil {
		cons = t.Type.Cons
	}
	for con := range cons {
		var kept []row
		var args []*casePattern // of the rows that are kept
		for _, r := range rows {
			p := r.pats[i]
			switch {
			case p.plain():
				c.bind(&r, p, at)
			case p.Con != con:
				continue
			}
			arg := p
			if t.Type != nil {
				arg = &casePattern{}
				if len(p.Parts) > 0 {
					arg = p.Parts[0]
				}
			}
			kept, args = append(kept, r), append(args, arg)
		}
		n := 0
		if t.Type == nil {
			n, t.Vector = width(args)
		} else if cons[con].Arg != 0 {
			n = c.opened(args)
		}
		parts := syntax.Each(n, func(i int) place { return c.places + place(i) })
		c.places += place(n)
		for k, r := range kept {
			switch {
			case n == 0:
				kept[k] = r.with(i, nil)
			case n == 1 && t.Type != nil:
				kept[k] = r.with(i, args[k:k+1])
			default:
				kept[k] = r.with(i, args[k].components(n))
			}
		}
		c.shapes[at] = shape{cons[con].Name, t.Vector, parts}
		t.Parts = append(t.Parts, parts)
		t.Next = append(t.Next, c.compile(slices.Concat(places[:i], parts, places[i+1:]), kept))
		delete(c.shapes, at)
	}
	return t
}

// opened returns how many components of the argument of a constructor its patterns name: 1 if one of them names it
// whole.
func (c *compiler) opened(args []*casePattern) int {
	n, vector := width(args)
	if n == 0 || vector || slices.ContainsFunc(args, func(a *casePattern) bool { return a.Name != 0 }) {
		return 1
	}
	return n
}

// example is a value of which is known what the way to the present place in the tree says, as a pattern.
func (c *compiler) example(at place, argument bool) string {
	s, ok := c.shapes[at]
	if !ok {
		return "_"
	}
	var parts []string
	for _, p := range s.parts {
		parts = append(parts, c.example(p, s.name != "" && len(s.parts) == 1))
	}
	text := strings.Join(parts, ", ")
	switch {
	case s.vector:
		return "[| " + text + " |]"
	case len(parts) > 1:
		text = "(" + text + ")"
	}
	if s.name == "" || text == "" {
		return s.name + text
	}
	if text = s.name + " " + text; argument {
		return "(" + text + ")"
	}
	return text
}
