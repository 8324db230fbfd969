package arch

import (
	"bytes"
	"os"
	"path"
	"testing"
)

// mostLines is how many lines the files of a package may have, test files aside.
const mostLines = 5_000

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
		if n > mostLines {
			t.Errorf("%s has %d lines without tests, at most %d are wanted: divide it", name(folder), n, mostLines)
		}
	}
}
