package lang

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

const settable = `param n = 3
input eps = 0.7
input q : R^2 = [| 0, 0 |]
input E : R^2^3 = vec i < 3 -> vec j < 2 -> 0
input p : R * R^2 * R = (0, [| 0, 0 |], 0)
input one : R^1 = [| 0 |]
input deep : R^1^2^2 = vec i < 2 -> vec j < 2 -> vec k < 1 -> 0
input l : (R * R) * R = ((0, 0), 0)
data xs : List R = csv "missing.csv" "a"
data ps : List R^2 = []
data us = [1; 2]
def f x = x
param m = size xs
`

var settableFiles = files{
	"missing.csv": "a\n5\n", "e.csv": "1,2\n3,4\n5,6\n", "row.csv": "1,2\n", "col.csv": "1\r\n2\r\n", "one.csv": "7",
	"flat.csv": "1,2,3,4\n", "bad.csv": "1,x\n", "ragged.csv": "1,2\n3\n", "h.csv": "a,b,\"c,d\"\n1,2,3\n4,5,6\n", "empty.csv": "",
	"dir:x/f.csv": "a\n9\n", "four.csv": "1\n2\n3\n4\n",
}

func TestSet(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"eps=-0.3", "R [-0.3]"},
		{" eps = 1e3 ", "R [1000]"},
		{"eps=@one.csv", "R [7]"},
		{"q=[1,-2]", "R^2 [1 -2]"},
		{"q= [ 1 , -2 ] ", "R^2 [1 -2]"},
		{"q=@row.csv", "R^2 [1 2]"},
		{"q=@col.csv", "R^2 [1 2]"},
		{"E=[[1,2],[3,4],[5,6]]", "R^(3, 2) [1 2 3 4 5 6]"},
		{"E=@e.csv", "R^(3, 2) [1 2 3 4 5 6]"},
		{"p=[1,[2,3],4]", "R * R^2 * R [1 2 3 4]"},
		{"p=[1,[[2,3],4]]", "R * R^2 * R [1 2 3 4]"},
		{"p=[1,2,3,4]", "R * R^2 * R [1 2 3 4]"},
		{"p=@flat.csv", "R * R^2 * R [1 2 3 4]"},
		{"l=[[1,2],3]", "(R * R) * R [1 2 3]"},
		{"one=[5]", "R^1 [5]"},
		{"one=@one.csv", "R^1 [7]"},
		{"deep=[[[1],[2]],[[3],[4]]]", "R^(2, 2, 1) [1 2 3 4]"},
		{"deep=@four.csv", "R^(2, 2, 1) [1 2 3 4]"},
		{"xs=[1,2,3]", "List R [1 2 3]"},
		{"xs=[]", "List R []"},
		{"xs=@col.csv", "List R [1 2]"},
		{"xs=@empty.csv", "List R []"},
		{"xs=@h.csv:b", "List R [2 5]"},
		{`xs=@h.csv:"c,d"`, "List R [3 6]"},
		{"xs=@dir:x/f.csv:a", "List R [9]"},
		{"ps=@h.csv:b, a", "List R^2 [2 1 5 4]"},
		{"ps=[[1,2],[3,4]]", "List R^2 [1 2 3 4]"},
		{"ps=@e.csv", "List R^2 [1 2 3 4 5 6]"},
		{"us=[3]", "List R [3]"},
	} {
		p, err := declared(settable, given{sets: []string{test.set}, files: settableFiles}.options(t))
		if assert.NoError(t, err, test.set) {
			name, _, _ := strings.Cut(test.set, "=")
			assert.Equal(t, test.want, valueText(p.variable(strings.TrimSpace(name))), test.set)
		}
	}
}

func TestSetAndSize(t *testing.T) {
	p, err := declared(settable, given{sets: []string{"xs=[1]", "xs=[1,2,3]"}, params: []string{"n=1", "n=2e3"}}.options(t))
	require.NoError(t, err)
	assert.Equal(t, uint64(2000), p.Params[0].Value)
	assert.Equal(t, uint64(3), p.Params[1].Value)
}

func TestSetMisfits(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"eps=[1,2]", "eps is R, but eps=[1,2] gives R^2"},
		{"eps=[1]", "eps is R, but eps=[1] gives R^1"},
		{"q=1", "q is R^2, but q=1 gives R"},
		{"q=[1,2,3]", "gives R^3"},
		{"q=[]", "gives an empty list"},
		{"q=[1,[2]]", "gives a list of 2 unlike parts: R, R^1"},
		{"E=[[1,2,3],[4,5,6]]", "E is R^(3, 2), but E=[[1,2,3],[4,5,6]] gives R^(2, 3)"},
		{"E=[1,2,3,4,5,6]", "gives R^6"},
		{"p=[1,2,3]", "p is R * R^2 * R"},
		{"p=7", "gives R"},
		{"xs=1", "xs is List R, but xs=1 gives R"},
		{"xs=[1,[2]]", "gives R^1 as element 1 of the list"},
		{"ps=[1,2]", "gives R as element 0"},
		{"E=@row.csv", "E is R^(3, 2), but E=@row.csv gives 1 row of 2 numbers"},
		{"E=@flat.csv", "gives 1 row of 4 numbers"},
		{"q=@e.csv", "gives 3 rows of 2 numbers"},
		{"eps=@empty.csv", "gives 0 rows"},
		{"xs=@row.csv", "gives 1 row of 2 numbers"},
		{"xs=@h.csv:a,b", "gives 2 rows of 2 numbers"},
		{"ps=@col.csv", "gives 2 rows of 1 number"},
		{"E=@none.csv", "none.csv: no such file"},
		{"E=@bad.csv", `bad.csv:1:3: wrong CSV data: cell 2: "x" is not a number`},
		{"E=@ragged.csv", "ragged.csv:2:1: wrong CSV data: this row has 1 cell, but the first row has 2"},
		{"xs=@h.csv:e", `there is no column "e"`},
	} {
		_, err := declared(settable, given{sets: []string{test.set}, files: settableFiles}.options(t))
		var e *syntax.Errors
		if assert.ErrorAs(t, err, &e, test.set) {
			assert.Contains(t, joined(err), test.want, test.set)
		}
	}
}

func TestSetUsage(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"eps", "a name and a value are expected: name=value"},
		{"=3", "no name before the ="},
		{"eps=", "no value after the ="},
		{"eps=abc", `"abc" is not a number`},
		{"eps=NaN", `"NaN" is not a number`},
		{"eps=0x1", `"0x1" is not a number`},
		{"eps=1e999", `"1e999" is too large`},
		{"eps=1 2", `"1 2" is not a number`},
		{"q=[1,2", "a closing bracket is missing"},
		{"q=[1,2]]", `"]" is left over`},
		{"q=[1,,2]", `",2]" stands where a number is expected`},
		{"q=[1,2,]", `"]" stands where a number is expected`},
		{"q=[1,", "the value ends where a number is expected"},
		{"q=1,2", `",2" is left over`},
		{"q=[[1]2]", `"2]" stands where a comma or a closing bracket is expected`},
		{"q=[1[", `"[" stands where a comma`},
		{"q=" + strings.Repeat("[", 1000), "too many brackets"},
		{"E=@", "a path is expected after @"},
		{"E=@:a", "a path is expected after @"},
		{"E=@f.csv:", "names of columns are expected"},
		{"E=@f.csv:a,,b", "a name of a column is empty"},
		{`E=@f.csv:"a`, "names of columns are expected"},
		{"e\xff=1", "not UTF-8"},
	} {
		_, err := load.ParseSet(test.set)
		var u *load.UsageError
		if assert.ErrorAs(t, err, &u, test.set) {
			assert.ErrorContains(t, err, test.want)
		}
	}
	for _, test := range []struct {
		flag given
		want string
	}{
		{given{sets: []string{"esp=1"}}, "set esp=1: the program has no input or data esp; did you mean eps?"},
		{given{sets: []string{"zzzzz=1"}}, "set zzzzz=1: the program has no input or data zzzzz"},
		{given{sets: []string{"n=1"}}, "n is a param: use param"},
		{given{sets: []string{"f=1"}}, "f is a def"},
		{given{params: []string{"eps=1"}}, "eps is an input: use set"},
		{given{params: []string{"xs=1"}}, "xs is data: use set"},
		{given{params: []string{"k=1"}}, "param k=1: the program has no param k"},
	} {
		p, err := declared(settable, test.flag.options(t))
		var u *load.UsageError
		require.ErrorAs(t, err, &u)
		assert.ErrorContains(t, err, test.want)
		assert.Nil(t, p)
	}
}

func TestParseParam(t *testing.T) {
	for text, want := range map[string]uint64{"n=1000": 1000, "n=1e6": 1_000_000, " n = 0 ": 0, "n=2.0": 2, "n=9007199254740992": 1 << 53} {
		s, err := load.ParseParam(text)
		require.NoError(t, err)
		assert.Equal(t, load.ParamSetting{Name: "n", Value: want, Text: text}, s)
	}
	for text, want := range map[string]string{
		"n=1.5": `"1.5" is not a natural number`, "n=-1": `"-1" is not a natural number`, "n=1e16": "larger than 2^53",
		"n=x": `"x" is not a number`, "n": "name=value", "n=1e999": "too large",
	} {
		_, err := load.ParseParam(text)
		var u *load.UsageError
		require.ErrorAs(t, err, &u)
		assert.ErrorContains(t, err, want)
	}
}

func FuzzSet(f *testing.F) {
	for _, seed := range []string{"eps=1", "q=[1,2]", "E=[[1,2],[3]]", "E=@f.csv:a,\"b\"", "p=[1,[2,3],4]", "xs=[", "l=[[1,2],3]"} {
		f.Add(seed)
	}
	opt := given{files: settableFiles}.options(f)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := load.ParseSet(text)
		var u *load.UsageError
		if err != nil {
			require.ErrorAs(t, err, &u)
			return
		}
		opt := opt
		opt.Sets = []load.Setting{s}
		p, err := declared(settable, opt)
		if err == nil {
			wellFormed(t, p)
			for _, x := range p.Data {
				require.Len(t, x.Value.Data, x.Value.Rows*x.Shape.Width())
			}
		}
	})
}

// TestDeepJSON: a value in JSON may nest as deep as there is memory, and errors in it say where.
func TestDeepJSON(t *testing.T) {
	const depth = 100_000
	read := func(text string) (*Program, error) {
		set, err := load.ParseSet("t=@f.json")
		require.NoError(t, err)
		return Load("t.gram", []byte("type tree = Nil | Cons of R * tree\ndata t : tree = Nil\nmatch t with Nil -> 0 | Cons (x, _) -> x"),
			Options{Sets: []load.Setting{set}, Open: fstest.MapFS{"f.json": {Data: []byte(text)}}.Open})
	}
	open, closed := strings.Repeat(`{"Cons": [2, `, depth), strings.Repeat("]}", depth)
	p, err := read(open + `"Nil"` + closed)
	require.NoError(t, err)
	v := p.Data[0].Value
	require.Len(t, v.Data, depth)
	require.Len(t, v.Tags, depth+1)
	require.Zero(t, v.Tags[depth])
	_, err = read(open + `"Nul"` + closed)
	require.ErrorContains(t, err, `$`+strings.Repeat(".Cons[1]", 5)+"…"+strings.Repeat(".Cons[1]", 5)+
		`: "Nul" is no constructor of tree; did you mean "Nil"?`)
	for _, text := range []string{"", "[", `{"Cons"`, `{"Cons": [1]}`, `{"Cons": [1, "Nil", 2]}`, `{"Nil": 1}`, `"Cons"`, `3`, `{"Cons": [1, "Nil"]`} {
		_, err := read(text)
		require.Error(t, err, text)
	}
}
