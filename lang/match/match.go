// Package match compiles the nested patterns of a match into cases that look at one constructor each, and finds values
// that no case takes and cases that take no value.
//
// The cases are rows of patterns, one column for each place that is still to be looked at. The first pattern of the
// first row that is no variable says which place is taken apart next (L. Maranget, "Compiling pattern matching to good
// decision trees", 2008). Each way through the tree is taken by some value, since no place is taken apart twice: so a
// row that no leaf has is useless, and an end without rows is a missing case ("Warnings for pattern matching", 2007).
package match

import "strings"

// Type is what patterns know of an inductive type: its constructors, and which of them have an argument.
type Type struct {
	Names []string
	Args  []bool
}

// Pattern is a pattern. With a type it is a constructor, otherwise with parts a tuple or a vector, otherwise a variable
// or _.
type Pattern struct {
	Type   *Type
	Con    int // which constructor
	Vector bool
	Parts  []*Pattern // of a constructor its argument, if it is written; of a tuple or vector its components
	Name   uint32     // of a variable, in the caller's numbers; 0: _
}

// Place is a part of the value that a match looks at. Place 0 is the value itself.
type Place int

// Bind says that a variable of a case is a place.
type Bind struct {
	Name  uint32
	Place Place
}

// Tree says what to do with a value.
type Tree struct {
	// At a leaf, Next is nil: case Row is taken, whose variables are Binds.
	Row   int
	Binds []Bind
	// Otherwise Place is taken apart: by its constructors, or, without a type, into the places Parts[0]. There is a
	// tree for each constructor; if its argument has several Parts it is a tuple of them.
	Place  Place
	Type   *Type
	Vector bool
	Parts  [][]Place
	Next   []*Tree
}

// Result is a compiled match.
type Result struct {
	Tree    *Tree
	Names   map[Place]uint32 // a variable that is the place, if there is one
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
	pats  []*Pattern // by column
	binds []Bind
	n     int
}

// shape is what is known of a place.
type shape struct {
	name   string
	vector bool
	parts  []Place
}

type compiler struct {
	Result
	places Place
	nodes  int
	shapes map[Place]shape
	used   []bool
}

// Compile compiles a match with these cases, whose patterns have one type.
func Compile(cases []*Pattern) *Result {
	c := &compiler{Result: Result{Names: map[Place]uint32{}}, places: 1, shapes: map[Place]shape{},
		used: make([]bool, len(cases))}
	var rows []row
	for i, p := range cases {
		rows = append(rows, row{pats: []*Pattern{p}, n: i})
	}
	c.Tree = c.compile([]Place{0}, rows)
	for i, used := range c.used {
		if !used {
			c.Useless = append(c.Useless, i)
		}
	}
	return &c.Result
}

func (p *Pattern) plain() bool { return p.Type == nil && len(p.Parts) == 0 }

// compile makes the tree for rows of patterns for the places.
func (c *compiler) compile(places []Place, rows []row) *Tree {
	if c.nodes++; c.nodes > maxTree {
		c.TooMany = true
		return &Tree{}
	}
	if len(rows) == 0 {
		if len(c.Missing) < maxMissing {
			c.Missing = append(c.Missing, c.example(0, false))
		}
		return &Tree{Row: -1}
	}
	for i, p := range rows[0].pats {
		switch {
		case p.Type != nil:
			return c.cases(i, places, rows)
		case !p.plain():
			return c.open(i, places, rows)
		}
	}
	first := &rows[0]
	c.used[first.n] = true
	for i, p := range first.pats {
		c.bind(first, p, places[i])
	}
	return &Tree{Row: first.n, Binds: first.binds}
}

// bind notes that the variable p is a place.
func (c *compiler) bind(r *row, p *Pattern, at Place) {
	if p.Name == 0 {
		return
	}
	r.binds = append(r.binds[:len(r.binds):len(r.binds)], Bind{p.Name, at})
	if c.Names[at] == 0 {
		c.Names[at] = p.Name
	}
}

// with returns the row with other patterns in place of column i.
func (r row) with(i int, parts []*Pattern) row {
	pats := append(r.pats[:i:i], parts...)
	return row{append(pats, r.pats[i+1:]...), r.binds, r.n}
}

func without(places []Place, i int, parts []Place) []Place {
	return append(append(places[:i:i], parts...), places[i+1:]...)
}

func (c *compiler) newPlaces(n int) []Place {
	out := make([]Place, n)
	for i := range out {
		out[i] = c.places
		c.places++
	}
	return out
}

func plain(n int) []*Pattern {
	out := make([]*Pattern, n)
	for i := range out {
		out[i] = &Pattern{}
	}
	return out
}

// width returns into how many components patterns open a tuple or vector: the fewest that one of them has, 0 if none
// does. (a, b, c) is (a, (b, c)).
func width(pats []*Pattern) (n int, vector bool) {
	for _, p := range pats {
		if p.Type == nil && len(p.Parts) > 0 && (n == 0 || len(p.Parts) < n) {
			n, vector = len(p.Parts), p.Vector
		}
	}
	return n, vector
}

// components returns the patterns of n components.
func (p *Pattern) components(n int) []*Pattern {
	switch {
	case p.plain():
		return plain(n)
	case len(p.Parts) == n:
		return p.Parts
	}
	return append(p.Parts[:n-1:n-1], &Pattern{Parts: p.Parts[n-1:]})
}

func column(rows []row, i int) []*Pattern {
	out := make([]*Pattern, len(rows))
	for k, r := range rows {
		out[k] = r.pats[i]
	}
	return out
}

// open takes column i apart, a tuple or a vector.
func (c *compiler) open(i int, places []Place, rows []row) *Tree {
	n, vector := width(column(rows, i))
	parts, at := c.newPlaces(n), places[i]
	next := make([]row, 0, len(rows))
	for _, r := range rows {
		if r.pats[i].plain() {
			c.bind(&r, r.pats[i], at)
		}
		next = append(next, r.with(i, r.pats[i].components(n)))
	}
	c.shapes[at] = shape{"", vector, parts}
	t := &Tree{Place: at, Vector: vector, Parts: [][]Place{parts}}
	t.Next = []*Tree{c.compile(without(places, i, parts), next)}
	delete(c.shapes, at)
	return t
}

// cases looks at the constructor in column i.
func (c *compiler) cases(i int, places []Place, rows []row) *Tree {
	at, typ := places[i], rows[0].pats[i].Type
	t := &Tree{Place: at, Type: typ}
	for con := range typ.Names {
		var kept []row
		var args []*Pattern // of the rows that are kept
		for _, r := range rows {
			p := r.pats[i]
			switch {
			case p.plain():
				c.bind(&r, p, at)
			case p.Con != con:
				continue
			}
			arg := &Pattern{}
			if !p.plain() && len(p.Parts) > 0 {
				arg = p.Parts[0]
			}
			kept, args = append(kept, r), append(args, arg)
		}
		var parts []Place
		if typ.Args[con] {
			parts = c.newPlaces(c.opened(args))
		}
		for k, r := range kept {
			switch len(parts) {
			case 0:
				kept[k] = r.with(i, nil)
			case 1:
				kept[k] = r.with(i, args[k:k+1])
			default:
				kept[k] = r.with(i, args[k].components(len(parts)))
			}
		}
		c.shapes[at] = shape{typ.Names[con], false, parts}
		t.Parts = append(t.Parts, parts)
		t.Next = append(t.Next, c.compile(without(places, i, parts), kept))
		delete(c.shapes, at)
	}
	return t
}

// opened returns how many components of the argument of a constructor its patterns name: 1 if one of them names it
// whole.
func (c *compiler) opened(args []*Pattern) int {
	n, vector := width(args)
	if n == 0 || vector {
		return 1
	}
	for _, a := range args {
		if a.Name != 0 {
			return 1
		}
	}
	return n
}

// example is a value of which is known what the way to the present place in the tree says, as a pattern.
func (c *compiler) example(at Place, argument bool) string {
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
	if s.name == "" {
		return text
	}
	if text == "" {
		return s.name
	}
	if text = s.name + " " + text; argument {
		return "(" + text + ")"
	}
	return text
}
