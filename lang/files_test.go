package lang

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
)

// npyFile is a .npy file of version 1, with numbers in its type and order.
func npyFile(descr, fortran, shape string, numbers any) string {
	var b bytes.Buffer
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	order := binary.ByteOrder(binary.LittleEndian)
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	if err := binary.Write(&b, order, numbers); err != nil {
		panic(err)
	}
	return b.String()
}

// npzFile is a .npz file with arrays by name.
func npzFile(arrays ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(arrays); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: arrays[i] + ".npy", Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(arrays[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

var (
	six     = []float64{1, 2, 3, 4, 5, 6}
	numbers = files{
		"named.csv": "a;b;c\n1;2;x\n3;NA;y\n5;6;z\n", "tab.tsv": "a\tb\n1\t\n\t4\n5\t6\n", "plain.csv": "1,2,3\n4,5,6\n", "gaps.csv": "a,b\n1,\n,2\nnull,NaN\n3,4\n",
		"one.csv": "a\n1\n\n2\n\"\"\n", "bar.csv": "1|2\n3|4\n", "comma.csv": "1,5;2\n", "headless.csv": "1,NA\n2,3\n",
		"v.npy": npyFile("<f8", "False", "(6,)", six), "m.npy": npyFile("<f8", "False", "(3, 2)", six), "f.npy": npyFile("<f8", "True", "(3, 2)", six),
		"t.npy": npyFile("<f8", "False", "(1, 2, 3)", six), "ft.npy": npyFile("<f8", "True", "(1, 2, 3)", six), "s.npy": npyFile("<f8", "False", "()", []float64{7}), "none.npy": npyFile("<f8", "False", "(0,)", []float64{}),
		"f4.npy": npyFile("<f4", "False", "(2,)", []float32{0.1, -2}), "big.npy": npyFile(">f8", "False", "(2,)", []float64{0.1, -2}),
		"i1.npy": npyFile("|i1", "False", "(2,)", []int8{-1, 127}), "i2.npy": npyFile(">i2", "False", "(2,)", []int16{-1, 300}), "i4.npy": npyFile("<i4", "False", "(2,)", []int32{-1, 1 << 30}),
		"i8.npy": npyFile("<i8", "False", "(2,)", []int64{-1 << 63, 1 << 53}), "u1.npy": npyFile("|u1", "False", "(2,)", []uint8{0, 255}), "u8.npy": npyFile("<u8", "False", "(2,)", []uint64{0, 1 << 63}),
		"b.npy":  npyFile("|b1", "False", "(2,)", []bool{true, false}),
		"a.npz":  npzFile("w", npyFile("<f8", "False", "(2,)", []float64{1, 2}), "b", npyFile("<f8", "False", "()", []float64{3})),
		"x.json": `[[1, 2], [3, 4], [5, 6e0]]`, "p.json": `[1, [2, 3]]`, "r.json": " 7 \n", "e.json": "[]",
		"t.txt":    "aé\nb\n",
		"net.json": `{"name": "net \"1\"", "ok": true, "layers": [null, {"b": 0, "w": [0.5, -1]}, {}], "x": {"x": [[1]]}}`,
	}
)

// TestFileForms: what a file gives, with and without a declared type.
func TestFileForms(t *testing.T) {
	for _, test := range []struct{ decl, want string }{
		{`data d = csv "named.csv" "a" separator ";"`, "List R [1 3 5]"},
		{`data d = csv "named.csv" "b" "a" separator ";" skip`, "List R^2 [2 1 6 5]"},
		{`data d = csv "named.csv" "b" fill -1.5 separator ";"`, "List R [2 -1.5 6]"},
		{`data d = csv "tab.tsv" "a" "b" fill 0`, "List R^2 [1 0 0 4 5 6]"},
		{`data d = csv "tab.tsv" "b" skip`, "List R [4 6]"},
		{`data d = csv "tab.tsv" "b" separator "\t" skip`, "List R [4 6]"},
		{`data d = csv "plain.csv" 2 0`, "List R^2 [3 1 6 4]"},
		{`data d : List R = csv "plain.csv" 1`, "List R [2 5]"},
		{`data d = csv "gaps.csv" "a" "b" skip`, "List R^2 [3 4]"},
		{`data d = csv "gaps.csv" "b" skip`, "List R [2 4]"},
		{`data d = csv "one.csv" "a" skip`, "List R [1 2]"},
		{`data d = csv "bar.csv" 1 separator "|"`, "List R [2 4]"},
		{`data d = csv "headless.csv" 1 0 skip`, "List R^2 [3 2]"},
		{`input d = csv "plain.csv" 0 1`, "R^(2, 2) [1 2 4 5]"},
		{`input d = csv "plain.csv" 0`, "R^2 [1 4]"},
		{`input d : R^3^2 = csv "plain.csv" 0 1 2`, "R^(2, 3) [1 2 3 4 5 6]"},
		{`input d : R * R^2 * R = csv "plain.csv" 0 1`, "R * R^2 * R [1 2 4 5]"},

		{`data d = npy "v.npy"`, "List R [1 2 3 4 5 6]"},
		{`data d : R^6 = npy "v.npy"`, "R^6 [1 2 3 4 5 6]"},
		{`input d = npy "v.npy"`, "R^6 [1 2 3 4 5 6]"},
		{`input d : R^2 * R * R * R * R = npy "m.npy"`, ""},
		{`input d : R * R * R * R * R * R = npy "v.npy"`, "R * R * R * R * R * R [1 2 3 4 5 6]"},
		{`data d = npy "m.npy"`, "List R^2 [1 2 3 4 5 6]"},
		{`input d = npy "m.npy"`, "R^(3, 2) [1 2 3 4 5 6]"},
		{`data d = npy "f.npy"`, "List R^2 [1 4 2 5 3 6]"},
		{`input d : R^3^2^1 = npy "t.npy"`, "R^(1, 2, 3) [1 2 3 4 5 6]"},
		{`input d = npy "ft.npy"`, "R^(1, 2, 3) [1 3 5 2 4 6]"},
		{`input d : (R * R)^3 = npy "m.npy"`, "(R * R)^3 [1 2 3 4 5 6]"},
		{`data d = npy "s.npy"`, "R [7]"},
		{`input d : R = npy "s.npy"`, "R [7]"},
		{`data d = npy "none.npy"`, "List R []"},
		{`data d = npy "f4.npy"`, "List R [0.10000000149011612 -2]"},
		{`data d = npy "big.npy"`, "List R [0.1 -2]"},
		{`data d = npy "i1.npy"`, "List R [-1 127]"},
		{`data d = npy "i2.npy"`, "List R [-1 300]"},
		{`data d = npy "i4.npy"`, "List R [-1 1.073741824e+09]"},
		{`data d = npy "i8.npy"`, "List R [-9.223372036854775808e+18 9.007199254740992e+15]"},
		{`data d = npy "u1.npy"`, "List R [0 255]"},
		{`data d = npy "u8.npy"`, "List R [0 9.223372036854775808e+18]"},
		{`data d = npy "b.npy"`, "List R [1 0]"},
		{`input d = npz "a.npz" "w"`, "R^2 [1 2]"},
		{`input d = npz "a.npz" "b"`, "R [3]"},

		{`data d = json "x.json"`, "List R^2 [1 2 3 4 5 6]"},
		{`input d = json "x.json"`, "R^(3, 2) [1 2 3 4 5 6]"},
		{`input d : R * R * R = json "p.json"`, "R * R * R [1 2 3]"},
		{`input d = json "r.json"`, "R [7]"},
		{`data d = json "e.json"`, "List R []"},
		{`data d : List R^2 = json "e.json"`, "List R^2 []"},
		{`input d = json "net.json" "layers" 1 "w"`, "R^2 [0.5 -1]"},
		{`input d = json "net.json" "x" "x" 0 0`, "R [1]"},
		{`data d = json "net.json" "layers" 1 "b"`, "R [0]"},

		{`data d = text "t.txt"`, "List R [97 233 10 98 10]"},
		{`data d = text "t.txt" 2`, "List R^2 [97 233 10 98]"},
		{`input d = text "t.txt"`, "R^5 [97 233 10 98 10]"},

		// The words are names elsewhere.
		{"def skip x = x\ndata npy = [2]\ndef json f = size npy\ninput d = skip (json 1)", "R [1]"},
		{"def npz (x : R) = x\ninput fill = 3\ninput d = npz\n  4", "R [4]"},
	} {
		p, err := declared(test.decl, given{files: numbers}.options(t))
		if test.want == "" {
			require.Error(t, err, test.decl)
			continue
		}
		require.NoError(t, err, test.decl)
		require.Equal(t, test.want, strings.ReplaceAll(fmt.Sprintf("%v %v", p.variable("d").Shape, p.variable("d").Data), "9.223372036854776e+18", "9.223372036854775808e+18"), test.decl)
	}
}

// TestSetFiles: --set takes files by the extensions of their names, and what a program says of a file.
func TestSetFiles(t *testing.T) {
	const decls = "data d : List R = [0]\ninput e : R^2 = [| 0, 0 |]\ndata n = npy \"v.npy\""
	for _, test := range []struct{ set, want string }{
		{"d=@v.npy", "List R [1 2 3 4 5 6]"},
		{"e=@a.npz:w", "R^2 [1 2]"},
		{"e=@net.json:layers,1,w", "R^2 [0.5 -1]"},
		{`d=csv "named.csv" "b" separator ";" skip`, "List R [2 6]"},
		{`e = npz "a.npz" "w"`, "R^2 [1 2]"},
		{"n=[3]", "List R [3]"},
		{"d=@t.txt", "List R [97 233 10 98 10]"},
	} {
		p, err := declared(decls, given{files: numbers, sets: []string{test.set}}.options(t))
		require.NoError(t, err, test.set)
		require.Equal(t, test.want, valueText(p.variable(test.set[:1])), test.set)
	}
	for _, test := range []struct{ set, want string }{
		{"e=@m.npy", "e is R^2, but e=@m.npy gives R^(3, 2)"},
		{"e=@cut.npy", "cut.npy: no such file\n    = the file is read for e=@cut.npy"},
		{"d=@named.csv:a", `; the cells seem to be separated by ";", which must be said: csv "named.csv" "a" separator ";"`},
		{"d=@comma.csv", `the cells seem to be separated by ";"`},
		{"d=@tab.tsv", "of a file with a header, name the columns: @tab.tsv:a,b"},
	} {
		_, err := declared(decls, given{files: numbers, sets: []string{test.set}}.options(t))
		require.ErrorContains(t, err, test.want, test.set)
	}
}

// TestFileErrors: what is wrong is said with the file and the place in it.
func TestFileErrors(t *testing.T) {
	whole := numbers["m.npy"]
	bad := files{
		"nan.npy": npyFile("<f8", "False", "(2, 2)", []float64{1, 2, math.NaN(), 4}), "inf.npy": npyFile("<f4", "True", "(2, 2)", []float32{1, 2, float32(math.Inf(1)), 4}),
		"odd.npy": npyFile("<i8", "False", "(1,)", []int64{1<<53 + 1}), "complex.npy": npyFile("<c8", "False", "(1,)", []complex64{1}), "half.npy": npyFile("<f2", "False", "(1,)", []uint16{1}),
		"cut.npy": whole[:len(whole)-1], "more.npy": whole + "x", "huge.npy": npyFile("<f8", "False", "(99999999999, 99999999999)", six), "magic.npy": "PK" + whole, "short.npy": whole[:20],
		"version.npy": strings.Replace(whole, "\x01\x00", "\x09\x00", 1), "header.npy": strings.Replace(whole, "False", "Maybe", 1), "empty.npy": "", "long.npy": "\x93NUMPY\x02\x00\xff\xff\xff\xff",
		"text.npz": "text", "crc.npz": strings.Replace(numbers["a.npz"], "\xf0?", "\xf0@", 1), "in.npz": npzFile("w", whole[:20]),
		"obj.json": `{"a": {"bias": 1}, "layers": [[1, 2], [3]]}`, "bad.json": "[1,\n 2,, 3]", "bytes.txt": "ab\nc\xff", "open.json": `{"a": [1, 2}`, "null.json": "[[1, 2],\n [3, null]]", "deep.json": strings.Repeat("[", 200),
		"semicolon.csv": "a;b\n1;2\n", "tab.csv": "a\tb\n1\t2\n", "gap.csv": "a,b\n1,\n", "x.csv": "1,2\n3,x\n", "row.csv": "1\n",
	}
	for name, text := range numbers {
		bad["ok-"+name] = text
	}
	for _, test := range []struct{ form, want string }{
		{`csv "semicolon.csv" "a"`, `semicolon.csv:1:1: wrong CSV data: there is no column "a"; the cells seem to be separated by ";", which must be said: csv "semicolon.csv" "a" separator ";"`},
		{`csv "tab.csv" "a"`, `separator "\t"`},
		{`csv "semicolon.csv" "a" separator "|"`, `the cells seem to be separated by ";"`},
		{`csv "gap.csv" "a" "b"`, `gap.csv:2:3: wrong CSV data: column "b" is empty; a value is missing: skip behind the columns leaves its row out, and fill 0 puts 0 there`},
		{`text "bytes.txt"`, `bytes.txt:2:2: wrong text data: this is no UTF-8`},
		{`text "bytes.txt" 0`, "the length of a row is expected, a natural number from 1 on"},
		{`text "bytes.txt" "a"`, "the length of a row is expected"},
		{`text "none.txt"`, "none.txt: no such file"},
		{`csv "x.csv" 0 1`, `x.csv:2:3: wrong CSV data: column 1: "x" is not a number`},
		{`csv "gap.csv" 0`, `gap.csv:1:1: wrong CSV data: column 0: "a" is not a number; a file with a header has names for its columns: csv "gap.csv" "a"`},
		{`csv "x.csv" 0 2`, `x.csv:1:1: wrong CSV data: there is no column 2: the rows have 2 cells, which are counted from 0`},
		{`csv "x.csv" 0 "a"`, `t.gram:1:10: wrong use of csv: columns are given by their names, or by numbers where there is no header`},
		{`csv "x.csv" 1.5`, `wrong use of csv: behind the file name stands columns`},
		{`csv "x.csv" -1`, `wrong use of csv`},
		{`csv "x.csv" 0 drop`, `t.gram:1:24: wrong use of csv: behind the columns can stand skip or fill 0, for missing values, and separator ";"`},
		{`csv "x.csv" 0 fill`, `a number is expected after fill`},
		{`csv "x.csv" 0 fill "0"`, `a number is expected after fill`},
		{`csv "x.csv" 0 skip fill 0`, `a missing value is skipped or filled`},
		{`csv "x.csv" 0 separator`, `one character in quotes is expected after separator`},
		{`csv "x.csv" 0 separator ";;"`, `one character in quotes is expected after separator`},
		{`csv "x.csv" skip`, `behind the file name stands columns`},
		{`csv "none.csv" 0`, `none.csv: no such file`},
		{`npy "nan.npy"`, `nan.npy: element [1, 0] is NaN`},
		{`npy "inf.npy"`, `inf.npy: element [0, 1] is +Inf`},
		{`npy "odd.npy"`, `odd.npy: element [0] is an integer that no float64 equals`},
		{`npy "complex.npy"`, `it must be of float64, float32, integers or bool`},
		{`npy "half.npy"`, `numbers of the type f2 cannot be read`},
		{`npy "cut.npy"`, `cut.npy: an array [3 2] of 6 numbers needs`},
		{`npy "more.npy"`, `an array [3 2] of 6 numbers needs`},
		{`npy "huge.npy"`, `huge.npy: the array is too large`},
		{`npy "magic.npy"`, `magic.npy: this is no .npy file`},
		{`npy "short.npy"`, `short.npy: the file is cut off`},
		{`npy "version.npy"`, `version 9 of the format .npy is not known`},
		{`npy "header.npy"`, `the header is malformed`},
		{`npy "empty.npy"`, `this is no .npy file`},
		{`npy "long.npy"`, `the header is too long`},
		{`npy "m.npy" 1`, `wrong use of npy: behind the file name stands nothing`},
		{`npy "m.npy" skip`, `wrong use of npy: behind the file name stands nothing`},
		{`npz "ok-a.npz"`, `wrong use of npz: behind the file name stands the name of an array`},
		{`npz "ok-a.npz" 3`, `wrong use of npz`},
		{`npz "ok-a.npz" "v"`, `there is no array "v"; the arrays are w, b`},
		{`npz "text.npz" "v"`, `text.npz: this is no .npz file`},
		{`npz "crc.npz" "w"`, `crc.npz: array w: zip: checksum error`},
		{`npz "in.npz" "w"`, `in.npz: array w: the file is cut off`},
		{`json "obj.json"`, `obj.json:1:1: wrong JSON data: $: "{"a": {"bias": 1}, "layers": [[1, 2], [3]]}" stands where a number is expected`},
		{`json "obj.json" "a" "bais"`, `$.a: there is no member "bais"; did you mean "bias"?`},
		{`json "obj.json" "layers" 2`, `$.layers: there is no element 2: the array has 2`},
		{`json "obj.json" "a" 0`, `$.a: here is nothing that has a part 0`},
		{`json "obj.json" "layers"`, `the type of d must be declared: json "obj.json" "layers" gives a list of 2 unlike parts: R^2, R^1`},
		{`json "bad.json"`, `bad.json:2:4: wrong JSON data: $[2]: ", 3]" stands where a number is expected`},
		{`json "open.json" "b"`, `$.a: "}" stands where a comma or a closing bracket is expected`},
		{`json "null.json"`, `null.json:2:6: wrong JSON data: $[1][1]: "null" is not a number`},
		{`json "deep.json"`, `too many brackets in one another`},
		{`json "none.json"`, `none.json: no such file`},
	} {
		_, err := declared("data d = "+test.form, given{files: bad}.options(t))
		require.Error(t, err, test.form)
		text := joined(err)
		if i := strings.Index(text, "\n"); strings.HasPrefix(text, "t.gram") && i > 0 { // the label stands at the carets
			label := text[strings.LastIndex(text, "^ ")+2:]
			text = text[:i] + ": " + label
		}
		require.Contains(t, text, test.want, test.form)
	}
	_, err := declared(`data d : List R^3 = npy "ok-m.npy"`, given{files: bad}.options(t))
	require.ErrorContains(t, err, `d is List R^3, but npy "ok-m.npy" gives R^2 as element 0 of the list`)
	_, err = declared(`input d = csv "ok-plain.csv" 0 skip`, given{files: files{"ok-plain.csv": "\n"}}.options(t))
	require.ErrorContains(t, err, `the type of d must be declared`)
}

// TestFileLimits: memory is reserved before the numbers of a file are read, and Check is called meanwhile.
func TestFileLimits(t *testing.T) {
	const n = 1 << 20
	array := npyFile("<f4", "False", fmt.Sprintf("(%d,)", n), make([]float32, n))
	fs := files{"f.npy": array, "f.npz": npzFile("w", array), "f.json": "[" + strings.Repeat("0.5, ", n-1) + "1]"}
	for _, form := range []string{`npy "f.npy"`, `npz "f.npz" "w"`, `json "f.json"`} {
		opt := given{files: fs}.options(t)
		checks, reserved := 0, int64(0)
		opt.Check = func() error { checks++; return nil }
		opt.Reserve = func(n int64) error { reserved += n; return nil }
		p, err := declared("data d = "+form, opt)
		require.NoError(t, err)
		require.Len(t, p.variable("d").Data, n)
		require.GreaterOrEqual(t, checks, 32, form)
		require.GreaterOrEqual(t, reserved, int64(8*n), form)
		require.LessOrEqual(t, reserved, int64(33*n), form)
		opt.Reserve = func(size int64) error {
			if size >= 4*n {
				return errTest
			}
			return nil
		}
		_, err = declared("data d = "+form, opt)
		require.Equal(t, errTest, err, form)
		opt.Reserve, opt.Check = nil, func() error { return errTest }
		_, err = declared("data d = "+form, opt)
		require.Equal(t, errTest, err, form)
	}
}

var errTest = fmt.Errorf("stopped")

// FuzzFiles reads files with anything in them: there is a value, or one error.
func FuzzFiles(f *testing.F) {
	for _, text := range numbers {
		f.Add(text)
	}
	opt := given{}.options(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range []string{`npy "f"`, `npz "f" "w"`, `json "f"`, `json "f" "layers" 1 "w"`, `csv "f" 0 skip separator ";"`} {
			opt := opt
			opt.Open = fstest.MapFS{"f": {Data: []byte(text)}}.Open
			opt.Reserve = func(size int64) error {
				if size > 1<<24 {
					return errTest
				}
				return nil
			}
			p, err := declared("data d = "+form, opt)
			if err == nil {
				v := p.Data[0].Value
				require.Len(t, v.Data, v.Rows*v.Shape.Width())
			} else if !errors.Is(err, errTest) {
				var e *syntax.Errors
				require.ErrorAs(t, err, &e)
				require.Len(t, e.List, 1)
			}
		}
	})
}
