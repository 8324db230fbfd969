package plot

import (
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// TestSubset: characters have the outlines and widths of the whole font, also those that are made of others.
func TestSubset(t *testing.T) {
	const text = "Steps = Θ(|G|²) · 10⁶ é"
	ttf, err := subset(liberationsansregular.TTF, []rune(text+"\U0001F600"))
	require.NoError(t, err)
	require.Less(t, len(ttf), 10_000)
	whole, err := sfnt.Parse(liberationsansregular.TTF)
	require.NoError(t, err)
	part, err := sfnt.Parse(ttf)
	require.NoError(t, err)
	var b sfnt.Buffer
	size := fixed.I(int(whole.UnitsPerEm()))
	glyph := func(f *sfnt.Font, r rune) (sfnt.Segments, fixed.Int26_6) {
		g, err := f.GlyphIndex(&b, r)
		require.NoError(t, err)
		require.NotZero(t, g, "%c", r)
		outline, err := f.LoadGlyph(&b, g, size, nil)
		require.NoError(t, err)
		outline = append(sfnt.Segments(nil), outline...)
		width, err := f.GlyphAdvance(&b, g, size, font.HintingNone)
		require.NoError(t, err)
		return outline, width
	}
	for _, r := range text {
		outline, width := glyph(whole, r)
		gotOutline, gotWidth := glyph(part, r)
		require.Equal(t, outline, gotOutline, "%c", r)
		require.Equal(t, width, gotWidth, "%c", r)
	}
	for _, absent := range "Z\U0001F600" {
		g, err := part.GlyphIndex(&b, absent)
		require.NoError(t, err)
		require.Zero(t, g)
	}
	require.Equal(t, uint32(0xB1B0AFBA), sum(ttf), "the checksum of the file")
}
