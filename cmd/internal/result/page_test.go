package result

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	htmltemplate "html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/rule"
)

var update = flag.Bool("update", false, "write the golden page anew")

// figure1 is the report of Figure 1, with times that are always the same.
func figure1() *Page {
	return &Page{
		Program: "figure1.gram", Version: "v0.1.0",
		Run:   []Fact{{"strategy", "direct"}, {"schedule", "lifo"}, {"set", "x1=5, x2=2"}},
		Value: Array{Type: "R", Values: []float64{0.4121184852417566}},
		Gradient: []Array{
			{Name: "x1", Type: "R", Values: []float64{-5.466781571308061}},
			{Name: "x2", Type: "R", Values: []float64{5.466781571308061}},
		},
		Inputs: []Array{{Name: "x1", Type: "R", Values: []float64{5}}, {Name: "x2", Type: "R", Values: []float64{2}}},
		Steps:  rule.Counts{rule.Lambda: 5, rule.GC: 23, rule.Factor: 1},
		Costs: []Figures{
			{Caption: "Nodes of 16 bytes", Facts: []Fact{{"allocated", "1 234"}, {"arena", "4.0 MiB"}}},
			{Caption: "Time", Facts: []Fact{{"load", "1ms"}, {"reduce", "2ms"}}},
		},
		LinesNote: "Rewrites and nodes.",
		Lines: []profile.Line{
			{Line: 0, Generated: 2},
			{Line: 1, Text: "input x1 = 5", Source: 1, Generated: 6},
			{Line: 2, Text: "input x2 = 2", Source: 1, Generated: 6},
			{Line: 3, Text: "let z1 = x1 - x2 in", Source: 4, Generated: 3, Nodes: 5},
			{Line: 4, Text: "let z2 = z1 * z1 in", Source: 4, Generated: 1, Nodes: 7},
			{Line: 5, Text: "sin z2", Source: 1},
			{Line: 6},
		},
		Frames: []profile.Frame{
			{Rewrites: 25}, {Name: "program", Line: 3, Depth: 1, Rewrites: 20}, {Name: "sin", Line: 5, Depth: 2, Rewrites: 5},
			{Name: "program", Line: 4, Depth: 1, From: 20, Rewrites: 5},
		},
		Graph: Graph{Text: "The graph G: 3 operations.", SVG: `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><title>G</title></svg>`},
	}
}

func written(t *testing.T, r *Page) string {
	t.Helper()
	page := string(r.HTML())
	wellFormed(t, page)
	return page
}

// wellFormed checks that a page is XML.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
	}
}

// fitted is the report of a fit.
func fitted() *Page {
	return &Page{
		Program: "line.gram", Version: "v0.1.0", Run: []Fact{{"method", "lbfgs"}}, Value: Array{Type: "R", Values: []float64{0.5}},
		Gradient:    []Array{{Name: "w", Type: "R^3", Dims: []int{3}, Values: []float64{1, -2, 0}}},
		Curves:      []Curve{{"loss", []int{0, 1, 2}, []float64{90, 3, 0.5}, 2}, {"held out", []int{0, 1, 2}, []float64{95, 4, 0.6}, 2}},
		Predictions: []Points{{Name: "training", Pairs: []float64{1, 1.5, 2, 1.8, 0, 0.1}}, {Name: "held out", Pairs: []float64{0.5, 1}}},
	}
}

func TestPages(t *testing.T) {
	for name, r := range map[string]*Page{"figure1.html": figure1(), "fit.html": fitted()} {
		got := written(t, r)
		path := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got)
	}
}

// TestSelfContained: the page refers to nothing but itself, and has no script.
func TestSelfContained(t *testing.T) {
	page := written(t, figure1())
	require.Contains(t, page, `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`)
	page = strings.ReplaceAll(page, `xmlns="http://www.w3.org/`, "")
	for _, foreign := range []string{"http:", "https:", "src=", "href=", "url(", "@import", "<script"} {
		require.NotContains(t, page, foreign)
	}
	require.NotRegexp(t, regexp.MustCompile(`<[^>]* on\w+=`), page)
}

// hostile is a report with a text at all places that texts of a user come to.
func hostile(evil string) *Page {
	r := figure1()
	r.Program, r.Version, r.LinesNote, r.Graph.Text, r.Graph.Command = evil, evil, evil, evil, evil
	r.Run = []Fact{{evil, evil}}
	r.Value.Type = evil
	r.Gradient = []Array{{Name: evil, Type: evil, Values: []float64{1}}, {Name: evil, Type: evil, Dims: []int{1, 2}, Values: []float64{1, 2}},
		{Name: evil, Type: evil, Dims: []int{2}, Values: []float64{1, 2}}}
	r.Costs = []Figures{{Caption: evil, Facts: []Fact{{evil, evil}}}}
	r.Lines = []profile.Line{{Line: 1, Text: evil, Source: 1}}
	r.Inputs, r.Frames = []Array{{Name: evil, Type: evil, Values: []float64{1}}}, []profile.Frame{{Name: evil, Rewrites: 1}, {Name: evil, Line: 1, Depth: 1, Rewrites: 1}}
	return r
}

// TestHostile: whatever a text has in it, it is shown and does nothing.
func TestHostile(t *testing.T) {
	r := hostile("</title></style><script>alert(1)</script>\x00\x1b]--><img src=x onerror=alert(1)>\"'`{{.}}&amp;\u202e\ufffe")
	page := written(t, r)
	require.NotContains(t, page, "<script")
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, "\x1b")
	require.Equal(t, 1, strings.Count(page, "</style>"))
	require.Contains(t, page, "&lt;script&gt;alert(1)&lt;/script&gt;\ufffd\ufffd]--&gt;&lt;img src=x onerror=alert(1)&gt;&#34;&#39;`{{.}}&amp;amp;")
	r = fitted()
	r.Curves[0].Name, r.Predictions[0].Name, r.Gradient[0].Name = "<script>\"'", "<script>\"'", "<script>\"'"
	page = written(t, r)
	require.NotContains(t, page, "<script")
	require.GreaterOrEqual(t, strings.Count(page, "&lt;script&gt;&#34;&#39;"), 3)
}

// TestEscaped: html/template, which knows where a value stands, makes the same page: a value that is no number in a
// style, or what stands elsewhere than in text and quoted attributes, would come out otherwise.
func TestEscaped(t *testing.T) {
	source := strings.ReplaceAll(pageSource, "with .Graph.SVG", "with markup .Graph.SVG")
	known := htmltemplate.Must(htmltemplate.New("page").Funcs(htmltemplate.FuncMap(functions)).Funcs(htmltemplate.FuncMap{
		"style":  func() htmltemplate.CSS { return htmltemplate.CSS(style) },
		"markup": func(m Markup) htmltemplate.HTML { return htmltemplate.HTML(m) },
	}).Parse(source))
	for _, r := range []*Page{figure1(), fitted(), hostile("</style><i a='b' c=\"d\">&amp;`{{.}}\x00\x1b\xff+")} {
		var want bytes.Buffer
		require.NoError(t, known.Execute(&want, r))
		require.Equal(t, strings.ReplaceAll(string(bytes.Map(valid, want.Bytes())), "&#43;", "+"), written(t, r))
	}
}

// TestFlame: frames stand where their rewrites begin. What is narrow has no name, and less than a thousandth no frame.
func TestFlame(t *testing.T) {
	f := newFlame([]profile.Frame{{Rewrites: 10_000}, {Name: "f", Line: 3, Depth: 1, Rewrites: 9_900}, {Name: "g", Line: 4, Depth: 1, From: 9_900, Rewrites: 95},
		{Name: "h", Line: 5, Depth: 1, From: 9_995, Rewrites: 5}})
	require.Equal(t, &flame{Depth: 1, Frames: []flameFrame{
		{Name: "all", Title: "all, 100.0 % of the rewrites: 10 000", Left: "0.00%", Width: "100.00%", Top: "0.0rem"},
		{Name: "f:3", Title: "f:3, 99.0 % of the rewrites: 9 900", Left: "0.00%", Width: "99.00%", Top: "1.5rem"},
		{Title: "g:4, 0.9 % of the rewrites: 95", Left: "99.00%", Width: "0.95%", Top: "1.5rem"},
	}}, f)
	require.Equal(t, "3.0rem", f.Height())
}

// TestEmpty: a program without inputs, and passes, which take no steps.
func TestEmpty(t *testing.T) {
	page := written(t, &Page{Program: "x", Value: Array{Values: []float64{math.NaN()}}, LinesNote: "No steps.", Graph: Graph{Text: "None."}})
	require.Contains(t, page, "the program has no inputs")
	require.Contains(t, page, `<data class="none" value="NaN">NaN</data>`)
	require.NotContains(t, page, "<h2>Steps</h2>")
	require.NotContains(t, page, "<table")
}

// TestJacobian: scalars share a map with a row for each, a vector has one with a row for
// each component, and a matrix one for each output.
func TestJacobian(t *testing.T) {
	fs := jacobian([]Array{
		{Name: "r", Type: "R", Values: []float64{1, 2, 3}},
		{Name: "q", Type: "R", Values: []float64{4, 5, 6}},
		{Name: "v", Type: "R^2", Dims: []int{2}, Values: []float64{11, 12, 21, 22, 31, 32}},
		{Name: "E", Type: "R^1^2", Dims: []int{2, 1}, Values: []float64{1, 2, 3, 4, 5, 6}},
	}, 3)
	require.Len(t, fs, 3)
	require.Equal(t, "Scalars", fs[0].Caption)
	texts := func(m heatMap) (out []string) {
		for _, row := range m.Rows {
			for _, q := range row.Squares {
				out = append(out, q.Text)
			}
		}
		return out
	}
	require.Equal(t, []string{"1", "2", "3", "4", "5", "6"}, texts(fs[0].Heat.Maps[0]))
	require.Equal(t, "r", fs[0].Heat.Maps[0].Rows[0].Name)
	require.Equal(t, "∂y2/∂q = 5", fs[0].Heat.Maps[0].Rows[1].Squares[1].Title)
	require.Equal(t, []string{"11", "21", "31", "12", "22", "32"}, texts(fs[1].Heat.Maps[0]))
	require.Equal(t, "v.(1)", fs[1].Heat.Maps[0].Rows[1].Name)
	require.Len(t, fs[2].Heat.Maps, 3)
	require.Equal(t, "∂y3/∂E", fs[2].Heat.Maps[2].Title)
	require.Equal(t, "∂y3/∂E.(1).(0) = 6", fs[2].Heat.Maps[2].Rows[1].Squares[0].Title)
}

// TestBigNumbers: arrays of any size make a page of bounded size that says what it lacks.
func TestBigNumbers(t *testing.T) {
	big := make([]float64, 200*100*64)
	for i := range big {
		big[i] = math.Sin(float64(i))
	}
	r := figure1()
	r.Gradient = []Array{
		{Name: "v", Type: "R^100000", Dims: []int{100000}, Values: big[:100000]},
		{Name: "E", Type: "R^200^100", Dims: []int{100, 200}, Values: big[:20000]},
		{Name: "T", Type: "R^200^100^64", Dims: []int{64, 100, 200}, Values: big},
	}
	page := written(t, r)
	require.Less(t, len(page), 8<<20)
	require.Contains(t, page, "The 32 of largest magnitude are shown; 99 968 smaller ones are left out.")
	require.Contains(t, page, "Each square stands for up to 2 × 4 components")
	require.Contains(t, page, "The first 12 matrices are shown; 52 are left out.")
}

// TestLongSource: of a long source the costly lines are listed, and what is left out is
// summed up.
func TestLongSource(t *testing.T) {
	var lines []profile.Line
	var total uint64
	for i := range 1000 {
		lines = append(lines, profile.Line{Line: i + 1, Text: fmt.Sprintf("line %d", i+1), Source: uint64(i % 10)})
		total += uint64(i % 10)
	}
	lines[500].Text = strings.Repeat("x", 100000)
	l := newListing(lines)
	var shown, left, lost uint64
	for _, row := range l.Rows {
		n := row.Source
		if row.Gap > 0 {
			left += n
			lost += uint64(row.Gap)
		} else {
			shown++
			require.GreaterOrEqual(t, n, uint64(8))
		}
		total -= n
		require.Less(t, len(clipped(row.Text)), 400)
	}
	require.EqualValues(t, 200, shown)
	require.EqualValues(t, 800, lost)
	require.NotZero(t, left)
	require.Zero(t, total)
}

// TestPlot: curves fill the frame, on a scale that fits them, and a long one has a bounded number of points.
func TestPlot(t *testing.T) {
	at, loss := make([]int, 100_000), make([]float64, 100_000)
	for i := range at {
		at[i], loss[i] = 10*i, 2+float64(i)/float64(len(at))
	}
	p := newPlot([]Curve{{"a", at, loss, 0}, {"b", []int{0}, []float64{3}, 0}})
	require.Equal(t, "Loss by iteration", p.Label)
	require.True(t, strings.HasPrefix(p.Lines[0].Path, "M90 235L"), p.Lines[0].Path[:20])
	require.True(t, strings.HasSuffix(p.Lines[0].Path, "L600 10"))
	require.LessOrEqual(t, strings.Count(p.Lines[0].Path, "L"), mostPoints+1)
	require.Equal(t, "M90 10", p.Lines[1].Path)
	require.Equal(t, []string{"14", "36"}, []string{p.Lines[0].NameY, p.Lines[1].NameY}, "names do not cover each other")
	require.Equal(t, []mark{{"90", "0"}, {"192", "200 000"}, {"294", "400 000"}, {"396", "600 000"}, {"498", "800 000"}}, p.Across)
	p = newPlot([]Curve{{"a", []int{0, 1, 2}, []float64{100, 10, 1}, 2}})
	require.Contains(t, p.Label, "logarithmic")
	require.Equal(t, "M90 10L345 122.5L600 235", p.Lines[0].Path)
	require.Equal(t, []mark{{"235", "1"}, {"178.8", "3.162"}, {"122.5", "10"}, {"66.3", "31.62"}, {"10", "100"}}, p.Up)
	require.Len(t, newPlot([]Curve{{"a", []int{0, 1}, []float64{1e20, 1e20 + 32768}, 0}}).Lines, 1, "numbers between which there are few others")
	wellFormed(t, written(t, &Page{Program: "<x>", Value: Array{Values: []float64{1}}, Curves: []Curve{{"<a>", []int{0}, []float64{1}, 0}}}))
}

// TestScatter: both axes have one scale, and data of few values are drawn as columns; residuals stand around 0.
func TestScatter(t *testing.T) {
	var all []float64
	for i := range 10_000 {
		all = append(all, float64(i)+1000, float64(i))
	}
	plots := newPredictions([]Points{{Name: "<rows>", Pairs: all}, {Name: "none", Pairs: []float64{math.NaN(), 1}}})
	require.Len(t, plots, 2)
	p, residuals := plots[0], plots[1]
	require.Len(t, p.Lines, 1)
	require.LessOrEqual(t, strings.Count(p.Lines[0].Path, "M"), 2*mostPoints)
	require.Contains(t, p.Note, "1 pair with a number that is not finite left out. Root mean square of the differences: <rows> 1000, of 10 000 pairs.")
	for i, m := range p.Across {
		x, err := strconv.ParseFloat(m.At, 64)
		require.NoError(t, err)
		y, err := strconv.ParseFloat(p.Up[i].At, 64)
		require.NoError(t, err)
		require.InDelta(t, x-float64(p.Left), float64(p.Bottom)-y, 0.2, "the frame is a square")
	}
	require.Equal(t, []string{"prediction", "residual"}, []string{residuals.AcrossName, residuals.UpName})
	require.Contains(t, residuals.Lines[0].Path, " 420h0", "−1000 stands at the lower end, within its margin")
	p = newPredictions([]Points{{Name: "a", Pairs: []float64{0.5, 1, 0.5, 1, 0.5, 0}}})[0]
	dots := strings.Split(p.Lines[0].Path, "M")[1:]
	require.NotEqual(t, dots[0], dots[1])
	require.Nil(t, newPredictions(nil))
	text := written(t, &Page{Value: Array{Values: []float64{1}}, Curves: []Curve{{"a", []int{0}, []float64{1}, 0}}, Predictions: []Points{{Name: "<a>", Pairs: []float64{1, 1}}}})
	wellFormed(t, text)
	require.Equal(t, 3, strings.Count(text, "<svg class=\"plot\""))
}

// TestClassifier: predictions of classes have a calibration and a ROC in place of a scatter.
func TestClassifier(t *testing.T) {
	var pairs []float64
	for i := range 100 {
		class := 0.0
		if i%4 == 0 {
			class = 1
		}
		pairs = append(pairs, 0.25, class) // right on average, and says nothing
	}
	plots := newPredictions([]Points{{Name: "rows", Pairs: pairs, False: []float64{0, 1}, True: []float64{0, 1}, Area: 0.5}})
	require.Len(t, plots, 2)
	calibration, roc := plots[0], plots[1]
	require.Equal(t, "Calibration", calibration.Label)
	require.Equal(t, 10, strings.Count(calibration.Lines[1].Path, "M"))
	require.Equal(t, "M100 420L500 20", calibration.Diagonal)
	for _, point := range strings.Split(strings.TrimSuffix(calibration.Lines[1].Path, "h0"), "h0M") {
		at := strings.Fields(strings.TrimPrefix(point, "M"))
		require.Equal(t, "200", at[0])
		up, err := strconv.ParseFloat(at[1], 64)
		require.NoError(t, err)
		require.InDelta(t, 320, up, 40.1, "within 1/10 of 1/4: a part has 2 or 3 of 10 rows")
	}
	require.Contains(t, roc.Note, "rows 0.5")
	require.Equal(t, calibration.Diagonal, roc.Lines[0].Path)
}
