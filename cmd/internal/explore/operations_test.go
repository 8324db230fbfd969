//go:build browser

package explore

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// inside is whether all operations are seen, and nothing stands on them.
const inside = `(() => {
	const frame = document.querySelector("#operations").getBoundingClientRect();
	const over = document.querySelector("#views").getBoundingClientRect();
	return [...document.querySelectorAll("#operations .op")].every((op) => {
		const box = op.getBoundingClientRect();
		return box.left >= frame.left && box.right <= frame.right && box.top >= over.bottom && box.bottom <= frame.bottom;
	});
})()`

// testOperations: the page opens on the graph of operations, fitted to the window; values come, then derivatives, and results with them;
// at (11) two arrows become one.
func testOperations(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.visit("")
	require.Equal(t, "operations", p.text("document.body.dataset.view"))
	require.True(t, p.is(inside))
	texts := func(of string) string {
		return p.text(fmt.Sprintf(`[...document.querySelectorAll("#operations .op %s")].map((node) => node.textContent).join(" ")`, of))
	}
	results := `[...document.querySelectorAll("#result dd")].slice(0, 3).map((node) => node.textContent).join(" ")`
	require.Equal(t, "x1 x2 z1 = − z2 = · sin", texts(".label"))
	require.Equal(t, "5 2   ", texts(".value"))
	require.Equal(t, "… … …", p.text(results))
	p.visit("#step=32")
	p.at(32)
	require.Equal(t, "5 2 3 9 0.4121", texts(".value"))
	require.Equal(t, "0.4121184852417566 … …", p.text(results))
	require.Equal(t, "    ", texts(".derivative"))
	p.keys(kb.ArrowRight)
	p.at(33)
	require.Equal(t, "    ∂ 1", texts(".derivative"))
	back := `[...document.querySelectorAll("#operations .back")].filter((path) => path.getAttribute("d")).length`
	p.visit("#step=56")
	p.at(56)
	require.EqualValues(t, 3, p.number(back), "one arrow to z2, two to z1")
	require.True(t, p.is(`document.querySelector("#climax").hidden`))
	p.keys(kb.ArrowRight)
	p.at(57)
	require.EqualValues(t, 4, p.number(back), "and where they are joined")
	require.False(t, p.is(`document.querySelector("#climax").hidden`))
	require.EqualValues(t, 3, p.number(`document.querySelectorAll("#operations .hot").length`))
	require.Equal(t, "z1 = −", p.content("#operations .now .label"))
	p.keys(kb.End)
	p.at(76)
	require.Equal(t, "∂ −5.467 ∂ 5.467 ∂ −5.467 ∂ −0.9111 ∂ 1", texts(".derivative"))
	require.Equal(t, "0.4121184852417566 -5.466781571308061 5.466781571308061", p.text(results))
	p.keys(kb.ArrowLeft)
	p.at(75)
	p.click("#view-memory")
	p.until(`document.querySelector("#nodes .object")`)
	require.Equal(t, "none", p.text(`getComputedStyle(document.querySelector("#operations")).display`))

	p = exploreSource(t, browser, "input w = 0.5\ndef cell x h = tanh (w * h + x)\nfold cell 0 [1; 2; 3]")
	p.visit("")
	require.Equal(t, "cell 1 cell 2 cell 3", p.text(`[...document.querySelectorAll("#operations .frame text, #operations .box .label")].map((node) => node.textContent).join(" ")`))
	p.visit("#step=0")
	order := p.text(`(async () => {
		const seen = [];
		for (const step of [40, 80, 120, 150, 180]) {
			location.hash = "#step=" + step;
			while (document.body.dataset.step !== String(step)) await new Promise(requestAnimationFrame);
			seen.push([...document.querySelectorAll("#operations .op .derivative")].map((node) => node.textContent ? 1 : 0).join(""));
		}
		return seen.join(" ");
	})()`)
	for i, marks := range strings.Fields(order) {
		require.NotContains(t, strings.Trim(marks[1:], "0"), "01", "derivatives come back from the last operation to the first: %d of %s", i, order)
	}
	p.phone(420, 850)
	p.visit("#step=110")
	p.until(`document.querySelector("#operations").getBoundingClientRect().width <= 420`)
	p.until(`document.querySelector("#operations .op[data-at]")`)
	off := p.number(`(() => {
		const box = document.querySelector("#operations .op[data-at]").getBoundingClientRect();
		const frame = document.querySelector("#operations").getBoundingClientRect();
		return Math.abs((box.left + box.right - frame.left - frame.right) / 2);
	})()`)
	require.Less(t, off, 60.0, "what is at work is in the middle")
}

// testFolds: of a graph that would not be legible as a whole, one box stands for each use of a def; a click opens it, at a size at which
// its layers and neurons can be read by name, and a click at its name closes it. A part that others lie between is not folded.
func testFolds(t *testing.T, browser context.Context) {
	source, err := os.ReadFile("../../../examples/mlp.gram")
	require.NoError(t, err)
	p := exploreSource(t, browser, string(source))
	p.own = true
	p.do(chromedp.EmulateViewport(1400, 900))
	p.visit("#step=0")
	texts := func(of string) string {
		return p.text(fmt.Sprintf(`[...document.querySelectorAll("#operations %s")].map((node) => node.textContent).sort().join(", ")`, of))
	}
	const letters = `12 * new DOMMatrix(getComputedStyle(document.querySelector("#plane")).transform).a`
	names := "W, b, c, error 1, error 2, error 3, error 4, line 16, network 1, network 2, network 3, network 4, v"
	require.Equal(t, names, texts(".op .label"))
	require.Empty(t, texts(".frame text"))
	require.True(t, p.is(inside))
	require.Greater(t, p.number(letters), 8.0)

	steps := int(p.number("Number(document.querySelector('#slider').max)"))
	p.visit(fmt.Sprintf("#step=%d", steps))
	p.at(steps)
	require.Equal(t, "∂ 0.6518, ∂ 2 of 2, ∂ 2 of 2, ∂ 2 of 2, ∂ 2 of 2, ∂ 21 of 21, ∂ 21 of 21, ∂ 21 of 21, ∂ 21 of 21, "+
		"∂ 3 of 3, ∂ 3 of 3, ∂ 5 of 5, ∂ 6 of 6", texts(".op .derivative"))

	p.act(`document.querySelector("#operations .op.part").dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	require.Equal(t, "layer: 3 tanh, network 1, s", texts(".frame text"))
	require.Contains(t, texts(".op .label"), "tanh (1), tanh (2), tanh (3), v")
	require.Greater(t, p.number(letters), 8.0)
	p.act(`document.querySelector("#operations .frame text").dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	require.Equal(t, names, texts(".op .label"))

	var long strings.Builder
	long.WriteString("input x = 0.5\ndef f x = sin (x * x)\nlet y = f (x * 2) + 1 in\n")
	for i := range 20 {
		fmt.Fprintf(&long, "let y = cos (y * %d) in\n", i+2)
	}
	p = exploreSource(t, browser, long.String()+"y")
	p.own = true
	p.do(chromedp.EmulateViewport(1400, 900))
	p.visit("#step=0")
	require.True(t, strings.HasPrefix(texts(".op .label"), "f, x, x = · 2, y, "), "one box for f, and none for line 3")
}

// testLarge: a graph of many operations opens on few boxes, those of many uses of a def together, and says so; a box opens,
// down to single operations. The page says too that a smaller program is shown, why there is no graph, and how long a
// program has been running.
func testLarge(t *testing.T, browser context.Context) {
	wide := func(cfg Config) *tab {
		p := newTab(t, browser, serve(t, cfg, nil))
		p.own = true
		p.do(chromedp.EmulateViewport(1400, 900))
		p.visit("#step=1000")
		return p
	}
	boxes := func(p *tab) float64 { return p.number(`document.querySelectorAll("#operations .op").length`) }
	open := func(p *tab, name string) {
		p.act(fmt.Sprintf(`[...document.querySelectorAll("#operations .op.part")].find((box) => box.querySelector(".label").textContent === %q)
			.dispatchEvent(new MouseEvent("click", {bubbles: true}))`, name))
	}
	p := wide(exampleConfig(t, "weather"))
	require.Equal(t, "operations", p.text("document.body.dataset.view"))
	require.Equal(t, "The graph has 20\u202f455 operations: a box stands for some, and a click opens it.", p.content("#folded"))
	require.LessOrEqual(t, boxes(p), 20.0)
	for _, name := range []string{"day 501–1000", "day 651–700", "day 661–665", "day 663"} {
		open(p, name)
		require.LessOrEqual(t, boxes(p), 60.0)
		require.Contains(t, p.text(`[...document.querySelectorAll("#operations .frame text")].map((name) => name.textContent).join()`), name)
	}
	require.True(t, p.is(`[...document.querySelectorAll("#operations .op.operation .label")].some((label) => label.textContent === "h' = tanh")`))

	p = wide(exampleConfig(t, "characters"))
	require.Equal(t, "The program is too large to be run step by step. This is a smaller one: lists of at most 2, hidden = 2, length = 4.",
		p.content(".banner p"))
	require.LessOrEqual(t, boxes(p), 20.0)
	require.Contains(t, p.content("#operations"), "cell 3–4")
	p.keys(kb.ArrowRight)
	p.at(1001)

	p = exploreSource(t, browser, "input x = 2\n[| x, x * x |]")
	p.visit("")
	require.Equal(t, "memory", p.text("document.body.dataset.view"))
	require.True(t, strings.HasPrefix(p.content("#without"), "There is no graph of operations: the value has several components. "))

	release := make(chan struct{})
	p = newTab(t, browser, serve(t, testConfig(figure1), func(s *Server) {
		start := s.start
		s.start = func(ctx context.Context, req *request) (*started, error) {
			<-release
			return start(ctx, req)
		}
	}))
	p.do(chromedp.Navigate(p.site.url))
	p.until(`document.querySelector(".banner p")?.textContent === "The program is being run, for 2 s so far."`)
	close(release)
	p.until(`document.body.dataset.step && !document.querySelector(".banner")`)
}
