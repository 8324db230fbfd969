package explore

import (
	"io/fs"
	"net/http"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
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
