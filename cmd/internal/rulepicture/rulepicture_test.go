package rulepicture

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/rule"
)

var update = flag.Bool("update", false, "rewrite the expected pictures in testdata")

// forEachRule runs a test for each rule.
func forEachRule(t *testing.T, test func(*testing.T, rule.Rule)) {
	for r := range rule.Count {
		t.Run(r.String(), func(t *testing.T) { test(t, r) })
	}
}

// forEachSide runs a test for each side of each instance of a rule.
func forEachSide(r rule.Rule, test func(name string, s side)) {
	for i, in := range rules[r].instances {
		test(fmt.Sprintf("%d before", i), in.before)
		test(fmt.Sprintf("%d after", i), in.after)
	}
}

// TestGolden: the pictures are those in testdata.
func TestGolden(t *testing.T) {
	forEachRule(t, func(t *testing.T, r rule.Rule) {
		golden, got := filepath.Join("testdata", r.String()+".svg"), SVG(r)
		if *update {
			require.NoError(t, os.WriteFile(golden, got, 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
	files, err := os.ReadDir("testdata")
	require.NoError(t, err)
	require.Len(t, files, int(rule.Count))
}

// TestWellFormed: a picture is XML, has a title, and nothing that two pictures in one page
// would quarrel about.
func TestWellFormed(t *testing.T) {
	forEachRule(t, func(t *testing.T, r rule.Rule) {
		d := xml.NewDecoder(bytes.NewReader(SVG(r)))
		elements := map[string]int{}
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			elements[e.Name.Local]++
			for _, a := range e.Attr {
				require.NotContains(t, []string{"id", "style", "href"}, a.Name.Local)
			}
		}
		require.Equal(t, 1, elements["svg"])
		require.Equal(t, 1, elements["title"])
		require.Zero(t, elements["style"]+elements["script"])
		require.NotZero(t, elements["text"])
		require.NotContains(t, string(SVG(r)), "NaN")
		require.Contains(t, string(SVG(r)), rule.Table[r].Name)
	})
}

// TestEveryRule: each rule has a redex, and leaves something new or takes something away.
func TestEveryRule(t *testing.T) {
	forEachRule(t, func(t *testing.T, r rule.Rule) {
		require.NotEmpty(t, rules[r].instances)
		for _, in := range rules[r].instances {
			require.Positive(t, marked(in.before, func(n node) bool { return n.hot }, func(e edge) bool { return e.hot }))
			after := marked(in.after, func(n node) bool { return n.hot || n.gone }, func(e edge) bool { return e.hot })
			require.Positive(t, after)
		}
	})
}

func marked(s side, isNode func(node) bool, isEdge func(edge) bool) (n int) {
	for _, v := range s.nodes {
		if isNode(v) {
			n++
		}
	}
	for _, e := range s.edges {
		if isEdge(e) {
			n++
		}
	}
	return n
}

// TestRoom: nodes stay in their half, away from each other, and hold their labels.
func TestRoom(t *testing.T) {
	const apart = 6
	forEachRule(t, func(t *testing.T, r rule.Rule) {
		forEachSide(r, func(name string, s side) {
			for i, a := range s.nodes {
				require.LessOrEqual(t, max(a.x, -a.x)+a.width()/2+halo, (width-between)/4, "%s: %s", name, a.label)
				if !a.round() {
					require.LessOrEqual(t, a.labelWidth()+float64(len(a.slots))*slotPitch, a.width())
				}
				for _, b := range s.nodes[:i] {
					x := max(a.x-b.x, b.x-a.x) - (a.width()+b.width())/2
					y := max(a.row-b.row, b.row-a.row)*pitch - nodeHeight
					require.GreaterOrEqual(t, max(x, y), float64(apart), "%s: %s and %s", name, a.label, b.label)
				}
			}
		})
	})
}

// TestArrows: no arrow goes through a node that it doesn't join.
func TestArrows(t *testing.T) {
	forEachRule(t, func(t *testing.T, r rule.Rule) {
		forEachSide(r, func(name string, s side) {
			for _, e := range s.edges {
				from, to := s.ends(e)
				c := point{(from.x + to.x) / 2, (from.y + to.y) / 2}
				if e.bend != 0 {
					c = e.control(from, to)
				}
				for i, n := range s.nodes {
					if i == e.from || i == e.to {
						continue
					}
					for step := range 101 {
						u := float64(step) / 100
						x := (1-u)*(1-u)*from.x + 2*u*(1-u)*c.x + u*u*to.x
						y := (1-u)*(1-u)*from.y + 2*u*(1-u)*c.y + u*u*to.y
						inside := max(x-n.x, n.x-x) < n.width()/2+2 && max(y-n.centre().y, n.centre().y-y) < nodeHeight/2+2
						require.False(t, inside, "%s: the arrow %d-%d goes through %s", name, e.from, e.to, n.label)
					}
				}
			}
		})
	})
}
