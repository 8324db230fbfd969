package explore

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExportedPages: the pages in docs are those that the command writes now. Places of objects are not compared.
func TestExportedPages(t *testing.T) {
	recorded := regexp.MustCompile(`id="recording">([^<]*)`)
	run := func(page []byte) (template string, rec recording, windows []Window) {
		data, err := base64.StdEncoding.DecodeString(string(recorded.FindSubmatch(page)[1]))
		require.NoError(t, err)
		z, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		require.NoError(t, json.NewDecoder(z).Decode(&rec))
		for _, body := range rec.Windows {
			var w Window
			require.NoError(t, json.Unmarshal(body, &w))
			for i := range w.Nodes {
				w.Nodes[i] = Node{ID: w.Nodes[i].ID, Made: w.Nodes[i].Made, Versions: w.Nodes[i].Versions}
			}
			w.Bends, w.Width, w.Height = nil, 0, 0
			windows = append(windows, w)
		}
		rec.Windows, rec.File.Name, rec.File.Version = nil, "", ""
		return recorded.ReplaceAllString(string(page), ""), rec, windows
	}
	for _, name := range []string{"figure1", "rnn", "mlp"} {
		source, err := os.ReadFile("../../../examples/" + name + ".gram")
		require.NoError(t, err)
		page, err := os.ReadFile("../../../docs/pages/" + name + ".html")
		require.NoError(t, err)
		s, _ := newServer(t, testConfig(string(source)))
		var now bytes.Buffer
		require.NoError(t, s.Export(t.Context(), &now))
		wantPage, wantRun, want := run(now.Bytes())
		gotPage, gotRun, got := run(page)
		equal := wantPage == gotPage && reflect.DeepEqual(wantRun, gotRun) && reflect.DeepEqual(want, got)
		require.True(t, equal, "write it again: gram explore examples/%s.gram --export docs/pages/%s.html", name, name)
	}
}

// TestExportLimits: a program that is wrong, a run that was stopped and one that is too long are not exported.
func TestExportLimits(t *testing.T) {
	export := func(source string, change func(*Config), shown explorer) error {
		cfg := testConfig(source)
		if change != nil {
			change(&cfg)
		}
		s, _ := newServer(t, cfg)
		if shown != nil {
			s.start = func(context.Context, *request) (*started, error) {
				return &started{shown, &runReply{Info: Info{Steps: 1e6}}}, nil
			}
		}
		return s.Export(t.Context(), &bytes.Buffer{})
	}
	require.ErrorContains(t, export("x", nil, nil), "x")
	require.ErrorContains(t, export(figure1, func(c *Config) { c.Run.MaxSteps = 10 }, nil), "the run was stopped")
	require.ErrorContains(t, export(figure1, nil, &large{fake{steps: 1e6}}), "more than 4 MiB")
}

// large is a run with large windows.
type large struct{ fake }

func (l *large) Window(ctx context.Context, at uint64) (*Window, error) {
	w, err := l.fake.Window(ctx, at)
	if err == nil {
		w.Nodes = []Node{{Versions: []Version{{Label: strings.Repeat("x", 8<<20)}}}}
	}
	return w, err
}
