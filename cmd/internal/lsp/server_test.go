package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gram-machine/gram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// editor is a client of a server.
type editor struct {
	t           *testing.T
	conn        *jsonrpc2.Conn
	dir         string
	diagnostics chan diagnosticsParams
	messages    chan messageParams
	served      chan error // what Serve returned

	mu        sync.Mutex
	refreshed []string
}

// newEditor starts a server, and the protocol with it.
func newEditor(t *testing.T, cfg Config) *editor {
	client, server := net.Pipe()
	e := &editor{t: t, dir: t.TempDir(), diagnostics: make(chan diagnosticsParams, 100), messages: make(chan messageParams, 100), served: make(chan error, 1)}
	cfg.Open = func(_ context.Context, path string) (fs.File, error) { return os.Open(path) }
	cfg.Version, cfg.MaxMemory = "v1", 1<<30
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Minute
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { e.served <- Serve(ctx, server, cfg) }()
	e.conn = jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(client, jsonrpc2.VSCodeObjectCodec{}), jsonrpc2.AsyncHandler(e))
	t.Cleanup(func() {
		e.conn.Close()
		cancel()
		<-e.conn.DisconnectNotify()
	})
	var result struct {
		Capabilities struct{ PositionEncoding string }
		ServerInfo   struct{ Name, Version string }
	}
	e.call("initialize", map[string]any{"capabilities": map[string]any{"workspace": map[string]any{
		"inlayHint": map[string]any{"refreshSupport": true}, "codeLens": map[string]any{"refreshSupport": true},
	}}}, &result)
	require.Equal(t, "utf-16", result.Capabilities.PositionEncoding)
	require.Equal(t, "gram", result.ServerInfo.Name)
	e.notify("initialized", map[string]any{})
	return e
}

// Handle takes what the server sends.
func (e *editor) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	switch r.Method {
	case "textDocument/publishDiagnostics":
		var p diagnosticsParams
		_ = json.Unmarshal(*r.Params, &p)
		e.diagnostics <- p
	case "window/showMessage":
		var p messageParams
		_ = json.Unmarshal(*r.Params, &p)
		e.messages <- p
	default:
		e.mu.Lock()
		e.refreshed = append(e.refreshed, r.Method)
		e.mu.Unlock()
	}
	if !r.Notif {
		_ = conn.Reply(ctx, r.ID, nil)
	}
}

func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	require.NoError(e.t, e.conn.Call(e.t.Context(), method, params, result), method)
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	require.NoError(e.t, e.conn.Notify(e.t.Context(), method, params))
}

// uri is that of a file of the editor.
func (e *editor) uri(file string) string {
	return "file://" + filepath.ToSlash(filepath.Join(e.dir, file))
}

// show opens a document, or changes it, and returns its errors.
func (e *editor) show(file string, version int, text string) []diagnostic {
	e.t.Helper()
	document := map[string]any{"uri": e.uri(file), "version": version}
	if version == 1 {
		document["text"], document["languageId"] = text, "gram"
		e.notify("textDocument/didOpen", map[string]any{"textDocument": document})
	} else {
		e.notify("textDocument/didChange", map[string]any{"textDocument": document, "contentChanges": []any{map[string]any{"text": text}}})
	}
	return e.published(file, version)
}

// published waits for the errors of a version.
func (e *editor) published(file string, version int) []diagnostic {
	e.t.Helper()
	for {
		select {
		case d := <-e.diagnostics:
			if d.Version == version && d.URI == e.uri(file) {
				return d.Diagnostics
			}
		case <-time.After(time.Minute):
			require.Fail(e.t, "no diagnostics")
		}
	}
}

// at returns the place where | stands in an extract of a text.
func at(t *testing.T, text, extract string) position {
	before, after, _ := strings.Cut(extract, "|")
	i := strings.Index(text, before+after)
	require.GreaterOrEqual(t, i, 0, "%s is not in the text", extract)
	return newText(text).position(i + len(before))
}

func (e *editor) place(file, text, extract string) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": e.uri(file)}, "position": at(e.t, text, extract)}
}

func (e *editor) hover(file, text, extract string) string {
	e.t.Helper()
	var h *hover
	e.call("textDocument/hover", e.place(file, text, extract), &h)
	if h == nil {
		return ""
	}
	return h.Contents.Value
}

const program = `param n = 3
-- ünïcödé 𝓍𝓎: x is not here
input w : R^n = vec i < n -> i / 2
def cell x h = tanh (x * h + w.(0))
data xs : List R = [1; 2; 3]
let ε = 0.5 in
let f y = y * ε in
fold cell 0 xs + f (dot w w)
`

func TestDiagnostics(t *testing.T) {
	e := newEditor(t, Config{})
	require.Empty(t, e.show("a.gram", 1, program))

	wrong := strings.Replace(program, "f (dot w w)", "f xz", 1)
	ds := e.show("a.gram", 2, wrong)
	require.Len(t, ds, 1)
	require.Equal(t, "unknown name: xz is not declared\ndid you mean xs?", ds[0].Message)
	require.Equal(t, span{at(t, wrong, "f |xz"), at(t, wrong, "f xz|")}, ds[0].Range)

	mismatch := "def f x = sin (x, x)\nlet 𝓍 = 1 in f 𝓍"
	ds = e.show("b.gram", 1, mismatch)
	require.Len(t, ds, 1)
	require.Equal(t, "type mismatch: this is R * R, but sin takes R", ds[0].Message)
	require.Equal(t, "in the expansion of f, used here", ds[0].Related[0].Message)
	require.Equal(t, span{position{1, 14}, position{1, 15}}, ds[0].Related[0].Location.Range, "𝓍 takes two units")

	require.NotEmpty(t, e.show("b.gram", 2, "let x = "))
	require.Empty(t, e.show("b.gram", 3, "1"))
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri("b.gram")}})
	require.Empty(t, e.published("b.gram", 3))
}

// TestData: a program reads the files beside it, and an error in one stands where it is named.
func TestData(t *testing.T) {
	e := newEditor(t, Config{})
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "d.csv"), []byte("a,b\n1,2\n3,x\n"), 0o666))
	require.Empty(t, e.show("a.gram", 1, "data xs = csv \"d.csv\" \"a\"\nlength xs\n"))
	const text = "data ys = csv \"d.csv\" \"b\"\nlength ys\n"
	ds := e.show("a.gram", 2, text)
	require.Len(t, ds, 1)
	require.Contains(t, ds[0].Message, filepath.Join(e.dir, "d.csv")+":3")
	require.Equal(t, 0, ds[0].Range.Start.Line)
	require.Positive(t, ds[0].Range.Start.Character)
}

func TestHover(t *testing.T) {
	e := newEditor(t, Config{})
	require.Empty(t, e.show("a.gram", 1, program))
	for extract, want := range map[string]string{
		"param |n": "param n = 3", "i < |n": "param n = 3", "^n = vec |i": "i", "dot |w": "input w : R^3", "fold |cell": "def cell : R -> R -> R",
		"cell x |h": "h : R", "(|x * h": "x : R", "0 |xs": "data xs : List R", "y * |ε": "ε : R", "|f (dot": "f : R -> R", "let f |y": "y : R",
		"|tanh": "tanh : R -> R", "|dot w": "dot : R^n -> R^n -> R", "w.|(0)": "w.(0) : R",
	} {
		require.Contains(t, e.hover("a.gram", program, extract), "```gram\n"+want+"\n```", extract)
	}
	require.Contains(t, e.hover("a.gram", program, "|tanh"), "Derivative: `1 - tanh x * tanh x`")
	require.Empty(t, e.hover("a.gram", program, "|x is not here"), "in a comment")

	var h hover
	e.call("textDocument/hover", e.place("a.gram", program, "y * |ε"), &h)
	require.Equal(t, span{at(t, program, "y * |ε"), at(t, program, "y * ε|")}, h.Range)
}

// TestLastGoodInformation: while a document has errors of syntax, what stands outside of the edited part has its types.
func TestLastGoodInformation(t *testing.T) {
	e := newEditor(t, Config{})
	require.Empty(t, e.show("a.gram", 1, program))
	broken := strings.Replace(program, "f (dot w w)", "f (dot w", 1)
	require.NotEmpty(t, e.show("a.gram", 2, broken))
	broken = "-- one line more\n" + broken
	require.NotEmpty(t, e.show("a.gram", 3, broken))
	require.Contains(t, e.hover("a.gram", broken, "fold |cell"), "def cell : R -> R -> R")
	require.Contains(t, e.hover("a.gram", broken, "(|x * h"), "x : R")
	require.Contains(t, e.hover("a.gram", broken, "y * |ε"), "ε : R")
	var to location
	e.call("textDocument/definition", e.place("a.gram", broken, "y * |ε"), &to)
	require.Equal(t, at(t, broken, "let |ε"), to.Range.Start)
	var edits []textEdit
	e.call("textDocument/formatting", e.place("a.gram", broken, "fold"), &edits)
	require.Empty(t, edits, "a document with errors is not formatted")
}

func TestDefinition(t *testing.T) {
	e := newEditor(t, Config{})
	require.Empty(t, e.show("a.gram", 1, program))
	for extract, want := range map[string]string{
		"R^|n": "param |n", "vec i < |n": "param |n", "-> |i / 2": "vec |i", "fold |cell": "def |cell", "fold cell|": "def |cell", "(|x * h": "def cell |x",
		"y * |ε": "let |ε", "|f (dot": "let |f", "= |y *": "let f |y", "0 |xs": "data |xs", "let |ε": "let |ε",
	} {
		var to *location
		e.call("textDocument/definition", e.place("a.gram", program, extract), &to)
		require.NotNil(t, to, extract)
		require.Equal(t, e.uri("a.gram"), to.URI)
		require.Equal(t, at(t, program, want), to.Range.Start, extract)
	}
	for _, extract := range []string{"|fold", "|tanh", "let| ε", "-- |ü"} {
		var to *location
		e.call("textDocument/definition", e.place("a.gram", program, extract), &to)
		require.Nil(t, to, extract)
	}
	shadows := "def x a = a\nlet x = x 1 in (fun x -> x) (let x = 2 in x) + x\n"
	require.Empty(t, e.show("b.gram", 1, shadows))
	for extract, want := range map[string]string{
		"= |x 1": "def |x", "-> |x)": "fun |x", "2 in |x": "(let |x", "+ |x": "\nlet |x",
	} {
		var to location
		e.call("textDocument/definition", e.place("b.gram", shadows, extract), &to)
		require.Equal(t, at(t, shadows, want), to.Range.Start, extract)
	}
}

// TestImports: names of imported files have types and places there, and their errors stand at the import.
func TestImports(t *testing.T) {
	e := newEditor(t, Config{})
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(e.dir, "lib.gram"), []byte(text), 0o666))
	}
	lib := "-- 𝓍\ninput w = 2\ndef f x = w * x\nf 3\n"
	write(lib)
	const text = "import   \"lib.gram\"\nf 1 + w\n"
	require.Empty(t, e.show("a.gram", 1, text))
	require.Contains(t, e.hover("a.gram", text, "|f 1"), "def f : R -> R")
	require.Contains(t, e.hover("a.gram", text, "+ |w"), "input w : R")
	for extract, want := range map[string]string{"|f 1": "def |f", "+ |w": "input |w", "\"|lib": "|--"} {
		var to location
		e.call("textDocument/definition", e.place("a.gram", text, extract), &to)
		require.Equal(t, e.uri("lib.gram"), to.URI)
		require.Equal(t, at(t, lib, want), to.Range.Start, extract)
	}
	items := e.complete("a.gram", text, "f 1 + |w")
	require.Equal(t, "R -> R", items["f"].Detail)
	require.Contains(t, items, "match")
	require.Contains(t, items, "import")
	require.Contains(t, items, "skip")
	var edits []textEdit
	e.call("textDocument/formatting", e.place("a.gram", text, "import"), &edits)
	require.Equal(t, []textEdit{{span{End: position{2, 0}}, "import \"lib.gram\"\nf 1 + w\n"}}, edits)

	write("def f x = x + (1, 2)\ninput w = 1\n")
	ds := e.show("a.gram", 2, text)
	require.Len(t, ds, 1)
	require.Contains(t, ds[0].Message, "lib.gram:1:15: type mismatch")
	require.Equal(t, span{position{0, 9}, position{0, 19}}, ds[0].Range)
	require.Equal(t, e.uri("a.gram"), ds[0].Related[0].Location.URI)
}

func TestFormatting(t *testing.T) {
	e := newEditor(t, Config{})
	const text = "input   x=1\r\nlet 𝓍=x in   𝓍+x"
	require.Empty(t, e.show("a.gram", 1, text))
	var edits []textEdit
	e.call("textDocument/formatting", e.place("a.gram", text, "input"), &edits)
	want, err := gram.Format(t.Context(), "a.gram", []byte(text))
	require.NoError(t, err)
	require.Equal(t, []textEdit{{span{position{}, position{1, 18}}, string(want)}}, edits)
	require.Empty(t, e.show("a.gram", 2, string(want)))
	e.call("textDocument/formatting", e.place("a.gram", text, "input"), &edits)
	require.Empty(t, edits)
}

func (e *editor) complete(file, text, extract string) map[string]completionItem {
	var items []completionItem
	e.call("textDocument/completion", e.place(file, text, extract), &items)
	out := map[string]completionItem{}
	for _, i := range items {
		require.NotContains(e.t, out, i.Label, "twice")
		out[i.Label] = i
	}
	return out
}

func TestCompletion(t *testing.T) {
	e := newEditor(t, Config{})
	require.Empty(t, e.show("a.gram", 1, program))
	items := e.complete("a.gram", program, "|fold cell")
	require.Equal(t, "R -> R -> R", items["cell"].Detail)
	require.Equal(t, "R^3", items["w"].Detail)
	require.Equal(t, "R", items["ε"].Detail)
	require.Equal(t, kindFunction, items["log"].Kind)
	require.Contains(t, items["log"].Documentation.Value, "for x > 0")
	require.Equal(t, kindKeyword, items["let"].Kind)
	for _, absent := range []string{"x", "h", "y", "i"} {
		require.NotContains(t, items, absent)
	}
	items = e.complete("a.gram", program, "tanh (|x")
	require.Contains(t, items, "h")
	require.NotContains(t, items, "ε", "a declaration does not see the body")
	require.NotContains(t, items, "xs", "nor what is below")
	require.Equal(t, "index", e.complete("a.gram", program, "-> |i / 2")["i"].Detail)
	require.Empty(t, e.complete("a.gram", program, "-- ünï|"))

	typing := strings.Replace(program, "fold cell 0 xs + f (dot w w)", "let g z = (z + ) in g 1", 1)
	require.NotEmpty(t, e.show("a.gram", 2, typing))
	items = e.complete("a.gram", typing, "(z + |")
	for _, name := range []string{"z", "ε", "f", "cell"} {
		require.Contains(t, items, name)
	}
}

func TestCostOfLines(t *testing.T) {
	e := newEditor(t, Config{})
	require.Empty(t, e.show("a.gram", 1, program))
	hints := func(text string) map[int]inlayHint {
		var list []inlayHint
		e.call("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": e.uri("a.gram")},
			"range": span{End: newText(text).position(len(text))}}, &list)
		out := map[int]inlayHint{}
		for _, h := range list {
			line := strings.Split(text, "\n")[h.Position.Line]
			require.Equal(t, units(line), h.Position.Character, "at the end of the line")
			out[h.Position.Line] = h
		}
		return out
	}
	require.Empty(t, hints(program))
	var lenses []codeLens
	e.call("textDocument/codeLens", e.place("a.gram", program, "param"), &lenses)
	require.Len(t, lenses, 1)
	require.Equal(t, "gram.profile", lenses[0].Command.Command)

	e.call("workspace/executeCommand", map[string]any{"command": "gram.profile", "arguments": lenses[0].Command.Arguments}, nil)
	p, err := gram.Load(t.Context(), "a.gram", []byte(program), gram.Options{})
	require.NoError(t, err)
	res, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%d steps", res.Cost.Steps.Total()), (<-e.messages).Message)
	e.mu.Lock()
	require.Equal(t, []string{"workspace/inlayHint/refresh", "workspace/codeLens/refresh"}, e.refreshed)
	e.mu.Unlock()
	e.call("textDocument/codeLens", e.place("a.gram", program, "param"), &lenses)
	require.Contains(t, lenses[0].Command.Title, fmt.Sprint(res.Cost.Steps.Total()))

	found := hints(program)
	require.Contains(t, found, 3, "the line of cell")
	require.Contains(t, found[3].Label, " steps, ")
	require.NotContains(t, found, 1, "a comment")

	// An edit above moves the hints, and the line that is edited has none.
	edited := strings.Replace(program, "y * ε in", "y * ε * ε in", 1)
	require.Empty(t, e.show("a.gram", 2, edited))
	moved := hints(edited)
	require.NotContains(t, moved, 6)
	require.Equal(t, found[3], moved[3])
	edited = "-- more\n" + edited
	require.Empty(t, e.show("a.gram", 3, edited))
	require.Equal(t, found[3].Label, hints(edited)[4].Label)
	require.Equal(t, found[7].Label, hints(edited)[8].Label)
	require.NotContains(t, hints(edited), 7)
}

// TestProfileLimits: a run that reaches a limit, or cannot begin, gives a message.
func TestProfileLimits(t *testing.T) {
	e := newEditor(t, Config{Run: gram.EvalOptions{MaxSteps: 1000}})
	require.Empty(t, e.show("a.gram", 1, "input x = 1\niter #1000000 (fun z -> sin z) x"))
	profile := map[string]any{"command": "gram.profile", "arguments": []any{e.uri("a.gram")}}
	e.call("workspace/executeCommand", profile, nil)
	require.Contains(t, (<-e.messages).Message, "limit of 1000 steps reached")
	require.NotEmpty(t, e.show("a.gram", 2, "let"))
	e.call("workspace/executeCommand", profile, nil)
	require.Contains(t, (<-e.messages).Message, "no profile: ")
	for _, params := range []any{
		map[string]any{"command": "gram.profile", "arguments": []any{"file:///nothing"}},
		map[string]any{"command": "gram.profile"}, map[string]any{"command": "other", "arguments": []any{e.uri("a.gram")}},
	} {
		require.ErrorContains(t, e.conn.Call(t.Context(), "workspace/executeCommand", params, nil), "code -32602")
	}
}

// TestLoadLimits: what takes too long to load gives an error, and a later change ends it.
func TestLoadLimits(t *testing.T) {
	long := "data xs : List R = list i < 100000000 -> sin i\nlength xs"
	e := newEditor(t, Config{Timeout: 50 * time.Millisecond})
	ds := e.show("a.gram", 1, long)
	require.Len(t, ds, 1)
	require.Contains(t, ds[0].Message, "the program was not checked")

	e = newEditor(t, Config{})
	start := time.Now()
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri("a.gram"), "version": 1, "text": long}})
	require.Empty(t, e.show("a.gram", 2, "1"))
	require.Less(t, time.Since(start), 30*time.Second)

	ds = e.show("a.gram", 3, strings.Repeat(" ", MaxSource)+"1")
	require.Contains(t, ds[0].Message, "is not checked")
	require.Empty(t, e.hover("a.gram", " ", "| "))
}

func TestProtocol(t *testing.T) {
	e := newEditor(t, Config{})
	require.ErrorContains(t, e.conn.Call(t.Context(), "textDocument/hover", e.place("a.gram", program, "fold"), nil), "is not open")
	require.ErrorContains(t, e.conn.Call(t.Context(), "textDocument/rename", map[string]any{}, nil), "gram has no textDocument/rename")
	require.ErrorContains(t, e.conn.Call(t.Context(), "textDocument/hover", []int{1}, nil), "code -32602")
	e.notify("$/cancelRequest", map[string]any{"id": 1})
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.uri("a.gram")}})
	e.call("shutdown", nil, nil)
	e.notify("exit", nil)
	require.NoError(t, <-e.served)

	e = newEditor(t, Config{})
	e.conn.Close()
	require.ErrorIs(t, <-e.served, ErrNoShutdown)
}

func TestPositions(t *testing.T) {
	x := newText("a𝓍b\r\nü\rc\n")
	var places []position
	for off := range x.src + "." {
		p := x.position(off)
		places = append(places, p)
		if off == 0 || x.src[off-1] != '\r' || !strings.HasPrefix(x.src[off:], "\n") {
			require.Equal(t, off, x.offset(p), "%d", off)
		}
	}
	require.Equal(t, []position{{0, 0}, {0, 1}, {0, 3}, {0, 4}, {0, 5}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}}, places)
	require.Equal(t, strings.Index(x.src, "\r"), x.offset(position{0, 99}))
	require.Equal(t, len(x.src), x.offset(position{99, 0}))
	require.Equal(t, 0, x.offset(position{-1, 5}))
	require.Equal(t, []int{0, len("a𝓍b\r\n"), len("a𝓍b\r\nü\r"), len(x.src)}, slices.Clone(x.lines))
}
