package load

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestErrors runs the programs of testdata/errors.txt, which are separated by
// lines of dashes, and compares what stands after "=>" in each.
func TestErrors(t *testing.T) {
	path := filepath.Join("testdata", "errors.txt")
	golden, err := os.ReadFile(path)
	require.NoError(t, err)
	given := given{files: files{
		"w.csv": "date,temp,wind\n2012,1.5,x\n", "dup.csv": "a,b,a\n1,2,3\n", "header.csv": "\n", "numbers.csv": "1,2\n",
	}}
	var out strings.Builder
	for i, part := range strings.Split(string(golden), "----\n") {
		src, want, _ := strings.Cut(part, "=>\n")
		_, err := load(t, src, given)
		got := "no error\n"
		if err != nil {
			got = render(err)
		}
		if i > 0 {
			out.WriteString("----\n")
		}
		out.WriteString(src + "=>\n" + got)
		if !*update && got != want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", src, got, want)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(out.String()), 0o644))
	}
}
