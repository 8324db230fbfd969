package property

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "../.."
	notes  = module + "/docs/paper-notes.md"
)

var (
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	constant = regexp.MustCompile(`(?m)^(?:const)?\s+(\w+)\s*= ([0-9]+)$`)
	aTest    = regexp.MustCompile("`([a-z]+\\.(?:Test|Fuzz)\\w+)`")
	aConst   = regexp.MustCompile("`(\\w+ = [0-9]+)`")
	aName    = regexp.MustCompile("\\b(?:[a-z]+\\.)?(?:Test|Fuzz)[A-Z]\\w*…?|`[a-z0-9_/…]+\\.go`")
)

// declared returns the tests of the module, package.Test, and the whole constants of test
// files, name = value.
func declared(t *testing.T) (tests, constants map[string]bool) {
	tests, constants = map[string]bool{}, map[string]bool{}
	require.NoError(t, filepath.WalkDir(module, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder := filepath.Base(filepath.Dir(path))
		if filepath.Dir(path) == module {
			folder = "gram"
		}
		for _, m := range testFunc.FindAllStringSubmatch(string(src), -1) {
			tests[folder+"."+m[1]] = true
		}
		for _, m := range constant.FindAllStringSubmatch(string(src), -1) {
			constants[m[1]+" = "+m[2]] = true
		}
		return nil
	}))
	return tests, constants
}

// TestNotes: the tests and the constants that the notes on the paper name are there, and
// every test of a failure is in the notes.
func TestNotes(t *testing.T) {
	text, err := os.ReadFile(notes)
	require.NoError(t, err)
	tests, constants := declared(t)
	named := map[string]bool{}
	for _, m := range aTest.FindAllStringSubmatch(string(text), -1) {
		named[m[1]] = true
		require.True(t, tests[m[1]], "there is no test %s", m[1])
	}
	found := aConst.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, found)
	for _, m := range found {
		require.True(t, constants[m[1]], "no test has the constant %s", m[1])
	}
	for test := range tests {
		if strings.Contains(test, ".TestPaper") {
			require.True(t, named[test], "the notes do not name %s", test)
		}
	}
}

// TestNamesInPages: the tests and the Go files that pages name are there. An … stands for letters that are left out, and
// a file may be without its folder.
func TestNamesInPages(t *testing.T) {
	var there strings.Builder // a line for each test, package.Test, and each file
	tests, _ := declared(t)
	for test := range tests {
		fmt.Fprintln(&there, "/"+test)
	}
	require.NoError(t, fs.WalkDir(os.DirFS(module), ".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".go" {
			fmt.Fprintln(&there, "/"+path)
		}
		return err
	}))
	pages, err := filepath.Glob(module + "/docs/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, module+"/DESIGN.md", module+"/README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, name := range aName.FindAllString(string(text), -1) {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.Trim(name, "`")), "…", `.*`)
			if !regexp.MustCompile(`(?m)[/.]` + pattern + `$`).MatchString(there.String()) {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
	}
}
