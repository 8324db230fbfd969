package arch

import (
	"bytes"
	"os"
	"path"
	"testing"
)

// mostLines is how many lines the files of a package may have, test files aside.
const mostLines = 5_000

// large are the packages that are still larger, with a bound of their own: each is to be divided.
var large = map[string]int{
	"engine": 5_450,
}

func TestSizes(t *testing.T) {
	lines := map[string]int{}
	err := each(os.DirFS("../.."), func(file string, src []byte) error {
		lines[path.Dir(file)] += bytes.Count(src, []byte("\n"))
		return nil
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
