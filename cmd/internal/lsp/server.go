// Package lsp is a server of the Language Server Protocol, version 3.17, for programs of gram.
//
// The editor sends the whole text of a document after each change. The server parses it at once, and loads it in the
// background: a load that a later change makes useless is ended. Errors are published when the load has ended. A
// request waits for it.
//
//	didOpen, didChange ──▶ parse ──▶ load, bounded ──▶ diagnostics, types
//	gram.profile       ──▶ run, bounded ──▶ steps by line
//
// The names in scope come from the syntax tree. Types come from the last version of the document that had no syntax
// error, and costs from the version that was profiled. What stands outside of the part that has been edited since has
// the types and costs that it had: see [edits].
//
// A program reads the CSV files that it names. It writes nothing, and a run has limits of steps, nodes, memory and
// time.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// MaxSource is the largest size of a document that is looked at, in bytes.
const MaxSource = 1 << 20

// profileCommand is the command that measures the cost of the lines of a document. Its argument is the document's URI.
const profileCommand = "gram.profile"

// Config has the limits of the server.
type Config struct {
	Version string // of gram
	// Timeout bounds the time of each load and of each run, MaxMemory the memory of the process, and Run has the limits of
	// steps and nodes of a run.
	Timeout   time.Duration
	MaxMemory uint64
	Run       gram.EvalOptions
	// Open opens a file that a program names.
	Open func(ctx context.Context, path string) (fs.File, error)
}

// ErrNoShutdown is the error of a connection that ends without the request shutdown.
var ErrNoShutdown = errors.New("the editor has gone away without the request shutdown")

// Server serves one editor.
type Server struct {
	cfg     Config
	work    chan struct{} // held by the one load or run that is under way
	running sync.WaitGroup

	mu       sync.Mutex
	docs     map[string]*document
	refresh  []string // requests that tell the editor to ask again for what a profile changes
	shutdown bool     // the request of this name has come
	closed   bool     // the connection has ended
}

// background does work that the end of the server waits for. The lock is held.
func (s *Server) background(do func()) {
	if !s.closed {
		s.running.Go(do)
	}
}

// Serve serves an editor until it sends exit, closes the connection, or ctx ends. It returns [ErrNoShutdown], the error
// of ctx, or nil.
func Serve(ctx context.Context, rw io.ReadWriteCloser, cfg Config) error {
	s := &Server{cfg: cfg, work: make(chan struct{}, 1), docs: map[string]*document{}}
	work, cancel := context.WithCancel(ctx)
	stream := jsonrpc2.NewBufferedStream(rw, jsonrpc2.VSCodeObjectCodec{})
	conn := jsonrpc2.NewConn(work, stream, s, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	select {
	case <-conn.DisconnectNotify():
	case <-ctx.Done():
		conn.Close()
	}
	cancel()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !s.shutdown:
		return ErrNoShutdown
	}
	return nil
}

// Handle implements [jsonrpc2.Handler]. Notifications change documents in their order; a request about a document is
// answered in the background, for the document as it is when the request comes.
func (s *Server) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	if r.Notif {
		s.notified(ctx, conn, r)
		return
	}
	s.mu.Lock()
	answer, err := s.request(conn, r)
	s.mu.Unlock()
	reply := func() {
		var result any
		if err == nil {
			result, err = answer(ctx)
		}
		var failure *jsonrpc2.Error
		if err != nil && !errors.As(err, &failure) {
			failure = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: reason(err)}
		}
		// Sending fails only if the connection does, and then reading ends it.
		if failure != nil {
			_ = conn.ReplyWithError(ctx, r.ID, failure)
		} else {
			_ = conn.Reply(ctx, r.ID, result)
		}
	}
	if err != nil || r.Method == "initialize" || r.Method == "shutdown" {
		reply()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.background(reply)
}

// notified handles a notification.
func (s *Server) notified(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	var p documentParams
	if r.Params != nil {
		_ = json.Unmarshal(*r.Params, &p) // what is missing has no document
	}
	uri := p.TextDocument.URI
	switch r.Method {
	case "textDocument/didOpen":
		s.change(ctx, conn, uri, p.TextDocument.Version, p.TextDocument.Text)
	case "textDocument/didChange":
		if n := len(p.ContentChanges); n > 0 {
			s.change(ctx, conn, uri, p.TextDocument.Version, p.ContentChanges[n-1].Text)
		}
	case "textDocument/didClose":
		s.mu.Lock()
		if d := s.docs[uri]; d != nil {
			d.loading.cancel()
			delete(s.docs, uri)
			s.publish(ctx, conn, uri, d.version, []diagnostic{})
		}
		s.mu.Unlock()
	case "exit":
		conn.Close()
	}
}

// change gives a document a text, and starts to load it.
func (s *Server) change(ctx context.Context, conn *jsonrpc2.Conn, uri string, version int, src string) {
	t := newText(src)
	var f *syntax.File
	if len(src) <= MaxSource {
		f = s.parse(ctx, uri, t)
	}
	work, cancel := context.WithCancel(ctx)
	l := &loading{cancel: cancel, done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[uri]
	if d == nil {
		d = &document{uri: uri}
		s.docs[uri] = d
	} else {
		d.loading.cancel()
		d.edits = append(d.edits, editOf(d.text.src, src))
	}
	edits := len(d.edits)
	d.version, d.text, d.file, d.loading = version, t, f, l
	s.background(func() {
		defer cancel()
		defer close(l.done)
		var good *loaded
		ds := []diagnostic{{Severity: severityError, Source: "gram",
			Message: fmt.Sprintf("a program of more than %d bytes is not checked", MaxSource)}}
		if f != nil {
			if s.alone(work, func() { good, ds = s.load(work, uri, t, f) }) != nil {
				return
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if work.Err() != nil { // there is a later text
			return
		}
		if good != nil {
			good.edits, d.good = edits, good
		}
		s.publish(ctx, conn, uri, version, ds)
	})
}

// alone does work while no other is done. The error is that of ctx.
func (s *Server) alone(ctx context.Context, do func()) error {
	select {
	case s.work <- struct{}{}:
		defer func() { <-s.work }()
		do()
	case <-ctx.Done():
	}
	return ctx.Err()
}

// publish sends the errors of a document.
func (s *Server) publish(ctx context.Context, conn *jsonrpc2.Conn, uri string, version int, ds []diagnostic) {
	// fails if the connection does
	_ = conn.Notify(ctx, "textDocument/publishDiagnostics", diagnosticsParams{uri, version, ds})
}

// answer computes the result of a request.
type answer func(ctx context.Context) (any, error)

// request returns what answers a request, for the document as it is now. The lock is held.
func (s *Server) request(conn *jsonrpc2.Conn, r *jsonrpc2.Request) (answer, error) {
	switch r.Method {
	case "initialize":
		return s.initialize(r)
	case "shutdown":
		s.shutdown = true
		return func(context.Context) (any, error) { return nil, nil }, nil
	case "workspace/executeCommand":
		return s.execute(conn, r)
	}
	features := map[string]func(view, documentParams) any{
		"textDocument/hover": view.hover, "textDocument/definition": view.definition,
		"textDocument/completion": view.complete,
		"textDocument/formatting": view.format, "textDocument/codeLens": view.codeLenses,
		"textDocument/inlayHint": view.inlayHints,
	}
	feature := features[r.Method]
	if feature == nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "gram has no " + r.Method}
	}
	var p documentParams
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	v := view{document: *d}
	return func(ctx context.Context) (any, error) {
		select {
		case <-v.loading.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if v.file == nil {
			return nil, nil
		}
		s.mu.Lock()
		v.ctx, v.good, v.cost = ctx, d.good, d.cost
		s.mu.Unlock()
		return feature(v, p), nil
	}, nil
}

// decode reads the parameters of a request.
func decode(r *jsonrpc2.Request, into any) error {
	err := errors.New("there are none")
	if r.Params != nil {
		err = json.Unmarshal(*r.Params, into)
	}
	if err != nil {
		return invalid("the parameters: " + err.Error())
	}
	return nil
}

// invalid is the error of a request whose parameters are wrong.
func invalid(message string) error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: message}
}

// document returns the document that a request is about. The lock is held.
func (s *Server) document(uri string) (*document, error) {
	if d := s.docs[uri]; d != nil {
		return d, nil
	}
	return nil, invalid(uri + " is not open")
}

func (s *Server) initialize(r *jsonrpc2.Request) (answer, error) {
	var p initializeParams
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	s.refresh = nil
	if p.Capabilities.Workspace.InlayHint.RefreshSupport {
		s.refresh = append(s.refresh, "workspace/inlayHint/refresh")
	}
	if p.Capabilities.Workspace.CodeLens.RefreshSupport {
		s.refresh = append(s.refresh, "workspace/codeLens/refresh")
	}
	const wholeText = 1
	return func(context.Context) (any, error) {
		return map[string]any{
			"capabilities": map[string]any{
				"positionEncoding":           "utf-16",
				"textDocumentSync":           map[string]any{"openClose": true, "change": wholeText},
				"hoverProvider":              true,
				"definitionProvider":         true,
				"documentFormattingProvider": true,
				"completionProvider":         map[string]any{},
				"codeLensProvider":           map[string]any{},
				"inlayHintProvider":          true,
				"executeCommandProvider":     map[string]any{"commands": []string{profileCommand}},
			},
			"serverInfo": map[string]any{"name": "gram", "version": s.cfg.Version},
		}, nil
	}, nil
}

// execute runs the program of a document for the cost of its lines.
func (s *Server) execute(conn *jsonrpc2.Conn, r *jsonrpc2.Request) (answer, error) {
	var p executeParams
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	var uri string
	if p.Command != profileCommand || len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &uri) != nil {
		return nil, invalid("the command is " + profileCommand + ", with the URI of a document")
	}
	d, err := s.document(uri)
	if err != nil {
		return nil, err
	}
	t, edits := d.text, len(d.edits)
	return func(ctx context.Context) (any, error) {
		var c *cost
		var err error
		if limit := s.alone(ctx, func() { c, err = s.run(ctx, uri, t) }); limit != nil {
			return nil, limit
		}
		if err != nil {
			s.tell(ctx, conn, messageError, "no profile: "+reason(err))
			return nil, nil
		}
		s.mu.Lock()
		c.edits, d.cost = edits, c
		refresh := s.refresh
		s.mu.Unlock()
		for _, method := range refresh {
			if err := conn.Call(ctx, method, nil, nil); err != nil {
				return nil, err
			}
		}
		s.tell(ctx, conn, messageInfo, fmt.Sprintf("%s steps", load.Grouped(c.total)))
		return nil, nil
	}, nil
}

// tell shows a message in the editor.
func (s *Server) tell(ctx context.Context, conn *jsonrpc2.Conn, kind int, message string) {
	_ = conn.Notify(ctx, "window/showMessage", messageParams{kind, message}) // fails if the connection does
}

// open returns what opens files that programs name.
func (s *Server) open(ctx context.Context) func(path string) (fs.File, error) {
	return func(path string) (fs.File, error) { return s.cfg.Open(ctx, path) }
}
