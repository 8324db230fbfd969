package lang

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
)

// TestColumns: categories are numbered in the order of their names, or as stated; dates are days or years.
func TestColumns(t *testing.T) {
	const table = "day,region,x\n1970-01-02,south,1\n2020-07-02,north,2\n2021-01-01 ,west,NA\n,south,4\n1969-12-31,north,5\n"
	for columns, want := range map[string]string{
		`"region" category`:                                  "List R [1 0 2 1 0]",
		`"region" levels "west, north, south"`:               "List R [2 1 0 2 1]",
		`"x" "region" category skip`:                         "List (R * R) [1 1 2 0 4 1 5 0]",
		`"x" levels "1, 2, NA, 4, 5"`:                        "List R [0 1 2 3 4]",
		`"day" days "YYYY-MM-DD" skip`:                       "List R [1 18445 18628 -1]",
		`"day" years "YYYY-MM-DD" skip`:                      "List R [1970.0027397260274 2020.5 2021 1969.9972602739726]",
		`"day" days "YYYY-MM-DD" fill -1`:                    "List R [1 18445 18628 -1 -1]",
		`"day" days "YYYY-MM-DD" "x" "region" category skip`: "List (R * R * R) [1 1 1 18445 2 0 -1 5 0]",
	} {
		p, err := declared("data d = csv \"f.csv\" "+columns, given{files: files{"f.csv": table}}.options(t))
		if assert.NoError(t, err, columns) {
			assert.Equal(t, want, valueText(p.Data[0].Value), columns)
		}
	}
	for form, text := range map[string]string{"DD.MM.YYYY": "02.01.1970", "D.M.YY": "2.1.70", "D MMM YYYY": "2 Jan 1970", "M/D/YYYY": "1/2/1970", "YYYY-MM-DDThh:mm:ss": "1970-01-02T00:00:00"} {
		p, err := declared(`data d = csv "f.csv" "a" days "`+form+`"`, given{files: files{"f.csv": "a\n" + text + "\n"}}.options(t))
		if assert.NoError(t, err, form) {
			assert.Equal(t, []float64{1}, p.Data[0].Value.Data, form)
		}
	}
	p, err := declared(`data d = csv "f.csv" "a" days "YYYY-MM-DD hh:mm"`, given{files: files{"f.csv": "a\n1970-01-02 06:00\n"}}.options(t))
	require.NoError(t, err)
	require.Equal(t, []float64{1.25}, p.Data[0].Value.Data)
	for columns, want := range map[string]string{
		`"region" levels "north, south"`:    `column "region": "west" is no level; the levels are north, south`,
		`"x" category`:                      `column "x": "NA" is missing; a value is missing`,
		`"region" category fill 0`:          "fill puts a number",
		`"day" days "YYYY/MM/DD"`:           `"1970-01-02" is no date of the form YYYY/MM/DD`,
		`"day" days "MM-DD"`:                "the form of the dates is expected in quotes",
		`"day" days`:                        "the form of the dates is expected in quotes",
		`"region" levels "a, a"`:            `the level "a" stands twice`,
		`category "region"`:                 "the name of a column stands in quotes",
		`"day" days "YYYY-MM-DD" "x" skips`: "behind a column category",
	} {
		_, err := declared("data d = csv \"f.csv\" "+columns, given{files: files{"f.csv": table}}.options(t))
		if assert.Error(t, err, columns) {
			assert.Contains(t, joined(err), want, columns)
		}
	}
	_, err = declared(`data d = csv "f.csv" "a" skip`, given{files: files{"f.csv": "a\n\"\"\nNA\n"}}.options(t))
	require.ErrorContains(t, err, "no row is left: a value is missing in each of the 2 rows")
}

// TestSetTable: a file that is set in place of a declared table is read in its way.
func TestSetTable(t *testing.T) {
	const program = "data d = csv \"f.csv\" \"x\" \"region\" category skip"
	all := files{"f.csv": "x,region\n1,b\n2,c\n3,a\n", "new.csv": "region,x\nc,7\nb,NA\n", "odd.csv": "region,x\nd,7\n", "named.csv": "wo,y\nc,8\n"}
	for set, want := range map[string]string{
		"d=@new.csv":                               "List (R * R) [7 2]",
		"d=@named.csv:y,wo":                        "List (R * R) [8 2]",
		`d=csv "named.csv" "y" "wo"`:               "List (R * R) [8 2]",
		`d=csv "named.csv" "y" "wo" category`:      "List (R * R) [8 2]",
		`d=csv "named.csv" "y" "wo" levels "c, d"`: "List (R * R) [8 0]",
	} {
		s, err := load.ParseSet(set)
		require.NoError(t, err)
		opt := given{files: all}.options(t)
		opt.Sets = []load.Setting{s}
		p, err := declared(program, opt)
		if assert.NoError(t, err, set) {
			assert.Equal(t, want, valueText(p.Data[0].Value), set)
		}
	}
	for set, want := range map[string]string{"d=@odd.csv": `"d" is no level; the levels are a, b, c`, "d=@named.csv": `there is no column "x"`} {
		s, err := load.ParseSet(set)
		require.NoError(t, err)
		opt := given{files: all}.options(t)
		opt.Sets = []load.Setting{s}
		_, err = declared(program, opt)
		require.ErrorContains(t, err, want)
	}
}

// TestNamed: an input has the names of its numbers, and a number fills a vector.
func TestNamed(t *testing.T) {
	const table = "data d = csv \"f.csv\" \"region\" category\n"
	opt := given{files: files{"f.csv": "region\nb\na\nb\n"}}.options(t)
	p, err := declared(table+"input u named \"one\" \"two\" = 3\ninput v named levels d \"region\" : R^2 = [| 1, 2 |]\ninput w : R^(2, 2) = 7", opt)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "two"}, p.Inputs[0].Names)
	require.Equal(t, []string{"a", "b"}, p.Inputs[1].Names)
	require.Equal(t, []float64{3, 3, 1, 2, 7, 7, 7, 7}, p.Point)
	for text, want := range map[string]string{
		"input u named = 3":                     "a name in quotes",
		"input u named \"a\" : R^2 = 3":         "these are 1 names, and u is R^2",
		"input u named levels e \"region\" = 3": "there is no data e above",
		"input u named levels d \"x\" = 3":      `d has no column of categories "x"`,
		"input u named \"a\" x = 3":             "a name in quotes is expected",
		"input u : R^2 = normal 0 1":            "type mismatch",
	} {
		_, err := declared(table+text, opt)
		if assert.Error(t, err, text) {
			assert.Contains(t, joined(err), want, text)
		}
	}
}

// TestNotesOfRows: rows that are left out are told, and data that leave out different rows of a file.
func TestNotesOfRows(t *testing.T) {
	opt := given{files: files{"f.csv": "x,y,z\n1,1,1\n,2,\n3,,3\n"}}.options(t)
	p, err := declared("data x = csv \"f.csv\" \"x\" skip\ndata y = csv \"f.csv\" \"y\" skip\ndata z = csv \"f.csv\" \"z\" skip", opt)
	require.NoError(t, err)
	notes := p.Notes()
	require.Len(t, notes, 5)
	require.Equal(t, "x: rows left out, since a value is missing: 1", notes[0])
	require.Contains(t, notes[2], "x and y leave out different rows of f.csv")
	require.Contains(t, notes[4], "y and z leave out different rows of f.csv")
}
