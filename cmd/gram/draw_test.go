package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSVG: pictures in SVG need no other program, and each text of the picture in DOT stands in them.
func TestSVG(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	atRoot(t)
	for line, words := range map[string][]string{
		"show examples/figure1.gram --stage ground --format svg":           {">·<", ">sin<", `italic">z</tspan>`},
		"show examples/figure1.gram --stage bp --format svg --values":      {">−5.467<", "--dual"},
		"show examples/figure1.gram --stage forward --format svg":          {"--tangent"},
		"show examples/figure1.gram --stage graph --format svg":            {"#333399"},
		"show examples/w2.gram --param n=4 --stage ground --format svg":    {"operations<", ">are left out<"},
		"trace examples/figure1.gram --svg --step 55":                      {"d −2.733", "stroke-dasharray"},
		"show examples/mlp.gram --stage ground --format svg --max-drawn 9": {">are left out<"},
	} {
		svg := answer(t, line)
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			_, err := d.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err, line)
		}
		for _, word := range words {
			require.Contains(t, svg, word, line)
		}
	}
}
