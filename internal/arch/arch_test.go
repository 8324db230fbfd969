// Package arch holds the map of the module: which package may import which. It has tests only.
//
//	term  ←  lang, revgrad, engine, compile
//	compile  ←  graph  ←  machine
//
// A layer's packages are those of its folder and below. The root package joins the
// stages; bench and the commands stand on top of it. The engine knows the terms
// that it compiles, and the machine those that it reduces, but neither a stage that makes
// or changes a term, nor the other. What the
// tests make terms with (internal/property) and compare the machines with
// (internal/denote, internal/hypergraph, internal/reference)
// shares with it term alone, and the names of the rules. The root package has the
// rewriter (internal/reference) too, for the traces that print whole terms.
//
// The rules are for the code of the packages. Their tests may import what they like.
package arch

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/gram-machine/gram"

// root is the name of the layer of the module's root package.
const root = "."

// layers are the folders of the module, and the layers whose packages each may
// import besides its own.
var layers = map[string][]string{
	"term":                 {},
	"kernel":               {"term"}, // of term, the elementary functions
	"rule":                 {},
	"lang":                 {"term", "kernel", "lang/core", "lang/elaborate", "revgrad"}, // lang/eval adds as package kernel does
	"lang/core":            {"term", "lang"},                                             // of lang, folders that are not listed here
	"lang/elaborate":       {"term", "lang", "lang/core"},
	"parquet":              {"lang"}, // is registered there
	"revgrad":              {"term", "internal/hypergraph"},
	"engine/wasm":          {"term"},
	"engine/ir":            {"rule", "term"},
	"engine/lower":         {"rule", "term", "engine/ir", "graph/calls"},
	"engine/exec":          {"rule", "term", "limits", "engine/ir", "engine/native", "engine/wasm", "graph/calls", "kernel"},
	"engine/native":        {"term", "engine/ir", "engine/wasm"},
	"compile":              {"term", "revgrad"},
	"machine":              {"rule", "term", "compile", "graph", "graph/calls", "limits"},
	"graph":                {"term", "compile", "limits"},
	"internal/decode":      {"rule", "term", "compile", "machine", "graph", "internal/reference"},
	"graph/calls":          {"rule", "term"},
	"limits":               {"term"}, // the places of errors
	"internal/property":    {"term"},
	"internal/testprogram": {"term", "lang", "internal/property"},
	"internal/denote":      {"term"},
	"internal/hypergraph":  {"term"},
	"internal/reference":   {"rule", "term", "internal/denote"},
	"internal/span":        {"rule", "term", "revgrad"},
	"examples":             {},
	"docs":                 {},

	"internal/fit":     {},
	"internal/stage":   {"term", "lang", "revgrad", "machine"},
	"internal/modular": {"graph/calls", "rule", "term", "revgrad", "lang", "compile", "limits"},

	"internal/bridge": {"graph/calls", "term", "lang", "machine", "graph", "limits"},

	"cost": {"rule", "internal/modular"},
	root: {"cost", "rule", "graph/calls", "term", "lang", "revgrad", "compile", "engine/exec", "engine/lower", "machine", "graph", "limits",
		"internal/bridge", "internal/hypergraph", "internal/modular", "internal/span", "internal/stage"},

	// What traces, profiles, pictures and pages are made with.
	"cmd/internal/gramtest": {root, "internal/testprogram"},

	"cmd/internal/command":   {root, "docs", "lang", "kernel", "limits"}, // of kernel, the form of this build
	"cmd/internal/benchmark": {root, "bench", "rule", "lang", "limits", "cmd/internal/command"},
	"cmd/internal/result": {root, "cost", "rule", "lang", "engine/exec", "machine", "limits", "parquet",
		"cmd/internal/command", "cmd/internal/profile"},
	"cmd/internal/reduction": {root, "internal/bridge", "graph", "rule", "term", "lang", "lang/core", "revgrad", "limits",
		"machine", "compile", "internal/decode", "internal/denote", "internal/reference", "cmd/internal/show"},
	"cmd/internal/profile": {root, "internal/bridge", "rule", "term", "lang", "lang/elaborate", "graph/calls", "machine"},
	"cmd/internal/show":    {root, "internal/bridge", "term", "lang", "revgrad", "engine/ir", "engine/lower", "machine", "limits", "internal/stage", "internal/hypergraph", "compile", "graph"},
	"cmd/internal/lsp":     {root, "internal/bridge", "docs", "lang", "lang/elaborate", "limits", "cmd/internal/profile"},
	"cmd/internal/explore": {root, "internal/bridge", "internal/hypergraph", "internal/stage", "examples", "limits",
		"rule", "term", "lang", "compile", "machine", "graph", "cmd/internal/command", "cmd/internal/show", "cmd/internal/reduction"},
	"cmd/internal/fitting": {root, "internal/bridge", "internal/fit", "lang", "cmd/internal/command", "cmd/internal/result"},

	"bench": {
		"examples", root, "internal/bridge", "cost", "rule", "term", "lang", "revgrad", "compile", "machine",
		"limits", "internal/denote", "internal/hypergraph", "internal/reference",
		"internal/property", // what the search for the worst program draws
		"internal/modular", "internal/span", "internal/stage",
	},
	"gradbench": {root},
	"cmd": {root, "internal/bridge", "gradbench", "cost", "rule", "bench", "machine", "term", "lang", "revgrad", "engine/exec", "limits", "kernel", "parquet", "internal/modular", "internal/span", "internal/stage",
		"docs", "examples", // what is printed
		"cmd/internal/benchmark", // of gram-bench
		"cmd/internal/fitting",   // of gram-fit
		"internal/denote",        // the numbers of gram reduce
		"cmd/internal/explore", "cmd/internal/command", "cmd/internal/lsp", "cmd/internal/result", "cmd/internal/profile", "cmd/internal/reduction", "cmd/internal/show"},
}

// edge says that a file of the package in folder from imports the one in folder to.
type edge struct{ from, to, file string }

func (e edge) String() string {
	return fmt.Sprintf("%s: %s must not import %s", e.file, name(e.from), name(e.to))
}

func name(folder string) string {
	if folder == root {
		return "the root package"
	}
	return folder
}

// layerOf returns the layer of a folder: the longest of its prefixes that has rules.
func layerOf(folder string) (string, bool) {
	for f := folder; f != "."; f = path.Dir(f) {
		if _, ok := layers[f]; ok {
			return f, true
		}
	}
	return root, folder == root
}

// violations returns what is wrong with edges, sorted.
func violations(edges []edge) []string {
	wrong := map[string]bool{}
	for _, e := range edges {
		from, known := layerOf(e.from)
		if !known {
			wrong[fmt.Sprintf("%s: folder %s has no line in the table of layers", e.file, e.from)] = true
			continue
		}
		to, known := layerOf(e.to)
		if !known || from != to && !slices.Contains(layers[from], to) {
			wrong[e.String()] = true
		}
	}
	return slices.Sorted(maps.Keys(wrong))
}

// read returns the imports inside the module, test files aside: those of every
// file, whatever system or build tag it is for. A package that imports nothing of
// the module has an edge to itself.
func read(tree fs.FS) ([]edge, error) {
	var edges []edge
	err := each(tree, func(file string, src []byte) error {
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := path.Dir(file)
		edges = append(edges, edge{from, from, file})
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if to == module {
				edges = append(edges, edge{from, root, file})
			} else if folder, ok := strings.CutPrefix(to, module+"/"); ok {
				edges = append(edges, edge{from, folder, file})
			}
		}
		return nil
	})
	return edges, err
}

// each calls f with each file of the module that is none of a test.
func each(tree fs.FS, f func(file string, src []byte) error) error {
	return fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && skip(tree, file):
			return fs.SkipDir
		case d.IsDir() || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		return f(file, src)
	})
}

// skip tells the folders that are none of the module's packages.
func skip(tree fs.FS, folder string) bool {
	base := path.Base(folder)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(tree, path.Join(folder, "go.mod"))
	return err == nil
}

func TestImports(t *testing.T) {
	edges, err := read(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range violations(edges) {
		t.Error(text)
	}
	// The tree was read: these are the edges that the picture consists of.
	for _, want := range []edge{
		{from: "lang/core", to: "term"},
		{from: "revgrad", to: "term"},
		{from: "compile", to: "term"},
		{from: "engine/exec", to: "engine/ir"},
		{from: "machine", to: "graph"},
		{from: root, to: "engine/exec"},
	} {
		if !slices.ContainsFunc(edges, func(e edge) bool { return e.from == want.from && e.to == want.to }) {
			t.Errorf("no import of %s by %s was found", name(want.to), name(want.from))
		}
	}
}

func TestViolations(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		wrong    bool
	}{
		{"lang", "term", false},
		{"lang/load", "lang/syntax", false},
		{"compile", "term", false},
		{"engine/lower", "term", false},
		{"internal/denote", "term", false},
		{"cmd/gram", root, false},
		{"cmd/gram/page", "bench", false},
		{"bench", root, false},

		{"engine/lower", "lang", true},
		{"engine/exec", "lang/load", true},
		{"engine/lower", "compile", true},
		{"engine/lower", "revgrad", true},
		{"engine/exec", root, true},
		{"engine/exec", "machine", true},
		{"machine", "engine/exec", true},
		{"machine", "engine/lower", true},
		{"graph", "engine/exec", true},
		{"compile", "engine/ir", true},
		{"compile", "lang", true},
		{"revgrad", "compile", true},
		{"lang/load", "graph", true},
		{"term", "graph", true},
		{"internal/denote", "engine/exec", true},
		{"internal/reference", "revgrad", true},
		{"internal/reference", "engine/exec", true},
		{root, "bench", true},
		{root, "internal/denote", true},
		{"bench", "cmd/gram", true},
		{"langs", "term", true}, // a folder that the table doesn't know
		{"term", "internal/unknown", true},
		{root, "cmd/internal/explore", true},
		{"cmd/internal/explore", "engine/exec", true},
	} {
		got := violations([]edge{{tt.from, tt.to, path.Join(tt.from, "x.go")}})
		if (len(got) > 0) != tt.wrong {
			t.Errorf("%s imports %s: got %q, want wrong = %v", name(tt.from), name(tt.to), got, tt.wrong)
		}
	}
}

func TestRead(t *testing.T) {
	file := func(imports string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package p\nimport (\n" + imports + ")\n")}
	}
	tree := fstest.MapFS{
		"gram.go":               file(`"fmt"; "` + module + `/engine/exec"` + "\n"),
		"engine/exec/fire.go":   file(`"` + module + `/lang/load"` + "\n" + `"` + module + `ples/x"` + "\n"),
		"engine/exec/a_test.go": file(`"` + module + `/compile"` + "\n"),
		"engine/exec/linux.go":  {Data: []byte("//go:build plan9\n\npackage p\nimport _ \"" + module + "\"\n")},
		"testdata/t.go":         file(`"` + module + `/cmd"` + "\n"),
		".hidden/h.go":          file(`"` + module + `/cmd"` + "\n"),
		"other/go.mod":          {},
		"other/o.go":            file(`"` + module + `/cmd"` + "\n"),
	}
	got, err := read(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := []edge{
		{".", ".", "gram.go"},
		{".", "engine/exec", "gram.go"},
		{"engine/exec", "lang/load", "engine/exec/fire.go"},
		{"engine/exec", "engine/exec", "engine/exec/fire.go"},
		{"engine/exec", ".", "engine/exec/linux.go"},
		{"engine/exec", "engine/exec", "engine/exec/linux.go"},
	}
	slices.SortFunc(got, func(a, b edge) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.to, b.to)) })
	slices.SortFunc(want, func(a, b edge) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.to, b.to)) })
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if wrong := violations(got); len(wrong) != 2 {
		t.Errorf("got %q, want the machine's two wrong imports", wrong)
	}
	tree["broken.go"] = &fstest.MapFile{Data: []byte("no package")}
	if _, err := read(tree); err == nil {
		t.Error("a file that doesn't parse was read")
	}
}
