package explore

import (
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/rule"
)

// TestAssets: every file of the page is served, with its type, and nothing else.
func TestAssets(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	require.NoError(t, fs.WalkDir(assets, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		want, err := assets.ReadFile(name)
		require.NoError(t, err)
		status, body, h := s.ask(s.request(http.MethodGet, "/"+name, ""))
		require.Equal(t, http.StatusOK, status, name)
		require.Equal(t, want, body, name)
		require.Equal(t, kinds[path.Ext(name)], h.Get("Content-Type"), name)

		again := s.request(http.MethodGet, "/"+name, "")
		again.Header.Set("If-None-Match", h.Get("ETag"))
		status, body, _ = s.ask(again)
		require.Equal(t, http.StatusNotModified, status, name)
		require.Empty(t, body)
		return nil
	}))
	index, err := assets.ReadFile("assets/index.html")
	require.NoError(t, err)
	status, body, h := s.ask(s.request(http.MethodGet, "/", ""))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, index, body)
	require.Equal(t, "text/html; charset=utf-8", h.Get("Content-Type"))

	for _, name := range []string{"/assets/", "/assets/none.css", "/index.html", "/assets/../server.go", "/assets/..%2fserver.go", "/favicon.ico"} {
		status, _, _ := s.ask(s.request(http.MethodGet, name, ""))
		require.Equal(t, http.StatusNotFound, status, name)
	}
}

// TestPaces: the pace of firings stops at all rules but (3), (4), (9) and (10).
func TestPaces(t *testing.T) {
	text, err := assets.ReadFile("assets/paces.js")
	require.NoError(t, err)
	named := func(list string) (names []string) {
		found := regexp.MustCompile(list + ` = \[(.*)\]`).FindSubmatch(text)
		for _, quoted := range regexp.MustCompile(`"(\w+)"`).FindAllSubmatch(found[1], -1) {
			names = append(names, string(quoted[1]))
		}
		return names
	}
	passed := []string{"subst", "substNumeral", "gc", "etaLambda", "etaPair"}
	require.ElementsMatch(t, rule.Names(), slices.Concat(named("operations"), named("firings"), passed))
}
