//go:build browser

package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// seen is how the graph lies in the page: x, y of its origin, in pixels, and its scale.
type seen struct{ X, Y, Scale float64 }

func (p *tab) seen() seen {
	p.t.Helper()
	return value[seen](p, `(() => {
		const [X, Y, Scale] = document.querySelector("#world").getAttribute("transform").match(/-?[\d.]+/g).map(Number);
		return {X, Y, Scale};
	})()`)
}

// middle is the middle of an element.
func (p *tab) middle(selector string) (x, y float64) {
	p.t.Helper()
	at := value[[2]float64](p, fmt.Sprintf(`(() => {
		const {left, top, width, height} = document.querySelector(%q).getBoundingClientRect();
		return [left + width / 2, top + height / 2];
	})()`, selector))
	return at[0], at[1]
}

// testMouse: the graph is dragged, the wheel zooms at the pointer, an object tells of itself.
func testMouse(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("#step=61")
	p.at(61)
	x, y := p.middle(".object.redex")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	p.until("!document.querySelector('#tip').hidden")
	require.Contains(t, p.content("#tip"), "dual")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, 5, 5))
	p.until("document.querySelector('#tip').hidden")
	p.do(chromedp.MouseClickXY(x, y))
	p.until("document.querySelector('#listing .picked')")

	cx, cy := p.middle("#graph")
	was := p.seen()
	p.do(chromedp.DragAndDropXY(cx, cy+120, cx+50, cy+90))
	now := p.seen()
	require.InDelta(t, was.X+50, now.X, 0.5)
	require.InDelta(t, was.Y-30, now.Y, 0.5)

	x, y = p.middle(".object.redex")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y, func(e *input.DispatchMouseEventParams) {
		e.Type = input.DispatchMouseEventTypeMouseWheel
		e.DeltaX, e.DeltaY = 0.1, -120 // a zero isn't sent, and both must be
	}))
	p.until(fmt.Sprintf(`!document.querySelector("#world").getAttribute("transform").includes("scale(%.4f)")`, now.Scale))
	require.Greater(t, p.seen().Scale, now.Scale)
	zx, zy := p.middle(".object.redex")
	require.InDelta(t, x, zx, 1, "what the pointer is at stays")
	require.InDelta(t, y, zy, 1)
	p.click("#fit")
	require.Less(t, p.seen().Scale, 1.6)
}

// testTouch: two fingers zoom, one drags.
func testTouch(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.phone(390, 844)
	p.open("#step=61")
	p.at(61)
	touch := func(kind input.DispatchTouchEventType, at ...float64) {
		params := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{}}
		for i := 0; i < len(at); i += 2 {
			params.TouchPoints = append(params.TouchPoints, &input.TouchPoint{X: at[i], Y: at[i+1], ID: new(float64(i))})
		}
		_, err := chromedp.Call(p.ctx, input.DispatchTouchEvent, params)
		require.NoError(t, err)
	}
	was := p.seen()
	touch(input.DispatchTouchEventTypeTouchStart, 150, 280, 200, 280)
	for i := range 6 {
		d := float64(10 * i)
		touch(input.DispatchTouchEventTypeTouchMove, 150-d, 280, 200+d, 280)
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	p.until(fmt.Sprintf(`Number(document.querySelector("#world").getAttribute("transform").match(/scale\((.*)\)/)[1]) > %g`, was.Scale*1.5))
	require.InDelta(t, was.Scale*150/50, p.seen().Scale, was.Scale, "as far as the fingers went")

	now := p.seen()
	touch(input.DispatchTouchEventTypeTouchStart, 150, 280)
	for i := range 5 {
		touch(input.DispatchTouchEventTypeTouchMove, 150, 280+10*float64(i))
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	p.until(fmt.Sprintf(`Number(document.querySelector("#world").getAttribute("transform").match(/ (-?[\d.]+)\)/)[1]) > %g`, now.Y+25))
	require.True(t, p.is("document.scrollingElement.scrollTop === 0"))
}
