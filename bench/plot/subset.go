package plot

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"html"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/sfnt"
)

// family is the name of the fonts in a picture.
const family = "Plot Sans"

var drawnText = regexp.MustCompile(`(?s)<text[^>]*font-weight:(\w+)[^>]*>([^<]*)</text>`)

// fontStyle is a style sheet with the fonts of the text of a picture: of each the characters that are there.
func fontStyle(svg string) (string, error) {
	var out strings.Builder
	out.WriteString("<style>")
	for _, f := range []struct {
		weight string
		ttf    []byte
	}{{"normal", liberationsansregular.TTF}, {"bold", liberationsansbold.TTF}} {
		var used []rune
		for _, m := range drawnText.FindAllStringSubmatch(svg, -1) {
			if m[1] == f.weight {
				used = append(used, []rune(html.UnescapeString(m[2]))...)
			}
		}
		if len(used) == 0 {
			continue
		}
		font, err := subset(f.ttf, used)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "@font-face{font-family:%s;font-weight:%s;src:url(data:font/ttf;base64,%s)}", family, f.weight, base64.StdEncoding.EncodeToString(font))
	}
	out.WriteString("</style>\n")
	return out.String(), nil
}

var big = binary.BigEndian

// subset returns a TrueType font with the glyphs of some characters, without hints. What the font lacks is left out.
func subset(ttf []byte, characters []rune) ([]byte, error) {
	parsed, err := sfnt.Parse(ttf)
	if err != nil {
		return nil, err
	}
	old := tables(ttf)
	s := &subsetter{old: old, numbers: map[uint16]uint16{}}
	s.number(0) // what stands for a character that is not there
	var cmap []byte
	groups := uint32(0)
	characters = slices.Compact(slices.Sorted(slices.Values(characters)))
	for _, r := range characters {
		g, err := parsed.GlyphIndex(nil, r)
		if err != nil {
			return nil, err
		}
		if g != 0 {
			n := s.number(uint16(g))
			cmap = big.AppendUint32(big.AppendUint32(big.AppendUint32(cmap, uint32(r)), uint32(r)), uint32(n))
			groups++
		}
	}
	var glyf, hmtx []byte
	loca := big.AppendUint32(nil, 0)
	for i := 0; i < len(s.glyphs); i++ { // a glyph may ask for those that it is made of
		glyf = append(glyf, s.glyph(s.glyphs[i])...)
		glyf = append(glyf, make([]byte, -len(glyf)&3)...)
		loca = big.AppendUint32(loca, uint32(len(glyf)))
		hmtx = append(hmtx, s.metrics(s.glyphs[i])...)
	}
	head, hhea, maxp := slices.Clone(old["head"]), slices.Clone(old["hhea"]), slices.Clone(old["maxp"])
	big.PutUint32(head[8:], 0)                                           // the checksum of the font
	big.PutUint16(head[50:], 1)                                          // offsets of 32 bits in loca
	big.PutUint16(hhea[34:], uint16(len(s.glyphs)))                      // a width for each glyph
	big.PutUint16(maxp[4:], uint16(len(s.glyphs)))                       // glyphs
	heading := []byte{0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, 12, 0, 0} // one map, of Unicode, of groups of characters
	heading = big.AppendUint32(heading, uint32(16+len(cmap)))
	heading = big.AppendUint32(big.AppendUint32(heading, 0), groups)
	return assemble([]table{
		{"OS/2", old["OS/2"]}, {"cmap", append(heading, cmap...)}, {"glyf", glyf}, {"head", head}, {"hhea", hhea}, {"hmtx", hmtx},
		{"loca", loca}, {"maxp", maxp}, {"name", []byte{0, 0, 0, 0, 0, 6}}, {"post", append([]byte{0, 3, 0, 0}, old["post"][4:32]...)},
	}), nil
}

// subsetter takes glyphs out of a font.
type subsetter struct {
	old     map[string][]byte
	numbers map[uint16]uint16 // of the glyphs in the subset, by those in the font
	glyphs  []uint16          // the glyphs in the font, by those in the subset
}

// number returns the number of a glyph in the subset.
func (s *subsetter) number(g uint16) uint16 {
	n, ok := s.numbers[g]
	if !ok {
		n = uint16(len(s.glyphs))
		s.numbers[g] = n
		s.glyphs = append(s.glyphs, g)
	}
	return n
}

// metrics returns the width of a glyph, and its left side.
func (s *subsetter) metrics(g uint16) []byte {
	hmtx, n := s.old["hmtx"], big.Uint16(s.old["hhea"][34:])
	if g < n {
		return hmtx[4*int(g) : 4*int(g)+4]
	}
	side := 4*int(n) + 2*int(g-n)
	return append(slices.Clone(hmtx[4*int(n)-4:4*int(n)-2]), hmtx[side:side+2]...)
}

// glyph returns the outline of a glyph. One that is made of others has their numbers in the subset.
func (s *subsetter) glyph(g uint16) []byte {
	offset := func(i int) int {
		if loca := s.old["loca"]; big.Uint16(s.old["head"][50:]) == 1 {
			return int(big.Uint32(loca[4*i:]))
		}
		return 2 * int(big.Uint16(s.old["loca"][2*i:]))
	}
	data := slices.Clone(s.old["glyf"][offset(int(g)):offset(int(g)+1)])
	if len(data) == 0 {
		return nil
	}
	if contours := int(int16(big.Uint16(data))); contours >= 0 {
		at := 10 + 2*contours
		hints := int(big.Uint16(data[at:]))
		return slices.Concat(data[:at], []byte{0, 0}, data[at+2+hints:])
	}
	const words, scale, more, scales, matrix, hints = 0x1, 0x8, 0x20, 0x40, 0x80, 0x100 // flags of a part
	for at := 10; ; {
		flags := big.Uint16(data[at:])
		big.PutUint16(data[at:], flags&^hints)
		big.PutUint16(data[at+2:], s.number(big.Uint16(data[at+2:])))
		at += 6
		for flag, size := range map[uint16]int{words: 2, scale: 2, scales: 4, matrix: 8} {
			if flags&flag != 0 {
				at += size
			}
		}
		if flags&more == 0 {
			return data[:at]
		}
	}
}

// table is a part of a font file.
type table struct {
	tag  string
	data []byte
}

// tables returns the tables of a font file.
func tables(ttf []byte) map[string][]byte {
	out := map[string][]byte{}
	for i := range int(big.Uint16(ttf[4:])) {
		entry := ttf[12+16*i:]
		from, size := big.Uint32(entry[8:]), big.Uint32(entry[12:])
		out[string(entry[:4])] = ttf[from : from+size]
	}
	return out
}

// assemble makes a font file of tables, which are in the order of their tags.
func assemble(all []table) []byte {
	power := 1
	for power*2 <= len(all) {
		power *= 2
	}
	out := []byte{0, 1, 0, 0}
	for _, n := range []int{len(all), 16 * power, bits.TrailingZeros(uint(power)), 16 * (len(all) - power)} {
		out = big.AppendUint16(out, uint16(n))
	}
	var body []byte
	head := 0
	for _, t := range all {
		at := 12 + 16*len(all) + len(body)
		if t.tag == "head" {
			head = at
		}
		out = big.AppendUint32(append(out, t.tag...), sum(t.data))
		out = big.AppendUint32(big.AppendUint32(out, uint32(at)), uint32(len(t.data)))
		body = append(body, t.data...)
		body = append(body, make([]byte, -len(body)&3)...)
	}
	out = append(out, body...)
	big.PutUint32(out[head+8:], 0xB1B0AFBA-sum(out))
	return out
}

// sum is the checksum of a table.
func sum(data []byte) (sum uint32) {
	padded := append(slices.Clip(data), make([]byte, -len(data)&3)...)
	for word := range slices.Chunk(padded, 4) {
		sum += big.Uint32(word)
	}
	return sum
}
