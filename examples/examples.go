// Package examples holds the programs of this folder and their data.
package examples

import (
	"embed"
	"strings"
)

// Files has the programs and the CSV files that they read, in one folder.
//
//go:embed *.gram *.csv *.json *.txt
var Files embed.FS

// About returns the comment at the beginning of a program, on one line.
func About(source []byte) string {
	var lines []string
	for line := range strings.Lines(string(source)) {
		text, comment := strings.CutPrefix(line, "--")
		if !comment {
			break
		}
		lines = append(lines, strings.TrimSpace(text))
	}
	return strings.Join(lines, " ")
}
