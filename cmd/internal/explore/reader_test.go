//go:build browser

package explore

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
)

// media sets what the reader prefers.
func (p *tab) media(scheme, motion string) {
	p.t.Helper()
	p.own = true
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
	}})
	require.NoError(p.t, err)
}

// testReader: what a reader sees who has not been told what to do.
func testReader(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.do(chromedp.Navigate(p.site.url + "/"))
	p.until("document.body.classList.contains('playing') && Number(document.body.dataset.step) > 0")
	require.Equal(t, "operation", p.text("document.querySelector('#pace').value"), "it plays the operations")
	p.keys(kb.ArrowRight)
	p.until("!document.body.classList.contains('playing')")

	// Three paces.
	p.open("#step=41")
	p.at(41)
	p.keys("3" + kb.ArrowRight)
	p.at(42)
	p.keys(kb.ArrowRight)
	p.at(53)
	require.Equal(t, "3 × −0.9111 = −2.733: the derivative of z1 * z1 by z1 is 3, and −0.9111 arrived.", p.content("#says"))
	require.Equal(t, "Two numbers are multiplied.", p.content("#general"))
	p.keys(kb.ArrowLeft)
	p.at(42)
	p.keys("2" + kb.ArrowRight)
	p.at(45)
	require.Equal(t, "(1) lambda", p.content("#rule"))
	p.keys("1" + kb.ArrowRight)
	p.at(46)

	// Source and graph point at each other.
	x, y := p.middle("#listing .now")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	p.until("document.querySelector('.object[data-pointed]')")
	require.True(t, p.is("[...document.querySelectorAll('.object[data-pointed]')].every((o) => o.getAttribute('aria-label').includes('line ' + document.querySelector('.line.current .no').dataset.line + ','))"))
	p.media("light", "reduce") // the redex does not move while the pointer does
	p.goTo(53)
	x, y = p.middle(".object.redex")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	p.until("document.querySelector('#listing .pointed') && !document.querySelector('#tip').hidden")
	require.True(t, p.is(`(() => {
		const tip = document.querySelector("#tip").getBoundingClientRect();
		const stage = document.querySelector("#stage").getBoundingClientRect();
		return tip.left >= stage.left && tip.right <= stage.right && tip.top >= stage.top && tip.bottom <= stage.bottom;
	})()`), "the tooltip covers nothing beside the graph")

	// The splitter.
	p.act("document.querySelector('#split').focus()")
	width := "document.querySelector('#panel-program').getBoundingClientRect().width"
	before := p.number(width)
	p.keys(kb.ArrowRight)
	require.Greater(t, p.number(width), before)
	require.Equal(t, 53, p.step(), "the arrow is the splitter's")
}

// testGallery: the examples run, also those with data; above fifty objects there are groups.
func testGallery(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.media("light", "reduce")
	p.open("")
	choose := func(name string, wait string) {
		p.click("#gallery-open")
		p.until("document.querySelectorAll('.card').length > 10")
		p.act(fmt.Sprintf("[...document.querySelectorAll('.card')].find((c) => c.querySelector('strong').textContent === %q).click()", name))
		p.until(fmt.Sprintf("document.querySelector('#file').textContent === %q && %s", name+".gram", wait))
	}
	choose("line", "document.querySelector('#nodes .object')")
	choose("mlp", "document.querySelectorAll('#nodes .object.group').length > 0")
	p.until("Number(document.body.dataset.step) > 0 && document.body.dataset.phase === 'backward'") // without motion it opens there
	require.True(t, p.is("document.querySelectorAll('#result svg.heat rect').length > 10"), "matrices are heat maps; derivatives come at the end")

	def := "[...document.querySelectorAll('.object.group')].find((o) => o.textContent.startsWith('def network'))"
	shut := "[...document.querySelectorAll('#groups button')].find((b) => b.textContent.includes('def network ×'))"
	require.True(t, p.is(shut), "it opens as much as can be read")
	p.act(shut + ".click()")
	p.until("!" + shut)
	p.keys("0") // what is not seen is not drawn
	p.until(def)
	p.act(def + `.dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	p.until(shut)
	p.keys("0")
	p.until("[...document.querySelectorAll('.object.group')].some((o) => o.textContent.startsWith('line 13'))")
	p.act(shut + ".click()")
	p.until("!" + shut)
	p.keys("0") // what is not seen is not drawn
	p.until(def)
	p.keys("u")
	p.until("document.querySelector('#nodes .object:not(.group)') && !document.querySelector('#nodes .object.group')")
	p.keys("u")
	p.until("document.querySelector('#nodes .object.group')")
	require.True(t, p.is(`(() => {
		const map = document.querySelector("#map");
		return map.getContext("2d").getImageData(0, 0, map.width, map.height).data.some((v) => v > 0);
	})()`), "the map shows the graph")

	p.keys("e")
	p.write("input x = 1\n-- a comment\nlet y = x in sin y")
	p.until("document.querySelector('#tint .comment')")
	require.True(t, p.is("document.querySelectorAll('#tint .word').length === 3"))
	p.write("input x = 1\nx + sin (x, x)")
	p.tolerate("status of 422")
	p.keys(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.until("document.querySelector('.mark-row')")
	require.Contains(t, p.content("#message"), "test.gram:2:9", "the message of the command")
}

// overlaps is an expression for the pairs of parts of the page that overlap, or that stand beyond the window.
const overlaps = `(() => {
	const parts = [...document.querySelectorAll(".bar, #listing, #result, #left, #groups, #graph, .key, #map, .tools, .tabs, #panel-step .words, #picture, #panel-rules, .transport > *")]
		.filter((e) => e.getClientRects().length && e.checkVisibility());
	const box = (e) => {
		let {left, top, right, bottom} = e.getBoundingClientRect();
		for (let p = e.parentElement; p; p = p.parentElement) { // what is scrolled away isn't seen
			if (getComputedStyle(p).overflow === "visible") continue;
			const r = p.getBoundingClientRect();
			[left, top, right, bottom] = [Math.max(left, r.left), Math.max(top, r.top), Math.min(right, r.right), Math.min(bottom, r.bottom)];
		}
		return {left, top, right, bottom};
	};
	const name = (e) => e.id || e.className;
	const found = [];
	for (const [i, a] of parts.entries()) {
		const x = box(a);
		if (x.right > innerWidth + 1 || x.left < -1 || x.bottom > innerHeight + 1) found.push(name(a) + " is outside");
		for (const b of parts.slice(i + 1)) {
			const y = box(b);
			const inside = a.contains(b) || b.contains(a);
			if (!inside && Math.min(x.right, y.right) - Math.max(x.left, y.left) > 1 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 1) found.push(name(a) + " and " + name(b));
		}
	}
	return found.join("; ");
})()`

// axe returns the script of axe-core.
func axe(t *testing.T) string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "axe.min.js.gz"))
	require.NoError(t, err)
	defer file.Close()
	text, err := gzip.NewReader(file)
	require.NoError(t, err)
	script, err := io.ReadAll(text)
	require.NoError(t, err)
	return string(script)
}

// accessible requires that axe, which has been loaded, finds nothing.
func (p *tab) accessible(where string) {
	p.t.Helper()
	require.Empty(p.t, p.text(`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}).then(({violations}) =>
		violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 160) + " " + n.any.map((c) => c.message).join(" ")).slice(0, 3).join(" | ")).join("\n"))`), where)
}

// schemes returns the schemes of colours in which pages are tested at a width: one at each width without FULL_SIZE.
func schemes(width int64) []string {
	switch {
	case property.Full():
		return []string{"light", "dark"}
	case width > 1000:
		return []string{"light"}
	}
	return []string{"dark"}
}

// testReports: axe finds nothing in the reports of gram grad and gram fit, and in a recorded run with groups, at two widths, light and dark,
// and none is wider than the window.
func testReports(t *testing.T, browser context.Context) {
	dir, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	script := axe(t)
	p := newTab(t, browser, &site{url: "file://" + dir})
	for _, name := range []string{"cmd/internal/result/testdata/figure1.html", "cmd/internal/result/testdata/fit.html", "docs/pages/mlp.html#step=1300"} {
		for _, width := range []int64{1440, 390} {
			for _, scheme := range schemes(width) {
				p.media(scheme, "reduce")
				p.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(p.site.url+"/"+name))
				p.until("!location.hash || document.querySelector('#nodes .object.group')")
				where := fmt.Sprintf("%s, %d px, %s", name, width, scheme)
				require.True(t, p.is("document.documentElement.scrollWidth <= innerWidth"), where)
				p.act(script)
				p.accessible(where)
			}
		}
	}
}

// testAccess: at two widths, light and dark, nothing overlaps and axe finds nothing.
func testAccess(t *testing.T, browser context.Context) {
	script := axe(t)
	p := exploreSource(t, browser, figure1)
	for _, width := range []int64{1440, 390} {
		height := int64(900)
		if width == 390 {
			height = 844
			p.phone(width, height)
		} else {
			p.do(chromedp.EmulateViewport(width, height))
		}
		for _, scheme := range schemes(width) {
			p.media(scheme, "reduce")
			where := fmt.Sprintf("%d px, %s", width, scheme)
			p.open("#step=53")
			p.at(53)
			p.until("document.querySelector('#picture svg text')")
			p.act(script)
			require.Empty(t, p.text(overlaps), where)
			require.Empty(t, p.text(`(() => {
				const [go, of, number] = [".go", "#of-steps", "#number"].map((s) => document.querySelector(s));
				const before = [of.textContent, number.style.width];
				[of.textContent, number.style.width] = ["of 1\u202f000\u202f000", "calc(7ch + 16px)"];
				const cut = go.scrollWidth > go.clientWidth ? go.scrollWidth + " of " + go.clientWidth + " px" : "";
				[of.textContent, number.style.width] = before;
				return cut;
			})()`), "the number of a long run is not cut, %s", where)
			p.accessible(where)
			if scheme == "dark" {
				p.act("document.querySelector('#gallery-open').click()")
				p.until("document.querySelector('.card')")
				p.accessible(where + ", gallery")
				p.act("document.querySelector('#gallery').close(); document.querySelector('#edit').click()")
				p.until("document.activeElement.id === 'text'")
				p.accessible(where + ", editor")
				p.act("document.querySelector('#leave').click()")
			}
		}
	}
}
