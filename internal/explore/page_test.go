package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// TestPage tests the page in a real browser, one for all tests.
func TestPage(t *testing.T) {
	browser := startBrowser(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"examples": testExamples, "steps": testSteps, "play": testPlay, "jumps": testJumps, "links": testLinks, "edit": testEdit,
		"drafts": testDrafts, "keyboard": testKeyboard, "phone": testPhone, "hostile": testHostile, "gone": testGone,
		"forgotten": testForgotten, "themes": testThemes, "limits": testLimits, "modules": testModules,
	} {
		t.Run(name, func(t *testing.T) { test(t, browser) })
	}
}

// exploreSource opens a tab for the page of a program.
func exploreSource(t *testing.T, browser context.Context, source string) *tab {
	t.Helper()
	return newTab(t, browser, serve(t, testConfig(source), nil))
}

func testExamples(t *testing.T, browser context.Context) {
	for _, name := range []string{"figure1", "backpropagators", "rnn", "polynomial", "mlp", "weather"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "examples", name+".gram")
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			cfg := testConfig(string(source))
			cfg.Dir, cfg.Path, cfg.Name = filepath.Dir(path), path, name+".gram"
			p := newTab(t, browser, serve(t, cfg, nil))
			p.open("")
			require.Equal(t, name+".gram", p.content("#file"))
			require.Zero(t, p.step())
			steps := int(p.number("Number(document.querySelector('#slider').max)"))
			require.Positive(t, steps)
			for k := 1; k <= 5; k++ {
				p.keys(kb.ArrowRight)
				p.at(k)
			}
			p.keys(kb.End)
			p.at(steps)
			p.until("document.querySelector('#nodes .object')")
			p.logStepTime(name)
		})
	}
}

// logStepTime logs how long a step takes, back from the last one: until the document has
// changed, and until it has been laid out.
func (p *tab) logStepTime(name string) {
	p.t.Helper()
	times := p.text(`(() => {
		const times = [];
		for (let i = 0; i < 40; i++) {
			const begin = performance.now();
			document.querySelector("#back").click();
			document.body.getBoundingClientRect();
			times.push(performance.now() - begin);
		}
		times.sort((a, b) => a - b);
		return times[20].toFixed(1) + " ms, at most " + times[39].toFixed(1) + " ms, with " + document.querySelectorAll("#nodes .object").length + " objects drawn";
	})()`)
	p.t.Logf("%s: a step takes %s", name, times)
}

func testSteps(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("")
	steps := int(p.number("Number(document.querySelector('#slider').max)"))
	require.Equal(t, 76, steps)
	drawings := []string{p.drawing()}
	for k := 1; k <= steps; k++ {
		p.keys(kb.ArrowRight)
		p.at(k)
		drawings = append(drawings, p.drawing())
	}
	require.Contains(t, drawings[steps], "root")
	for k := steps - 1; k >= 0; k-- {
		p.keys(kb.ArrowLeft)
		p.at(k)
		require.Equal(t, drawings[k], p.drawing(), "state %d", k)
	}
	p.keys(kb.End)
	p.at(steps)
	require.Equal(t, drawings[steps], p.drawing())
	p.keys(kb.Home)
	p.at(0)

	// Nodes keep their place.
	places := `JSON.stringify(Object.fromEntries([...document.querySelectorAll("#nodes .object")].map((n) => [n.dataset.id, n.getAttribute("transform")])))`
	p.keys("g")
	p.keys("40" + kb.Enter)
	p.at(40)
	before := p.text(places)
	p.keys(kb.ArrowRight)
	p.at(41)
	require.True(t, p.is(fmt.Sprintf(`Object.entries(%s).every(([id, place]) => {
		const node = document.querySelector('#nodes [data-id="' + id + '"]');
		return !node || node.getAttribute("transform") === place;
	})`, before)))

	// The redex is lit, in its line.
	p.keys("g")
	p.keys("60" + kb.Enter)
	p.at(60)
	require.True(t, p.is("document.querySelector('.line.current .now')"))
	require.Equal(t, "60", p.text("document.querySelector('#number').value"))
	require.Contains(t, p.content("#panel-step"), p.content(".row.fires .name"))
	p.until("document.querySelector('#picture svg text')")
}

func testPlay(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("")
	p.do(chromedp.SetValue(chromedp.CSS("#speed"), "100"))
	p.act(`document.querySelector("#speed").dispatchEvent(new Event("change"))`)
	p.keys(" ")
	p.until("Number(document.body.dataset.step) > 5")
	p.keys(" ")
	require.False(t, p.is("document.body.classList.contains('playing')"))
	paused := p.step()
	time.Sleep(200 * time.Millisecond)
	require.Equal(t, paused, p.step(), "it has paused")
	p.click("#play")
	p.at(76)
	p.until("!document.body.classList.contains('playing')")
	p.click("#play") // from the beginning again
	p.until("Number(document.body.dataset.step) < 76")
	p.click("#first")
	p.at(0)
}

func testJumps(t *testing.T, browser context.Context) {
	s := serve(t, testConfig(figure1), nil)
	_, run := s.run(figure1, OfGradient)
	p := newTab(t, browser, s)
	p.open("")

	p.click(`.counter[data-rule="factor"]`)
	p.until("document.querySelector('#rule').textContent === '(11) factor'")
	factor := p.step()
	require.GreaterOrEqual(t, factor, int(run.Backward))
	require.Equal(t, "1", p.content(".row.fires .count"))

	p.click(`.hop.back[data-rule="times"]`)
	p.until("document.querySelector('#rule').textContent === '(8) times'")
	require.Less(t, p.step(), factor)
	times := p.step()
	p.keys("[")
	p.until(fmt.Sprintf("Number(document.body.dataset.step) < %d", times))
	p.keys("]")
	p.at(times)

	p.click("#first")
	p.at(0)
	p.click(`.no[data-line="5"]`)
	p.until("document.querySelector('.line.current .no')?.dataset.line === '5'")
	require.Positive(t, p.step())

	p.keys("b")
	p.at(int(run.Backward))
	require.Equal(t, "backward", p.text("document.body.dataset.phase"))
	require.Contains(t, p.content("#phase"), "backward")
	p.keys(kb.ArrowLeft)
	p.at(int(run.Backward) - 1)
	require.Equal(t, "primal", p.text("document.body.dataset.phase"))
	p.until("document.querySelector('#phases .backward .total')")
	require.Equal(t, fmt.Sprint(run.Backward-1), p.content("#phases .primal .total"))
	require.Equal(t, "0", p.content("#phases .backward .count"))
}

func testLinks(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("#step=41&of=gradient")
	p.at(41)
	p.keys(kb.ArrowRight)
	p.at(42)
	p.until("location.hash.includes('step=42')")
	p.do(chromedp.Reload())
	p.until("document.body.dataset.step === '42'")
	drawing := p.drawing()

	p.click("#of-value")
	p.until("location.hash.includes('of=value')")
	require.Equal(t, "true", p.text("document.querySelector('#of-value').getAttribute('aria-pressed')"))
	require.Less(t, p.number("Number(document.querySelector('#slider').max)"), 76.0)

	p.act("location.hash = '#step=42&of=gradient'")
	p.at(42)
	require.Equal(t, drawing, p.drawing())

	p.act("location.hash = '#step=99999&of=gradient'")
	p.at(76)
	p.act("location.hash = '#step=nonsense&of=nothing&src=%%%'")
	p.at(0)
}

func testEdit(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.tolerate("status of 422")
	p.open("#step=30&of=gradient")
	p.at(30)
	drawing := p.drawing()
	p.click("#edit")
	p.until("document.activeElement.id === 'text'")
	p.write("input x = 2\nsin (x, x)\n")
	p.keys(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.until("document.querySelector('.mark-row')")
	require.Contains(t, p.content(".mark-row .label"), "R * R")
	require.NotEmpty(t, p.content("#message"))
	require.Equal(t, drawing, p.drawing(), "the old run stays")
	require.True(t, p.is(`(() => { // under its line, and under its place
		const mark = document.querySelector(".mark-row .carets").getBoundingClientRect();
		const line = document.querySelector("#numbers span:nth-child(2)").getBoundingClientRect();
		const text = document.querySelector("#text").getBoundingClientRect();
		return mark.top >= line.top + line.height / 2 && mark.left > text.left && mark.bottom <= line.bottom + line.height / 2;
	})()`))
	p.do(chromedp.Focus(chromedp.CSS(".mark-row")))
	p.keys(kb.Enter)
	require.Equal(t, "(x, x)", p.text("(({value, selectionStart, selectionEnd}) => value.slice(selectionStart, selectionEnd))(document.querySelector('#text'))"))

	right := "input x = 2 -- ε\nsin (x * x)\n"
	p.write(right)
	p.keys(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.until("document.querySelector('#editor').hidden")
	p.at(0)
	require.Contains(t, p.content("#file"), "edited")
	require.Contains(t, p.content("#listing"), "sin (x * x)")
	p.keys(kb.ArrowRight)
	p.at(1)
	p.until("location.hash.includes('src=') && location.hash.includes('step=1')")

	p.click("#copy")
	p.until("[...document.querySelectorAll('.banner')].some((banner) => /copied|#step=1/.test(banner.textContent))")
	link := p.text("location.hash")
	other := newTab(t, browser, p.site)
	other.open(link)
	other.at(1)
	require.Contains(t, other.content("#listing"), "-- ε")
	require.Contains(t, other.content("#file"), "edited")
}

// testDrafts: what was typed isn't lost by leaving, reloading, or another run.
func testDrafts(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("")
	p.click("#edit")
	p.write("input y = 3\n")
	p.keys(kb.Tab)
	p.keys("y * y")
	draft := "input y = 3\n  y * y"
	value := "document.querySelector('#text').value"
	require.Equal(t, draft, p.text(value))
	p.keys(kb.Escape)
	p.until("document.querySelector('#editor').hidden")
	require.Contains(t, p.content("#edit"), "unsaved")
	p.click("#of-value")
	p.until("location.hash.includes('of=value')")
	p.do(chromedp.Reload())
	p.until("document.body.dataset.step !== undefined && !document.querySelector('#editor').hidden")
	require.Equal(t, draft, p.text(value))
	p.click("#revert")
	require.Equal(t, figure1, p.text(value))
	p.click("#leave")
	require.Equal(t, "Edit", p.content("#edit"))
}

func testKeyboard(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("")
	seen := map[string]bool{}
	for range 80 {
		p.keys(kb.Tab)
		seen[p.text("document.activeElement.id || document.activeElement.className.baseVal || document.activeElement.className")] = true
	}
	for _, id := range []string{"of-gradient", "of-value", "copy", "theme", "help-open", "edit", "no", "zoom-in", "fit", "follow", "counter",
		"slider", "play", "number", "to-backward", "speed"} {
		require.Contains(t, seen, id, "reached by the tabulator")
	}
	p.act("document.activeElement.blur()")

	p.keys("g")
	p.keys("50" + kb.Enter)
	p.at(50)
	p.keys("n")
	p.until("document.activeElement.classList.contains('object') && !document.querySelector('#tip').hidden")
	require.NotEmpty(t, p.content("#tip"))
	require.NotEmpty(t, p.text("document.activeElement.getAttribute('aria-label')"))
	first := p.content("#tip")
	p.keys("n")
	p.until(fmt.Sprintf("document.querySelector('#tip').textContent !== %q", first))
	p.keys(kb.Escape)
	require.True(t, p.is("document.querySelector('#tip').hidden"))

	p.keys("?")
	require.True(t, p.is("document.querySelector('#help').open"))
	p.keys(kb.ArrowRight)
	require.Equal(t, 50, p.step(), "the help is in front")
	p.keys(kb.Escape)
	p.until("!document.querySelector('#help').open")

	scale := `document.querySelector("#world").getAttribute("transform").match(/scale\((.*)\)/)[1]`
	before := p.text(scale)
	p.keys("+")
	require.NotEqual(t, before, p.text(scale))
	p.keys("e")
	p.until("document.activeElement.id === 'text'")
	p.keys(" b")
	require.Equal(t, 50, p.step(), "what is typed is text")
	p.keys(kb.Escape)
	p.until("document.activeElement.id === 'edit'")
	p.until("document.querySelector('#live').textContent.startsWith('Step 50')")
}

func testPhone(t *testing.T, browser context.Context) {
	for _, size := range [][2]int64{{360, 740}, {390, 844}, {844, 390}, {768, 1024}} {
		p := exploreSource(t, browser, figure1)
		p.phone(size[0], size[1])
		p.open("#step=53")
		p.at(53)
		for _, panel := range []string{"program", "rules", "step"} {
			p.act(fmt.Sprintf("document.querySelector('[data-show=%s]').click()", panel))
			require.True(t, p.is("document.scrollingElement.scrollWidth <= innerWidth && document.scrollingElement.scrollHeight <= innerHeight"), "%v, %s", size, panel)
			require.True(t, p.is("document.querySelector('#panel-"+panel+"').getClientRects().length"), "%v, %s", size, panel)
		}
		require.True(t, p.is(`[...document.querySelectorAll(".transport button, .transport select")].every((button) => {
			const {width, height, left, right, bottom} = button.getBoundingClientRect();
			return width >= 36 && height >= 36 && left >= 0 && right <= innerWidth && bottom <= innerHeight;
		})`), "%v: the buttons are large, and there", size)
		require.GreaterOrEqual(t, p.number("document.querySelector('#graph').getBoundingClientRect().height"), 150.0, "%v", size)
		// A tap tells of an object.
		p.act(`document.querySelector(".object").dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
		require.False(t, p.is("document.querySelector('#tip').hidden"))
		p.act("document.querySelector('#edit').click()")
		p.until("document.activeElement.id === 'text'")
		require.True(t, p.is("document.scrollingElement.scrollWidth <= innerWidth"), "%v: the editor", size)
	}
}

// testHostile: what a program has in it is text.
func testHostile(t *testing.T, browser context.Context) {
	dir := t.TempDir()
	hostile := `<img src=x onerror=alert(1)>`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.csv"), []byte(hostile+"\n1\n2\n"), 0o600))
	source := "-- <script>alert(1)</script> " + hostile + " &lt;b&gt;\ninput x' = 2\ndef script y = y * x'\n" +
		"data a : List R = csv \"a.csv\" \"" + hostile + "\"\nfold (fun e s -> script e + s) 0 a\n"
	cfg := testConfig(source)
	cfg.Dir, cfg.Name = dir, hostile+".gram"
	p := newTab(t, browser, serve(t, cfg, nil))
	p.tolerate("status of 422")
	p.open("")
	require.Equal(t, hostile+".gram", p.content("#file"))
	require.Equal(t, strings.Split(source, "\n")[0], p.content(".line code"))
	p.keys(kb.End)
	p.until("document.body.dataset.step === document.querySelector('#slider').max")
	p.keys("e")
	p.write("\"" + hostile + "\"")
	p.keys(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.until("document.querySelector('#message').textContent")
	require.True(t, p.is("document.querySelectorAll('img, script:not([src]), iframe').length === 0"))
}

// testGone: the server ends, the page says so, and keeps what was typed.
func testGone(t *testing.T, browser context.Context) {
	s := serve(t, testConfig(figure1), nil)
	p := newTab(t, browser, s)
	p.tolerate("ERR_CONNECTION_REFUSED")
	p.open("")
	p.click("#edit")
	p.write("input x = 4\nx * x\n")
	p.act("window.served = window.fetch; window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))")
	p.click("#run")
	p.until("document.querySelector('.banner.grave')")
	require.Contains(t, p.content(".banner.grave"), "isn’t running")
	require.Contains(t, p.text("document.querySelector('#text').value"), "x * x")
	p.act("window.fetch = window.served")
	p.click(".banner.grave button")
	p.until("document.querySelector('#file').textContent.includes('edited')")
	require.False(t, p.is("document.querySelector('.banner.grave')"))

	// A server that is busy is asked again.
	p.act(`window.fetch = () => Promise.resolve(new Response('{"error": "the server is busy"}', {status: 503, headers: {"Retry-After": "1"}}))`)
	p.click("#of-value")
	p.until("document.querySelector('.banner')?.textContent.includes('Trying again in 1 s')")
	p.act("window.fetch = window.served")
	p.until("location.hash.includes('of=value')")
	require.False(t, p.is("document.querySelector('.banner')"))
}

// testLimits: what a limit has cut short can be looked at; what is too large isn't sent.
func testLimits(t *testing.T, browser context.Context) {
	cfg := testConfig(figure1)
	cfg.Run.MaxSteps = 30
	p := newTab(t, browser, serve(t, cfg, nil))
	p.tolerate("status of 413")
	p.open("")
	require.Contains(t, p.content(".banner"), "was stopped")
	p.keys(kb.End)
	p.until("document.body.dataset.step === document.querySelector('#slider').max")
	last := p.step()
	require.Less(t, last, 76)
	p.keys("e")
	p.act("{const text = document.querySelector('#text'); text.value = '-- ' + 'x'.repeat(1 << 20); text.dispatchEvent(new Event('input'))}")
	p.keys(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.until("document.querySelector('.banner.grave')?.textContent.includes('too large')")
	require.Equal(t, last, p.step(), "the old run stays")
}

// testForgotten: a server that has forgotten the run gets the program again.
func testForgotten(t *testing.T, browser context.Context) {
	s := serve(t, testConfig(figure1), nil)
	p := newTab(t, browser, s)
	p.tolerate("status of 404")
	p.open("")
	s.shelf.mu.Lock()
	s.shelf.runs = nil
	s.shelf.mu.Unlock()
	p.click(`.counter[data-rule="factor"]`)
	p.until("document.querySelector('#rule').textContent === '(11) factor'")
	require.False(t, p.is("document.querySelector('.banner.grave')"))
}

func testThemes(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	scheme := func(v string) {
		_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: v}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		require.NoError(t, err)
	}
	ground := "getComputedStyle(document.body).backgroundColor"
	scheme("light")
	p.open("#step=53")
	light := p.text(ground)
	scheme("dark")
	night := p.text(ground)
	require.NotEqual(t, light, night)
	p.keys("t")
	require.Equal(t, light, p.text(ground))
	p.do(chromedp.Reload())
	p.until("document.body.dataset.step === '53'")
	require.Equal(t, light, p.text(ground), "it is remembered")
	require.True(t, p.is("document.getAnimations().length === 0"), "without motion")
}

// testModules tests what of the page needs no page.
func testModules(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("")
	for _, c := range []struct{ module, expression, want string }{
		{"link", `read(write({step: 7, of: "value", source: "-- ε → 😀\n+/="}))`, `{"step":7,"of":"value","source":"-- ε → 😀\n+/=","edited":false}`},
		{"link", `read(write({step: 7, of: "value", source: "x".repeat(9000)}))`, `{"step":7,"of":"value","source":null,"edited":true}`},
		{"link", `read("#step=-1&of=all&src=%%")`, `{"step":0,"of":"","source":null,"edited":false}`},
		{"tokens", `tokens("let ε' = 1.5e-3*x").map((t) => [t.column, t.text]).filter(([, t]) => t.trim())`,
			`[[1,"let"],[5,"ε'"],[8,"="],[10,"1.5e-3"],[16,"*"],[17,"x"]]`},
		{"tokens", `tokens("x --1").map((t) => t.kind)`, `["","space","comment"]`},
		{"tokens", `[0, 1, 2, 3, 6, 9].map((c) => tokenAt(tokens("a = bc"), c))`, `[-1,0,-1,2,4,-1]`},
		{"state", `[0, 1, 2, 3, 4, 5].map((k) => versionAt({versions: [{from: 1, until: 2, a: 1}, {from: 2, until: 3, a: 2}, {from: 4, until: 5, a: 4}]}, k)?.a ?? 0)`,
			`[0,1,2,0,4,0]`},
		{"state", `countsAt({from: 10, to: 13, counts: [4, 6], steps: [{rule: 0}, {rule: 1}, {rule: 1}]}, 12)`, `[5,7]`},
		{"state", `moveAt({from: 0, to: 4, steps: [1, 2, 2, 4].map((event) => ({event}))}, 3)`, `{"first":2,"last":3}`},
		{"state", `moveAt({from: 0, to: 4, steps: [1, 2, 2, 4].map((event) => ({event}))}, 1)`, `null`},
		{"state", `[0, 4, 7, 12].map((k) => phaseTotals([{from: 1, phase: "primal"}, {from: 5, phase: "backward"}, {from: 9, phase: "primal"}], k))`,
			`[{"primal":0,"backward":0},{"primal":4,"backward":0},{"primal":4,"backward":3},{"primal":8,"backward":4}]`},
		{"shapes", `cut("abcdefgh", 37)`, `"abcd…"`},
		{"shapes", `curves([[0, 0], [10, 0], [20, 5], [60, 5]])`, `[[[0,0],[16,0],[-6,0],[10,0]],[[20,5],[40,5],[40,5],[60,5]]]`},
	} {
		got := p.text(fmt.Sprintf(`import("/assets/%s.js").then((m) => {
			const {%s} = m;
			return JSON.stringify(%s);
		})`, c.module, strings.Join(functions[c.module], ", "), c.expression))
		require.Equal(t, c.want, got, c.expression)
	}
}

// functions are those of the modules that are tested on their own.
var functions = map[string][]string{
	"link": {"read", "write"}, "tokens": {"tokens", "tokenAt"}, "state": {"versionAt", "countsAt", "moveAt", "phaseTotals"},
	"shapes": {"cut", "curves"},
}
