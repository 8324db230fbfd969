package lang

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

func TestCSV(t *testing.T) {
	for _, test := range []struct{ file, columns, want string }{
		{"a\n1\n2\n", `"a"`, "List R [1 2]"},
		{"a\n1\n2", `"a"`, "List R [1 2]"},
		{"a,b\r\n1,2\r\n3,4\r\n", `"b" "a"`, "List R^2 [2 1 4 3]"},
		{"a,b\n1,2\n", `"a" "a"`, "List R^2 [1 1]"},
		{"\ufeffa,b\n1,2\n", `"a"`, "List R [1]"},
		{"\ufeff\"a\",b\n1,2\n", `"a"`, "List R [1]"},
		{" a , b\n 1 ,\t2 \n", `"a" "b"`, "List R^2 [1 2]"},
		{"a,b\n1,2\n\n\r\n  \n\n", `"a"`, "List R [1]"},
		{"a,\"x,y\"\n1,2\n", `"x,y"`, "List R [2]"},
		{"a,\"say \"\"hi\"\"\"\n1,2\n", `"a"`, "List R [1]"},
		{"a,b\n1,\"two\nlines\"\n3,\"x\r\ny\"\n5,z\n", `"a"`, "List R [1 3 5]"},
		{"a\n-1.5e3\n+2\n.5\n5.\n1E-2\n1e-400\n", `"a"`, "List R [-1500 2 0.5 5 0.01 0]"},
		{"a\n\"1.5\"\n", `"a"`, "List R [1.5]"},
		{"a, b\n1, \"2\"\n", `"b"`, "List R [2]"},
		{"a,a,b\n1,2,3\n", `"b"`, "List R [3]"},
		{"größe,b\n1,2\n", `"größe"`, "List R [1]"},
	} {
		p, err := declared("data d = csv \"f.csv\" "+test.columns, given{files: files{"f.csv": test.file}}.options(t))
		if assert.NoError(t, err, "%q", test.file) {
			assert.Equal(t, test.want, valueText(p.Data[0].Value), "%q", test.file)
		}
	}
}

func TestCSVErrors(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"", "f.csv: the file is empty"},
		{"a\n", "f.csv: the file has a header and no rows"},
		{"a", "f.csv: the file has a header and no rows"},
		{"\n\n", "the file is empty"},
		{"a\nNaN\n", `f.csv:2:1: wrong CSV data: column "a": "NaN" is not a number`},
		{"a\n1\ninf\n", `f.csv:3:1: wrong CSV data: column "a": "inf" is not a number`},
		{"a\n0x10\n", `column "a": "0x10" is not a number`},
		{"a\n1_000\n", `column "a": "1_000" is not a number`},
		{"a\n1,5\n", "f.csv:2:3: wrong CSV data: this row has 2 cells, but the header has 1"},
		{"a\n1e999\n", `column "a": "1e999" is too large for a number`},
		{"a\n1 2\n", `"1 2" is not a number`},
		{"b,a\n1,\n", `f.csv:2:3: wrong CSV data: column "a" is empty`},
		{"b,a\né,x\n", `f.csv:2:3: wrong CSV data: column "a": "x"`},
		{"b,a\n\"x\ny\",z\n", `f.csv:3:4: wrong CSV data: column "a": "z"`},
		{"a\n\"\"\n", `f.csv:2:1: wrong CSV data: column "a" is empty`},
		{"a,b\n1\n", "f.csv:2:1: wrong CSV data: this row has 1 cell, but the header has 2"},
		{"a\n1\n\n2\n", "f.csv:3:1: wrong CSV data: a blank line between rows"},
		{"a\n1\n  \n\n2\n", "f.csv:3:1: wrong CSV data: a blank line between rows"},
		{"a\n\n1\n", "f.csv:2:1: wrong CSV data: a blank line between rows"},
		{"a,b\n1,\"x\ny\"\n\n2,3\n", "f.csv:4:1: wrong CSV data: a blank line between rows"},
		{"a\nx\"y\n", "f.csv:2:2: wrong CSV data: a quote in a cell that is not quoted"},
		{"a\n\"1\n2\n", "a quoted cell does not end; its row starts on line 2"},
		{"a\n\"1\"2\n", "more follows its closing quote"},
		{"a,b\n1,\xff\n", `f.csv:2:3: wrong CSV data: this cell is not UTF-8: "\ufffd"`},
		{"\xff\xfea\n", "not UTF-8"},
		{"b\n1\n", `f.csv:1:1: wrong CSV data: there is no column "a"`},
		{"b,a,a\n1,2,3\n", `f.csv:1:5: wrong CSV data: the header has the column "a" twice`},
		{"a\n" + strings.Repeat("9", 500) + "x\n", `99…" is not a number`},
	} {
		_, err := declared(`data d = csv "f.csv" "a"`, given{files: files{"f.csv": test.file}}.options(t))
		require.Error(t, err, "%q", test.file)
		assert.Contains(t, joined(err), test.want, "%q", test.file)
	}
}

// joined is a message about a file with its label behind the headline.
func joined(err error) string { return strings.ReplaceAll(err.Error(), "\n    = ", ": ") }

// TestCSVPaths reads real files: the path is relative to Dir.
func TestCSVPaths(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f.csv"), []byte("a\n1\n"), 0o644))
	const f = `data d = csv "f.csv" "a"`
	p, err := declared(f, Options{Dir: dir})
	require.NoError(t, err)
	assert.Equal(t, []float64{1}, p.Data[0].Value.Data)
	_, err = declared(f, Options{Dir: filepath.Join(dir, "none")})
	assert.ErrorContains(t, err, "f.csv: no such file")
	_, err = declared(`data d = csv "" "a"`, Options{Dir: dir})
	assert.ErrorContains(t, err, "this is a directory")
	_, err = declared(`data d = csv "`+filepath.Join(dir, "f.csv")+`" "a"`, Options{Dir: "elsewhere"})
	assert.NoError(t, err)
	set, err := load.ParseSet("d=@" + filepath.Join(dir, "f.csv") + ":a") // not relative to Dir
	require.NoError(t, err)
	p, err = declared(f, Options{Dir: "elsewhere", Sets: []load.Setting{set}})
	require.NoError(t, err, "a default that is replaced is not read")
	assert.Equal(t, []float64{1}, p.Data[0].Value.Data)
}

// oddFS has files that cannot be opened or read.
type oddFS struct{ err error }

type oddFile struct {
	fs.File
	err error
}

func (f oddFile) Read([]byte) (int, error) { return 0, f.err }

func (o oddFS) Open(path string) (fs.File, error) {
	if errors.Is(o.err, fs.ErrPermission) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: o.err}
	}
	f, err := fstest.MapFS{path: {Data: []byte("a\n")}}.Open(path)
	return oddFile{f, o.err}, err
}

func TestCSVUnreadable(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{fs.ErrPermission, "f.csv: permission denied"},
		{&fs.PathError{Op: "read", Path: "f.csv", Err: io.ErrUnexpectedEOF}, "f.csv: unexpected EOF"},
		{io.ErrNoProgress, "f.csv: " + io.ErrNoProgress.Error()},
	} {
		_, err := declared(`data d = csv "f.csv" "a"`, Options{Open: oddFS{test.err}.Open})
		assert.ErrorContains(t, err, test.want)
	}
}

// TestCSVLarge reads many rows: Check is called on the way, and room is made a
// few times at most.
func TestCSVLarge(t *testing.T) {
	const rows = 400_000
	var b strings.Builder
	b.WriteString("i,half\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%g\n", i, float64(i)/2)
	}
	g := given{files: files{"f.csv": b.String()}}
	opt := g.options(t)
	checks, reserved := 0, int64(0)
	opt.Check = func() error { checks++; return nil }
	opt.Reserve = func(n int64) error { reserved += n; return nil }
	p, err := declared(`data d = csv "f.csv" "half" "i"`, opt)
	require.NoError(t, err)
	d := p.Data[0].Value
	assert.Equal(t, rows, d.Rows)
	assert.Equal(t, []float64{float64(rows-1) / 2, rows - 1}, d.Data[2*rows-2:])
	assert.GreaterOrEqual(t, checks, b.Len()>>16)
	assert.Less(t, reserved, int64(2*16*rows))
	opt.Check = func() error { return io.ErrClosedPipe }
	_, err = declared(`data d = csv "f.csv" "half" "i"`, opt)
	assert.Equal(t, io.ErrClosedPipe, err)
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "\ufeffa\r\n1\r\n", "a\n\"1\"\n\n", "a,\"b\nc\"\n1,\"2\"\n", "a\n\"", "a\n1e5\n\n2", "\xff", "a\n\"\"\n",
	} {
		f.Add(seed)
	}
	opt := given{}.options(f)
	f.Fuzz(func(t *testing.T, text string) {
		opt := opt
		opt.Open = fstest.MapFS{"f.csv": {Data: []byte(text)}}.Open
		p, err := declared(`data d : List R = csv "f.csv" "a"`, opt)
		if err != nil {
			var e *syntax.Errors
			require.ErrorAs(t, err, &e)
			require.Len(t, e.List, 1)
			item := e.List[0]
			require.NotEmpty(t, item.Label)
			require.LessOrEqual(t, item.Line, strings.Count(text, "\n")+1)
			return
		}
		d := p.Data[0].Value
		require.Len(t, d.Data, d.Rows)
		require.LessOrEqual(t, d.Rows, strings.Count(text, "\n"))
	})
}
