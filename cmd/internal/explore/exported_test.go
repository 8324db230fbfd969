//go:build browser

package explore

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
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

// testGroups: above fifty objects there are groups by def, line and iteration, each object is in one, and no two overlap.
func testGroups(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("")
	// shown opens groups of a window, null as many as can be read, and checks what the groups of all windows have.
	shown := func(name string, at uint64, open string) (keys, opened []string, objects int) {
		x, err := Explore(t.Context(), gramtest.Example(t, name), true, gram.EvalOptions{})
		require.NoError(t, err)
		w, err := x.Window(t.Context(), at)
		require.NoError(t, err)
		var got struct {
			Fault        string
			Groups, Open []string
			Objects      int
		}
		require.NoError(t, json.Unmarshal([]byte(p.text(fmt.Sprintf(
			`Promise.all([import("/assets/groups.js"), import("/assets/state.js")]).then(([{ inGroups }, { objectsAt }]) => {
			const win = inGroups(%s, %s, %s);
			const { nodes } = win;
			let fault = nodes.every(({ x, y }) => x >= 0 && y >= 0) ? "" : "objects without a place";
			for (const a of nodes) for (const b of nodes) {
				if (a !== b && Math.abs(a.x - b.x) < (a.w + b.w) / 2 && Math.abs(a.y - b.y) < (a.h + b.h) / 2) fault = "objects that overlap: " + a.id + " and " + b.id;
			}
			for (const { node } of win.steps) if (node >= 0 && !nodes.some(({ id, versions }) => id === node && versions.length)) fault = "a step about nothing";
			return JSON.stringify({ fault, groups: nodes.map(({ group }) => group).filter(Boolean), open: win.open ?? [], objects: objectsAt(win, %d).size });
		})`, encode(w), open, encode(x.Info().Defs), at))), &got))
		require.Empty(t, got.Fault)
		return got.Groups, got.Open, got.Objects
	}
	keys, _, objects := shown("mlp", 1050, "[]")
	require.ElementsMatch(t, []string{"def error", "def network", "inputs", "line 16"}, keys)
	require.LessOrEqual(t, objects, len(keys))
	keys, _, _ = shown("mlp", 1050, `["def network"]`)
	require.Subset(t, keys, []string{"def network, line 12", "def network, line 13"})
	keys, _, _ = shown("mlp", 1050, `["def network", "def network, line 12"]`)
	require.Greater(t, len(keys), 6, "the iterations of a line")
	keys, _, objects = shown("mlp", 1050, `["*"]`)
	require.Empty(t, keys)
	require.Greater(t, objects, 50)
	_, opened, objects := shown("rnn", 110, "null")
	require.Greater(t, objects, 20, "as much is open as can be read")
	require.LessOrEqual(t, objects, 50)
	require.Contains(t, opened, "line 6")
}

// testExportedGroups: the groups of a recorded page open and close as those of a server.
func testExportedGroups(t *testing.T, browser context.Context) {
	source, err := os.ReadFile("../../../examples/mlp.gram")
	require.NoError(t, err)
	s, _ := newServer(t, testConfig(string(source)))
	var page bytes.Buffer
	require.NoError(t, s.Export(t.Context(), &page))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.html"), page.Bytes(), 0o600))
	p := newTab(t, browser, &site{url: "file://" + dir})
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
