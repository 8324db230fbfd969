package lsp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/docs"
	"github.com/gram-machine/gram/lang/syntax"
)

// extension is the folder of the extension for VS Code.
const extension = "../../../editors/vscode"

func readJSON(t *testing.T, file string, into any) {
	text, err := os.ReadFile(filepath.Join(extension, file))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into), file)
}

// TestExtension: the files that the extension names are there, and its words are those of the language.
func TestExtension(t *testing.T) {
	var manifest struct {
		Main        string
		Contributes struct {
			Languages []struct{ ID, Configuration string }
			Grammars  []struct{ Language, ScopeName, Path string }
		}
	}
	readJSON(t, "package.json", &manifest)
	require.FileExists(t, filepath.Join(extension, manifest.Main))
	readJSON(t, manifest.Contributes.Languages[0].Configuration, new(map[string]any))
	require.Equal(t, manifest.Contributes.Languages[0].ID, manifest.Contributes.Grammars[0].Language)

	var grammar struct {
		ScopeName string
		Patterns  []struct{ Name, Match string }
	}
	readJSON(t, manifest.Contributes.Grammars[0].Path, &grammar)
	require.Equal(t, manifest.Contributes.Grammars[0].ScopeName, grammar.ScopeName)
	words := map[string][]string{}
	for _, p := range grammar.Patterns {
		if _, list, ok := strings.Cut(p.Match, "_'])("); ok {
			list, _, _ = strings.Cut(list, ")")
			words[p.Name] = strings.Split(list, "|")
		}
	}
	var keywords, functions []string
	for k := syntax.ParamTok; k.IsKeyword(); k++ {
		keywords = append(keywords, k.String())
	}
	require.ElementsMatch(t, syntax.Contextual(), words["keyword.other.gram"])
	for _, f := range docs.Functions() {
		functions = append(functions, f.Name)
	}
	require.ElementsMatch(t, keywords, words["keyword.control.gram"])
	require.ElementsMatch(t, functions, words["support.function.gram"])
}

// TestExtensionScript: node reads the extension.
func TestExtensionScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	out, err := exec.Command(node, "--check", filepath.Join(extension, "extension.js")).CombinedOutput()
	require.NoError(t, err, string(out))
}
