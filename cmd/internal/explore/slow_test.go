package explore

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSlowBody: a body that doesn't come keeps no connection, whether or not it is to be
// read.
func TestSlowBody(t *testing.T) {
	s := serve(t, testConfig(figure1), func(s *Server) { s.sending = 10 * time.Millisecond })
	host := strings.TrimPrefix(s.url, "http://")
	for _, c := range []struct {
		line, kind string
		want       int
	}{
		{"POST /api/run", "application/json", http.StatusBadRequest},
		{"POST /api/run", "text/plain", http.StatusUnsupportedMediaType},
		{"GET /api/file", "text/plain", http.StatusOK},
		{"POST /", "text/plain", http.StatusNotFound},
	} {
		conn, err := net.Dial("tcp", host)
		require.NoError(t, err)
		_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 100\r\n\r\n{", c.line, host, c.kind)
		require.NoError(t, err)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.Equal(t, c.want, answer.StatusCode, c)
		require.True(t, answer.Close, c)
		require.NoError(t, answer.Body.Close())
		require.NoError(t, conn.Close())
	}
}

// TestUnfinishedBodies: bodies that don't come to their end take the memory of a few, however
// many they are; who waits too long to be read is sent away, and later requests are answered.
func TestUnfinishedBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for bodies that don't come")
	}
	s := serve(t, testConfig(figure1), func(s *Server) { s.sending = time.Second })
	const bodies = 100
	host := strings.TrimPrefix(s.url, "http://")
	part := []byte(fmt.Sprintf("POST /api/run HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{\"source\":\"%s",
		host, 2*MaxSource, strings.Repeat(" ", MaxSource)))
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var conns []net.Conn
	for range bodies {
		conn, err := net.Dial("tcp", host)
		require.NoError(t, err)
		conns = append(conns, conn)
		go conn.Write(part)
	}
	for range 10 { // while they come
		time.Sleep(s.sending / 50)
		require.Less(t, heap(), before+bodies*MaxSource/2)
	}
	statuses := map[int]int{}
	for _, conn := range conns {
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		statuses[answer.StatusCode]++
		require.NoError(t, answer.Body.Close())
		require.NoError(t, conn.Close())
	}
	require.Equal(t, bodies, statuses[http.StatusBadRequest]+statuses[http.StatusServiceUnavailable], statuses)
	status, a := s.run(figure1, OfValue)
	require.Equal(t, http.StatusOK, status, a.Error)
}

// TestSlowWork: the bound on the body is none on the work.
func TestSlowWork(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the bound to pass")
	}
	b := newBlocked()
	s := serve(t, testConfig(figure1), func(s *Server) { s.start, s.sending = b.start, time.Second })
	go func() {
		<-b.begun
		time.Sleep(s.sending + s.sending/2)
		close(b.release)
	}()
	status, a := s.run("1", OfValue)
	require.Equal(t, http.StatusOK, status, a.Error)
	require.Empty(t, b.ended)
}

// TestLogLine: a path makes no lines in the log.
func TestLogLine(t *testing.T) {
	s, log := newServer(t, testConfig(figure1))
	h := s.recovering(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") }))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/a%0Agram:%1b[31m", nil))
	require.Contains(t, log.String(), "gram: internal error: GET /a%0Agram:%1b[31m: x\n")
}
