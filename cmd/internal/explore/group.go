package explore

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// mostSingle is how many objects a window may show one by one in a state.
const mostSingle = 50

// Opened says which groups are open: these, or, with Auto, those that leave no more than 50 objects in a state.
type Opened struct {
	Auto bool
	Keys []string // [AllGroups] stands for all
}

// AllGroups stands for the keys of all groups.
const AllGroups = "*"

// Group returns a window with groups in place of objects if there are more than 50 in a state: those of a def, in an
// open def those of a line, and in an open line those that were made in one step, an iteration. A group of one object
// is not made.
func (w *Window) Group(opened Opened) *Window {
	if !w.Crowded() {
		return w
	}
	sizes := map[string]int{}
	for _, n := range w.Nodes {
		for _, l := range n.levels {
			sizes[l.Key]++
		}
	}
	open := map[string]bool{}
	for _, key := range opened.Keys {
		open[key] = true
	}
	closed := func(i int) int { // the group that an object is in, -1: none
		return slices.IndexFunc(w.Nodes[i].levels,
			func(l Level) bool { return sizes[l.Key] > 1 && !open[l.Key] && !open[AllGroups] })
	}
	if opened.Auto {
		w.openGroups(open, closed)
	}
	groups := map[string]*group{}
	places := map[int]int{} // of an object: the ID of what stands for it
	var out []Node
	for i, n := range w.Nodes {
		k := closed(i)
		if k < 0 {
			places[n.ID] = n.ID
			continue
		}
		l := n.levels[k]
		if groups[l.Key] == nil {
			groups[l.Key] = &group{Level: l, id: groupID(l.Key)}
		}
		groups[l.Key].members = append(groups[l.Key].members, &w.Nodes[i])
		places[n.ID] = groups[l.Key].id
	}
	for _, n := range w.Nodes {
		if places[n.ID] == n.ID {
			n.Versions = slices.Clone(n.Versions)
			for i := range n.Versions {
				n.Versions[i].Edges = moved(n.ID, n.Versions[i].Edges, places)
			}
			out = append(out, n)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, groups[key].node(places))
	}
	v := *w
	v.Nodes, v.Open = out, slices.Sorted(maps.Keys(open))
	v.Steps = slices.Clone(w.Steps)
	for i := range v.Steps {
		v.Steps[i].place(places)
	}
	v.Arrivals = []Arrival{}
	for _, a := range w.Arrivals {
		if a.From, a.To = places[a.From], places[a.To]; a.From != a.To {
			v.Arrivals = append(v.Arrivals, a)
		}
	}
	return &v
}

// Crowded reports whether a state has more objects than are shown one by one.
func (w *Window) Crowded() bool {
	turns := map[uint64]int{}
	for _, n := range w.Nodes {
		for _, v := range n.Versions {
			turns[v.From]++
			turns[v.Until]--
		}
	}
	most, now := 0, 0
	for _, k := range slices.Sorted(maps.Keys(turns)) {
		now += turns[k]
		most = max(most, now)
	}
	return most > mostSingle
}

// openGroups opens groups, the largest first and those of the latest objects before others, as long as no state has
// more than 50 objects.
func (w *Window) openGroups(open map[string]bool, closed func(int) int) {
	for depth := range 3 {
		tried := map[string]bool{}
		for i, n := range slices.Backward(w.Nodes) {
			k := closed(i)
			if k != depth || tried[n.levels[k].Key] {
				continue
			}
			key := n.levels[k].Key
			tried[key], open[key] = true, true
			shown, places := &Window{}, map[string]int{} // an object for each that would be drawn, as long as it is there
			for i, n := range w.Nodes {
				if len(n.Versions) == 0 {
					continue
				}
				name := fmt.Sprint(n.ID)
				if k := closed(i); k >= 0 {
					name = n.levels[k].Key
				}
				at, known := places[name]
				if !known {
					at, places[name] = len(shown.Nodes), len(shown.Nodes)
					shown.Nodes = append(shown.Nodes, Node{Versions: []Version{n.Versions[0]}})
				}
				v := &shown.Nodes[at].Versions[0]
				v.From, v.Until = min(v.From, n.Versions[0].From), max(v.Until, n.Versions[len(n.Versions)-1].Until)
			}
			if shown.Crowded() {
				delete(open, key)
			}
		}
	}
}

// inputsKey is the key of the group of what has no place in the source.
const inputsKey = "inputs"

// Level is a group that an object may be in.
type Level struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Text  string `json:"text"` // what it is, for people
}

// levels returns the groups that an object may be in, the largest first.
func (x *Exploration) levels(made uint64, versions []Version) []Level {
	line := 0
	if len(versions) > 0 {
		line = versions[0].Line
	}
	if line == 0 {
		return []Level{{inputsKey, "inputs, result", "The inputs and what waits for the result"}}
	}
	var out []Level
	prefix := ""
	if def := x.defs[line]; def != "" {
		out = append(out, Level{"def " + def, "def " + def, "The def " + def})
		prefix = "def " + def + ", "
	}
	key := fmt.Sprintf("%sline %d", prefix, line)
	out = append(out, Level{key, fmt.Sprintf("line %d", line), fmt.Sprintf("Line %d", line)})
	return append(out, Level{fmt.Sprintf("%s, step %d", key, made), fmt.Sprintf("line %d, step %d", line, made),
		fmt.Sprintf("What step %d made of line %d", made, line)})
}

// defLines returns the names of the defs by their lines.
func defLines(f *syntax.File) map[int]string {
	out := map[int]string{}
	for _, d := range f.Decls {
		if d.Kind != syntax.DefDecl {
			continue
		}
		from, _ := f.Position(d.Span.Start)
		to, _ := f.Position(d.Span.End)
		for line := from; line <= to; line++ {
			out[line] = d.Name
		}
	}
	return out
}

// group is a group that is closed.
type group struct {
	Level
	id      int
	members []*Node
}

// firstGroup is the least number of a group: a run has fewer objects.
const firstGroup = 1 << 30

// groupID numbers a group, from firstGroup on, in 31 bits.
func groupID(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return firstGroup + int(h.Sum32()>>3)
}

// node is what stands for the group: an object with a version for each way in which its members are.
func (g *group) node(places map[int]int) Node {
	var turns []uint64
	for _, n := range g.members {
		for _, v := range n.Versions {
			turns = append(turns, v.From, v.Until)
		}
	}
	slices.Sort(turns)
	turns = slices.Compact(turns)
	out := Node{ID: g.id, Group: g.Key}
	for i, from := range turns[:max(len(turns), 1)-1] {
		v := g.version(from, places)
		if v == nil {
			continue
		}
		v.From, v.Until = from, turns[i+1]
		if n := len(out.Versions); n > 0 && out.Versions[n-1].Until == from && out.Versions[n-1].same(v) {
			out.Versions[n-1].Until = v.Until
			continue
		}
		out.Versions = append(out.Versions, *v)
	}
	return out
}

// version is how the group is in a state, or nil if none of its members is there.
func (g *group) version(state uint64, places map[int]int) *Version {
	v := &Version{Kind: "group", Role: "dual", Waits: true, Label: g.Label}
	count, waiting := 0, 0
	for _, n := range g.members {
		i := slices.IndexFunc(n.Versions, func(v Version) bool { return v.From <= state && state < v.Until })
		if i < 0 {
			continue
		}
		m := &n.Versions[i]
		count++
		if v.Line == 0 {
			v.Line, v.Column = m.Line, m.Column
		}
		if m.Role == "primal" {
			v.Role = "primal"
		}
		if m.Waits {
			waiting++
		}
		v.Waits = v.Waits && m.Waits
		v.Root = v.Root || m.Root
		v.Edges = append(v.Edges, m.Edges...)
	}
	if count == 0 {
		return nil
	}
	v.Value = load.Counted(count, "object")
	v.Text = fmt.Sprintf("%s: %s, %d of them waiting. Open it to see them.", g.Text, v.Value, waiting)
	v.Edges = moved(g.id, v.Edges, places)
	return v
}

// moved are the edges of an object with their ends moved to what stands for them. Between two groups there is one
// edge, and one for calls.
func moved(from int, edges []Edge, places map[int]int) []Edge {
	var out []Edge
	for _, e := range edges {
		was := e.To
		e.To = places[e.To]
		if e.To == from || e.As == "waits" && e.To == groupID(inputsKey) { // each call waits for the end of the phase
			continue
		}
		merged := was != e.To || from >= firstGroup
		if !merged || !slices.ContainsFunc(out,
			func(o Edge) bool { return o.To == e.To && (o.As == "head") == (e.As == "head") }) {
			out = append(out, e)
		}
	}
	return out
}

// place moves what a step is about to what stands for it.
func (s *Step) place(places map[int]int) {
	if s.Node >= 0 {
		s.Node = places[s.Node]
	}
	var operands []int
	for _, id := range s.Operands {
		if to := places[id]; to != s.Node && !slices.Contains(operands, to) {
			operands = append(operands, to)
		}
	}
	s.Operands = operands
}
