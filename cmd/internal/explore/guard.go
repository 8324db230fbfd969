package explore

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// policy says what the page may load, and from where.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guarded passes on only requests of the page itself and requests of the user for the page. It
// sets the headers that keep other pages out.
func guarded(port int, next http.Handler) http.Handler {
	hosts := hostNames(port)
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !slices.Contains(hosts, strings.ToLower(r.Host)):
			writeFailure(w, http.StatusForbidden, "this server has other names than the one that was asked for")
		case protection.Check(r) != nil, !sameOrigin(r):
			writeFailure(w, http.StatusForbidden, "another page may not ask this server")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// hostNames are the names by which a browser calls the server. Browsers leave port 80 out.
func hostNames(port int) []string {
	var names []string
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		names = append(names, host+":"+strconv.Itoa(port))
		if port == 80 {
			names = append(names, host)
		}
	}
	return names
}

// sameOrigin reports whether a request comes from the page or the user. A request without the
// headers that browsers set comes from no page. Another page may link to the page.
func sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, "http://"+r.Host) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// bodyTimed bounds the time for sending the body of a request, even if the body is not read:
// the answer waits for it. The handler that reads the body lifts the bound afterwards, since
// it would end the work on the request too, as [http.Server.ReadTimeout] does.
func (s *Server) bodyTimed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.sending))
		}
		next.ServeHTTP(w, r)
	})
}

// recovering answers a request whose handler panics, and logs the panic. The server continues.
func (s *Server) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			fault := recover()
			if fault == nil {
				return
			}
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
			s.log.Printf("internal error: %s %s: %v\n%s", r.Method, r.URL.EscapedPath(), fault, debug.Stack())
			writeFailure(w, http.StatusInternalServerError, fmt.Sprintf("internal error: %v", fault))
		}()
		next.ServeHTTP(w, r)
	})
}
