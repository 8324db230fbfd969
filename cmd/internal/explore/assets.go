package explore

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
)

// assets are the files of the page, with a picture of each rule, 320 units wide: what it meets in the graph, and what
// it leaves there. A box is a term, with the occurrences of variables that matter inside it; a circle an operation; a
// box with corners a number. A solid arrow leads to an operand, a dashed one from an occurrence to what is substituted
// for it; the arrow from above comes from what holds the term. The redex has a halo, and so has what is new; what is
// pale is gone. The colours are the variables --primal, --dual and --redex of the page.
//
//go:embed assets
var assets embed.FS

// kinds are the media types of the files of the page. The system may have other ones.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

func (s *Server) page(w http.ResponseWriter, r *http.Request) { s.serveAsset(w, r, "index.html") }

func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	s.serveAsset(w, r, r.PathValue("name"))
}

// serveAsset serves a file of the page. A browser that has the file asks whether it has changed.
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	kind, known := kinds[path.Ext(name)]
	body, err := assets.ReadFile("assets/" + name)
	if err != nil || !known {
		writeFailure(w, http.StatusNotFound, "the page has no such part")
		return
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	write(w, http.StatusOK, kind, body)
}
