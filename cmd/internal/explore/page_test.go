//go:build browser

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

	"github.com/gram-machine/gram/internal/property"
)

// TestPage tests the page in a real browser, one for all tests.
func TestPage(t *testing.T) {
	browser := startBrowser(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"examples": testExamples, "steps": testSteps, "play": testPlay, "jumps": testJumps, "links": testLinks, "edit": testEdit,
		"drafts": testDrafts, "keyboard": testKeyboard, "phone": testPhone, "hostile": testHostile, "gone": testGone,
		"forgotten": testForgotten, "themes": testThemes, "limits": testLimits, "modules": testModules, "wrong": testWrong, "mouse": testMouse, "touch": testTouch,
		"leaps": testLeaps, "lines": testLines, "reader": testReader, "gallery": testGallery, "access": testAccess, "export": testExport, "exported groups": testExportedGroups, "groups": testGroups,
		"reports": testReports, "operations": testOperations, "folds": testFolds, "large": testLarge,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, browser)
		})
	}
}

// exploreSource opens a tab for the page of a program.
func exploreSource(t *testing.T, browser context.Context, source string) *tab {
	t.Helper()
	return newTab(t, browser, serve(t, testConfig(source), nil))
}

func testExamples(t *testing.T, browser context.Context) {
	names := []string{"figure1", "rnn", "weather", "backpropagators", "polynomial", "mlp"}
	if !property.Full() {
		names = names[1:3] // testSteps takes figure1
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("..", "..", "..", "examples", name+".gram")
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
			p.keys(kb.ArrowLeft) // (5) of λa.0⃗ may come last, and leaves nothing at its place
			p.at(steps - 1)
			p.until("document.querySelector('#nodes .object')")
			if property.Full() {
				p.logStepTime(name)
			}
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

// testSteps takes all steps of a run forward and back. Without FULL_SIZE it compares the pictures of some states only.
func testSteps(t *testing.T, browser context.Context) {
	every := stride(1)
	p := exploreSource(t, browser, figure1)
	p.open("")
	steps := int(p.number("Number(document.querySelector('#slider').max)"))
	require.Equal(t, 76, steps)
	drawings := map[int]string{0: p.whole()}
	for k := 1; k <= steps; k++ {
		p.keys(kb.ArrowRight)
		p.at(k)
		if k%every == 0 || k == steps {
			drawings[k] = p.whole()
		}
	}
	require.Contains(t, drawings[steps], "← −5.467")
	for k := steps - 1; k >= 0; k-- {
		p.keys(kb.ArrowLeft)
		p.at(k)
		if k%every == 0 && k != 32 { // between the phases, in both windows
			require.Equal(t, drawings[k], p.whole(), "state %d", k)
		}
	}
	p.keys(kb.End)
	p.at(steps)
	require.Equal(t, drawings[steps], p.whole())
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
	first := p.step()
	p.click("#line-on")
	p.until(fmt.Sprintf("Number(document.body.dataset.step) > %d", first))
	require.Equal(t, "5", p.text("document.querySelector('.line.current .no').dataset.line"))
	p.keys("L")
	p.at(first)
	p.keys("l")
	p.until(fmt.Sprintf("Number(document.body.dataset.step) > %d", first))
	p.click("#line-back")
	p.at(first)

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
	require.NotContains(t, seen, "nodes", "an object is a stop, and not the group of all")
	p.act("document.activeElement.blur()")

	p.keys("g")
	p.keys("50" + kb.Enter)
	p.at(50)
	p.keys("n")
	p.until("document.activeElement.classList.contains('object') && !document.querySelector('#tip').hidden")
	require.NotEmpty(t, p.content("#tip"))
	require.NotEmpty(t, p.text("document.activeElement.getAttribute('aria-label')"))
	first := p.text("document.activeElement.dataset.id")
	p.keys("n")
	p.until(fmt.Sprintf("document.activeElement.dataset.id !== %q", first))
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
	sizes := [][2]int64{{360, 740}, {844, 390}, {390, 844}, {768, 1024}}
	if !property.Full() {
		sizes = sizes[:2]
	}
	for _, size := range sizes {
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

func testThemes(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.own = true
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
