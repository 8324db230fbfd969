//go:build browser

package explore

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

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

// testWrong: a file that is wrong is mended in the page, and a run that there isn't is refused.
func testWrong(t *testing.T, browser context.Context) {
	p := newTab(t, browser, serve(t, testConfig("input x = 2\nlin a -> a * y\n"), nil))
	p.tolerate("status of 422")
	p.do(chromedp.Navigate(p.site.url))
	p.until("document.querySelector('.mark-row')")
	require.Contains(t, p.content(".mark-row"), "^")
	require.Contains(t, p.content("#empty"), "hasn’t run")
	p.keys(kb.ArrowRight)
	p.write("input x = 2\nlet f = lin a -> a * x in f 3\n")
	p.click("#of-value")
	p.until("document.body.dataset.step === '0'")
	p.until("document.querySelector('#editor').hidden")
	p.click("#of-gradient")
	p.until("document.querySelector('.banner')")
	require.Equal(t, "true", p.text("document.querySelector('#of-value').getAttribute('aria-pressed')"))
	require.True(t, p.is("document.querySelector('#editor').hidden"))
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
