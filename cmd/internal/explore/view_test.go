//go:build browser

package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
)

// long is a run whose graph is far wider than the page.
const long = "input x = 0.3\niter #40 (fun z -> sin (z * z) + z) x\n"

// goTo goes to a step by its number.
func (p *tab) goTo(k int) {
	p.t.Helper()
	p.keys("g")
	p.keys(fmt.Sprint(k) + kb.Enter)
	p.at(k)
}

// whole shows a whole state, and returns what the graph shows then.
func (p *tab) whole() string {
	p.t.Helper()
	p.keys("0")
	return p.text("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(" + drawing + "))))")
}

// stride is how many steps lie between states that are looked at: eight times as many without FULL_SIZE.
func stride(full int) int {
	if property.Full() {
		return full
	}
	return 8 * full
}

// testLeaps: the picture of a state does not depend on the state before, be it adjacent or far away; and every state
// shows some object.
func testLeaps(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, long)
	p.open("")
	steps := int(p.number("Number(document.querySelector('#slider').max)"))
	require.Greater(t, steps, 1000)
	seen := `(() => {
		const frame = document.querySelector("#graph").getBoundingClientRect();
		return [...document.querySelectorAll(".object")].some((node) => {
			const {left, right, top, bottom} = node.getBoundingClientRect();
			return left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom;
		});
	})()`
	for k := 0; k <= steps; k += stride(97) {
		p.goTo(k)
		p.until(seen)
	}
	for _, k := range []int{300, steps / 2, steps - 80} {
		p.goTo(k)
		leapt := p.whole()
		p.goTo(k - 3)
		for range 3 {
			p.keys(kb.ArrowRight)
		}
		p.at(k)
		require.Equal(t, leapt, p.whole(), "forward to state %d", k)
		p.goTo(k + 3)
		for range 3 {
			p.keys(kb.ArrowLeft)
		}
		p.at(k)
		require.Equal(t, leapt, p.whole(), "back to state %d", k)
	}
}

// testLines: a long line is scrolled to the part that is lit.
func testLines(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, "input x = 2\nx"+strings.Repeat(" + x * x", 40)+"\n")
	p.open("")
	lit := `(() => {
		const list = document.querySelector("#listing").getBoundingClientRect();
		const lit = document.querySelector("#listing .now")?.getBoundingClientRect();
		return lit && lit.left >= list.left + 40 && lit.right <= list.right && lit.top >= list.top && lit.bottom <= list.bottom;
	})()`
	steps := int(p.number("Number(document.querySelector('#slider').max)"))
	for k := 40; k <= steps; k += stride(50) {
		p.goTo(k)
		p.until("!document.querySelector('#listing .now') || " + lit) // the listing scrolls once a frame
	}
	require.True(t, p.is("document.querySelector('#listing').scrollWidth <= document.querySelector('#listing').clientWidth"), "long lines are wrapped")
}
