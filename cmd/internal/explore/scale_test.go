//go:build browser

package explore

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// stepping presses a key in each frame, 300 times, and returns the times between the frames in ms and the frames in which
// the step that was asked for was not shown yet.
const stepping = `(async () => {
	const frame = () => new Promise(requestAnimationFrame);
	const times = [];
	let late = 0;
	let last = await frame();
	for (let i = 0; i < 300; i++) {
		const wanted = Number(document.body.dataset.step) + 1;
		document.dispatchEvent(new KeyboardEvent("keydown", { key: "%s", bubbles: true }));
		const now = await frame();
		if (Number(document.body.dataset.step) < wanted) late++;
		times.push(now - last);
		last = now;
	}
	times.sort((a, b) => a - b);
	return JSON.stringify({ median: times[150], most: times.slice(-6), late, step: Number(document.body.dataset.step) });
})()`

// TestScale prints how long a run of 10⁶ steps takes to open, and how evenly it is stepped through, if SCALE is set.
func TestScale(t *testing.T) {
	if os.Getenv("SCALE") == "" {
		t.Skip("SCALE is not set")
	}
	source, err := os.ReadFile("../../../examples/w1.gram")
	require.NoError(t, err)
	cfg := testConfig(string(source))
	cfg.Run = gram.EvalOptions{MaxSteps: 1e7, MaxNodes: 4e6}
	browser := startBrowser(t)
	for _, at := range []int{-1, 0, 990_000} {
		if at < 0 { // for comparison
			at, cfg.Params = 0, []string{"n=10"}
		} else {
			cfg.Params = []string{"n=12000"}
		}
		s := serve(t, cfg, nil)
		p := newTab(t, browser, s)
		begun := time.Now()
		p.do(chromedp.Navigate(fmt.Sprintf("%s/#step=%d", s.url, at)))
		p.until("document.body.dataset.step !== undefined")
		fmt.Printf("step %d: open after %.2f s", at, time.Since(begun).Seconds())
		fmt.Printf(", of %s steps\n", p.text("document.querySelector('#slider').max"))
		fmt.Println("  stepping, ms a frame:", p.text(fmt.Sprintf(stepping, "ArrowRight")))
		p.keys("u")
		p.until("!document.body.classList.contains('loading')")
		fmt.Println("  all groups open:", p.text(fmt.Sprintf(stepping, "ArrowRight")))
	}
}
