package arch

import (
	"bytes"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostLines is how many lines the files of a package may have, test files aside.
const mostLines = 8_665

// part is a part of the module: how many lines it may have without tests, and how many are aimed for.
type part struct {
	name      string
	folders   []string // with what is below them, less what other parts name
	most, aim int
	lines     int
}

// parts are the parts of the module.
var parts = []*part{
	{name: "engine", folders: []string{"engine", "graph/calls"}, most: 26_466, aim: 13_000},
	{name: "machine, graph, compile", folders: []string{"machine", "graph", "compile"}, most: 4_979, aim: 4_500},
	{name: "lang", folders: []string{"lang"}, most: 20_147, aim: 16_000},
	{name: "cmd", folders: []string{"cmd"}, most: 17_242, aim: 16_000},
	{name: "bench", folders: []string{"bench", "cmd/gradbench"}, most: 9_917, aim: 8_000},
	{name: "internal, revgrad, term", folders: []string{"internal", "revgrad", "term"}, most: 17_596, aim: 13_000},
	{name: "the rest", folders: []string{"."}, most: 6_091, aim: 6_500},
}

const (
	mostPackages = 60
	mostColumns  = 120
)

// generated begins the files that a program writes.
var generated = []byte("// Code generated ")

// partOf returns the part of a folder: the one that names the longest of the folders around it.
func partOf(folder string) *part {
	for f := folder; ; f = path.Dir(f) {
		for _, p := range parts {
			if slices.Contains(p.folders, f) {
				return p
			}
		}
	}
}

// TestSizes: no package and no part of the module has more lines than it may have, and no line is longer than that.
func TestSizes(t *testing.T) {
	lines := map[string]int{}
	err := each(os.DirFS("../.."), func(file string, src []byte) error {
		folder := path.Dir(file)
		p, n := partOf(folder), bytes.Count(src, []byte("\n"))
		lines[folder] += n
		p.lines += n
		number := 0
		for line := range strings.Lines(string(src)) {
			number++
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > mostColumns && !bytes.HasPrefix(src, generated) {
				t.Errorf("%s:%d: the line is longer than %d columns", file, number, mostColumns)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		if n := lines[folder]; n > mostLines {
			t.Errorf("%s has %d lines without tests, at most %d are wanted: divide it", name(folder), n, mostLines)
		}
	}
	for _, p := range parts {
		t.Logf("%s: %d lines of %d, %d are aimed for", p.name, p.lines, p.most, p.aim)
		if p.lines > p.most {
			t.Errorf("%s has %d lines without tests, at most %d are wanted", p.name, p.lines, p.most)
		}
	}
	if len(lines) > mostPackages {
		t.Errorf("there are %d packages, at most %d are wanted: put some together", len(lines), mostPackages)
	}
}
