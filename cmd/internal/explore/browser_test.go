//go:build browser

package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience bounds what a page is waited for. It is long: times decide no test.
const patience = 60 * time.Second

// browserPath returns the browser of the system, and skips the test where there is none.
func browserPath(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no browser is installed: the page is tested in Chromium")
	return ""
}

// startBrowser starts a browser without a window, until the test ends.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	path := browserPath(t)
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 800),
		chromedp.WSURLReadTimeout(patience),
	}
	for _, flag := range []string{
		"disable-gpu", "disable-quic", "no-first-run", "no-default-browser-check", "disable-background-networking",
		"disable-component-update", "disable-sync", "disable-extensions", "disable-dev-shm-usage", "hide-scrollbars",
		// Tests have a tab each, at once: none is to be slower for being in the background.
		"disable-background-timer-throttling", "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	options = append(options, chromedp.Flag("headless", "new"), chromedp.Flag("no-sandbox", os.Getuid() == 0))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return ctx
}

// tab is a tab of the browser while a test uses it.
type tab struct {
	*slot
	t    *testing.T
	site *site
	own  bool // it is closed after the test: its settings have changed

	mu        sync.Mutex
	troubles  []string // what was printed on the console, thrown, or asked of others
	tolerated []string // parts of troubles that a test brings about
}

// slot is a tab that tests use one after the other: a new one takes seconds of processor time. Each test has a server on a
// port of its own, so that it has storage of its own too.
type slot struct {
	ctx    context.Context
	cancel context.CancelFunc
	user   atomic.Pointer[tab] // that is told of events
}

func (s *slot) event(event any) {
	if p := s.user.Load(); p != nil {
		p.event(event)
	}
}

// idle are the tabs that no test uses.
var idle = make(chan *slot, 100)

// newTab returns a tab. When the test ends it must have had no troubles but those that are tolerated.
func newTab(t *testing.T, browser context.Context, s *site) *tab {
	t.Helper()
	p := &tab{t: t, site: s}
	select {
	case p.slot = <-idle:
	default:
		p.slot = &slot{}
		p.ctx, p.cancel = chromedp.NewContext(browser, chromedp.WithListener(p.slot.event))
		require.NoError(t, chromedp.Do(p.ctx))
		_, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{})
		require.NoError(t, err)
	}
	p.user.Store(p)
	t.Cleanup(func() {
		p.user.Store(nil)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.own || t.Failed() || chromedp.Do(p.ctx, chromedp.Navigate("about:blank")) != nil {
			p.cancel()
		} else {
			idle <- p.slot
		}
		require.Empty(t, p.troubles, "what the browser complains of")
	})
	return p
}

// event notes what must not happen.
func (p *tab) event(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		text, _ := json.Marshal(e.Args)
		p.trouble(fmt.Sprintf("console.%s %s", e.Type, text))
	case *runtime.EventExceptionThrown:
		text, _ := json.Marshal(e.ExceptionDetails)
		p.trouble("exception " + string(text))
	case *cdplog.EventEntryAdded:
		p.trouble(fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, p.site.url+"/") && url != "about:blank" {
			p.trouble("a request to " + url)
		}
	}
}

func (p *tab) trouble(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, part := range p.tolerated {
		if strings.Contains(text, part) {
			return
		}
	}
	p.troubles = append(p.troubles, text)
}

// tolerate says that a test brings about troubles with such a text.
func (p *tab) tolerate(part string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tolerated = append(p.tolerated, part)
}

// do does something with the tab.
func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	require.NoError(p.t, chromedp.Do(ctx, actions...))
}

// value evaluates an expression in the page; a promise is awaited.
func value[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return v
}

// open opens the page as visit does, at the machine's memory.
func (p *tab) open(hash string) {
	p.t.Helper()
	p.visit(hash)
	p.act(`document.querySelector("#views:not([hidden]) #view-memory")?.click()`)
}

// visit opens the page at a hash, and waits for its step. Without a hash it opens at the beginning, and does not play.
func (p *tab) visit(hash string) {
	p.t.Helper()
	if hash == "" {
		hash = "#step=0"
	}
	p.do(chromedp.Navigate(p.site.url + "/" + hash))
	p.until("document.body.dataset.step !== undefined && document.body.dataset.view !== undefined")
}

// text, number and is are the values of expressions in the page.
func (p *tab) text(expression string) string {
	p.t.Helper()
	return value[string](p, expression)
}

func (p *tab) number(expression string) float64 {
	p.t.Helper()
	return value[float64](p, expression)
}

func (p *tab) is(expression string) bool {
	p.t.Helper()
	return value[bool](p, "!!("+expression+")")
}

// act runs a script in the page.
func (p *tab) act(script string) {
	p.t.Helper()
	value[chromedp.Void](p, script)
}

// until waits for an expression to become true. While a page is loaded it may have no value.
func (p *tab) until(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		switch {
		case yes:
			return
		case ctx.Err() != nil:
			require.Fail(p.t, "it doesn't come about: "+expression, "step %s, %v", p.text("String(document.body?.dataset.step)"), err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// at waits for the page to show a step.
func (p *tab) at(step int) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.body.dataset.step === '%d'", step))
}

// step is the step that the page shows.
func (p *tab) step() int {
	p.t.Helper()
	return int(p.number("Number(document.body.dataset.step)"))
}

// content is the text of an element.
func (p *tab) content(selector string) string {
	p.t.Helper()
	return p.text(fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

func (p *tab) keys(keys string, options ...chromedp.KeyOption) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, options...))
}

// write puts a program into the editor, as if it was typed.
func (p *tab) write(source string) {
	p.t.Helper()
	quoted, err := json.Marshal(source)
	require.NoError(p.t, err)
	p.act(fmt.Sprintf(
		"{const text = document.querySelector('#text'); text.focus(); text.select(); document.execCommand('insertText', false, %s)}", quoted))
}

// drawing is the expression for what the graph shows, sorted: the order of drawing depends on the steps before.
const drawing = `[...document.querySelectorAll("#nodes > *, #edges > *, #chips > *")]
	.map((node) => node.outerHTML.replace(/ tabindex="-?\d"/, "")).sort().join("\n")`

func (p *tab) drawing() string {
	p.t.Helper()
	return p.text(drawing)
}

// phone makes the tab one of a phone.
func (p *tab) phone(width, height int64) {
	p.t.Helper()
	p.own = true
	p.do(chromedp.EmulateViewport(width, height, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch))
}
