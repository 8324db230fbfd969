package arch

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// mostLines is how many lines the files of a package may have, test files aside.
const mostLines = 5_000

// large are the packages that are still larger, with a bound of their own: each is to be divided.
var large = map[string]int{
	"engine": 8_000,
	"lang":   8_200,
}

func TestSizes(t *testing.T) {
	tree := os.DirFS("../..")
	lines := map[string]int{}
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && skip(tree, file):
			return fs.SkipDir
		case d.IsDir() || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(tree, file)
		lines[path.Dir(file)] += bytes.Count(src, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, n := range lines {
		most := max(mostLines, large[folder])
		if n > most {
			t.Errorf("%s has %d lines without tests, at most %d are wanted: divide it", name(folder), n, most)
		}
	}
	for folder := range large {
		if lines[folder] <= mostLines {
			t.Errorf("%s has %d lines: it needs no bound of its own any more", name(folder), lines[folder])
		}
	}
}
