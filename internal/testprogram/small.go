package testprogram

import (
	"bytes"
	"io/fs"
	"os"
	"testing/fstest"
)

// Small has parameters that make the large examples small enough for every test.
var Small = map[string][]string{"w1": {"n=20"}, "w2": {"n=3", "k=4"}, "w3": {"n=20"}, "w4": {"n=20"},
	"w5": {"n=3", "k=2"}}

// FirstRows opens a file of the examples, of which a CSV file has its head and at most 20 rows.
func FirstRows(path string) (fs.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	end := 0
	for range 21 {
		next := bytes.IndexByte(text[end:], '\n')
		if next < 0 {
			end = len(text)
			break
		}
		end += next + 1
	}
	return fstest.MapFS{"data": {Data: text[:end]}}.Open("data")
}
