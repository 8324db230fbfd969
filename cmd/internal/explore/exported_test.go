//go:build browser

package explore

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// testExport: the page of a recorded run works from a file.
func testExport(t *testing.T, browser context.Context) {
	s, _ := newServer(t, testConfig(figure1))
	var page bytes.Buffer
	require.NoError(t, s.Export(t.Context(), &page))
	require.Less(t, page.Len(), 300_000)
	require.NotRegexp(t, `(src|href)="(/|https?:)`, page.String())
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.html"), page.Bytes(), 0o600))
	p := newTab(t, browser, &site{url: "file://" + dir})
	p.do(chromedp.Navigate(p.site.url + "/page.html#step=42"))
	p.until("document.body.dataset.step === '42'")
	p.keys("3" + kb.ArrowRight)
	p.at(53)
	require.Equal(t, "3 × −0.9111 = −2.733: the derivative of z1 * z1 by z1 is 3, and −0.9111 arrived.", p.content("#says"))
	p.until("document.querySelector('#picture svg text')")
	p.click(`.counter[data-rule="factor"]`)
	p.at(57)
	p.keys("[")
	p.until("document.querySelector('#notices').textContent.includes('the only step')")
	p.keys("e")
	require.True(t, p.is("document.querySelector('#editor').hidden && !document.querySelector('#edit').checkVisibility()"), "there is no server to run another program")
	p.keys(kb.End)
	p.at(76)
}

// testExportedGroups: the groups of a recorded page are those of the server, and open and close as there.
func testExportedGroups(t *testing.T, browser context.Context) {
	source, err := os.ReadFile("../../../examples/mlp.gram")
	require.NoError(t, err)
	s, _ := newServer(t, testConfig(string(source)))
	st, err := s.start(t.Context(), &request{string(source), OfGradient})
	require.NoError(t, err)
	window := func() *Window {
		w, err := st.Window(t.Context(), 300)
		require.NoError(t, err)
		return w
	}
	recorded := window()
	record(recorded)
	p := exploreSource(t, browser, figure1)
	p.open("")
	// sorted are the parts of a window in an order, without their places and what is empty.
	const sorted = `const sorted = (win) => JSON.stringify([win.nodes.toSorted((a, b) => a.id - b.id).map(({ id, made, group, versions }) => [id, made, group,
		versions.map((v) => ["from", "until", "kind", "role", "waits", "label", "value", "text", "line", "column", "root", "edges"].map((key) => v[key]?.length === 0 ? null : v[key] || null))]),
		win.steps.map((s) => [s.node, s.operands ?? []]), win.arrivals, win.open]);`
	for _, open := range [][]string{recorded.Auto.Open, {"def network"}, {"def error", "def error, line 14", "inputs"}, {}} {
		grouped := window().Group(Opened{Keys: open})
		got := p.text(fmt.Sprintf(`Promise.all([import("/assets/groups.js"), import("/assets/arrange.js")]).then(([{ regroup }, { arrange }]) => {
			%s
			const [recorded, want, open] = [%s, %s, %s];
			want.open ??= [];
			const got = arrange(regroup(recorded, open));
			if (sorted(got) !== sorted(want)) return "other groups than the server's: " + sorted(got) + sorted(want);
			for (const a of got.nodes) for (const b of got.nodes) {
				if (a !== b && Math.abs(a.x - b.x) < (a.w + b.w) / 2 && Math.abs(a.y - b.y) < (a.h + b.h) / 2) return "objects that overlap: " + a.id + " and " + b.id;
			}
			return got.nodes.every(({ x, y }) => x >= 0 && y >= 0) ? "equal" : "objects without a place";
		})`, sorted, encode(recorded), encode(grouped), encode(open)))
		require.Equal(t, "equal", got, open)
	}

	var page bytes.Buffer
	require.NoError(t, s.Export(t.Context(), &page))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.html"), page.Bytes(), 0o600))
	p = newTab(t, browser, &site{url: "file://" + dir})
	p.do(chromedp.Navigate(p.site.url + "/page.html#step=300"))
	p.until("document.body.dataset.step === '300'")
	button := "[...document.querySelectorAll('#groups button')].find((b) => b.textContent.includes('def network ×'))"
	box := "[...document.querySelectorAll('#nodes .object.group')].find((g) => g.textContent.includes('def network'))"
	p.act(button + ".click()")
	p.until(box)
	require.False(t, p.is(button))
	p.act(box + ".dispatchEvent(new MouseEvent('click', { bubbles: true }))")
	p.until(button)
	require.False(t, p.is(box))
	p.keys("u")
	p.until("!document.querySelector('#nodes .object.group') && document.querySelector('#ungroup').ariaPressed === 'true'")
	p.keys("u" + kb.ArrowRight)
	p.at(301)
	p.until(button)
}

// TestFilm takes the animated picture of README: FILM names the GIF to be written, PAGE the exported page that it is of.
func TestFilm(t *testing.T) {
	path, page := os.Getenv("FILM"), os.Getenv("PAGE")
	if path == "" {
		t.Skip("FILM names no file")
	}
	p := newTab(t, startBrowser(t), &site{url: "file://" + filepath.Dir(page)})
	p.do(chromedp.EmulateViewport(1000, 640))
	p.media("light", "reduce")
	p.do(chromedp.Navigate("file://" + page + "#step=0"))
	p.until("document.body.dataset.step === '0'")
	p.keys("3")
	var frames []image.Image
	for last := -1; p.step() != last; {
		last = p.step()
		p.until("document.querySelector('#picture svg text') || document.body.dataset.step === '0'")
		ctx, cancel := context.WithTimeout(p.ctx, patience)
		shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		cancel()
		require.NoError(t, err)
		frame, err := png.Decode(bytes.NewReader(shot))
		require.NoError(t, err)
		frames = append(frames, frame)
		p.keys(kb.ArrowRight)
		p.act("new Promise((done) => setTimeout(done, 400))")
	}
	out := film(frames)
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, out))
	require.Less(t, b.Len(), 1<<20)
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	fmt.Println(len(frames), "frames,", b.Len(), "bytes")
}

// film joins frames to a GIF with the 256 colours that are most frequent.
func film(frames []image.Image) *gif.GIF {
	counts := map[color.RGBA]int{}
	for _, f := range frames {
		for y := f.Bounds().Min.Y; y < f.Bounds().Max.Y; y++ {
			for x := f.Bounds().Min.X; x < f.Bounds().Max.X; x++ {
				counts[color.RGBAModel.Convert(f.At(x, y)).(color.RGBA)]++
			}
		}
	}
	var colours []color.RGBA
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int { return counts[b] - counts[a] })
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	out := &gif.GIF{}
	for i, f := range frames {
		img := image.NewPaletted(f.Bounds(), palette)
		for y := f.Bounds().Min.Y; y < f.Bounds().Max.Y; y++ {
			for x := f.Bounds().Min.X; x < f.Bounds().Max.X; x++ {
				c := color.RGBAModel.Convert(f.At(x, y)).(color.RGBA)
				at, known := nearest[c]
				if !known {
					at = uint8(palette.Index(c))
					nearest[c] = at
				}
				img.SetColorIndex(x, y, at)
			}
		}
		delay := 160
		if i == len(frames)-1 {
			delay = 400
		}
		out.Image, out.Delay = append(out.Image, img), append(out.Delay, delay)
	}
	return out
}
