package explore

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// MaxExport bounds a page with a recorded run, in bytes.
const MaxExport = 4 << 20

var errLargeExport = fmt.Errorf("the recorded run takes more than %d MiB: export a shorter run", MaxExport>>20)

// mostShrunk bounds how many times smaller a recording is when it is compressed.
const mostShrunk = 30

// recording is what a page answers its own requests with.
type recording struct {
	File    fileReply         `json:"file"`
	Run     json.RawMessage   `json:"run"`
	Windows []json.RawMessage `json:"windows"`
	Rules   map[string]string `json:"rules"` // the pictures of the rules that fire
}

// Export writes a page that shows the run of the program without a server: all its states are recorded in it. A program
// that is wrong, a run that was stopped, and a page of more than [MaxExport] bytes are errors. The time limit is that
// of one request.
func (s *Server) Export(ctx context.Context, w io.Writer) error {
	if s.problem != nil {
		return s.problem
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	st, err := s.start(ctx, &request{string(s.cfg.Source), s.cfg.Of})
	if err != nil {
		return err
	}
	if st.Stopped != "" {
		return errors.New("the run was stopped: " + st.Stopped)
	}
	rec := recording{File: s.file(), Run: encode(st.runReply), Rules: map[string]string{}}
	for _, r := range st.Rules {
		if r.Steps > 0 {
			rec.Rules[r.Name] = assetText("rules/" + r.Name + ".svg")
		}
	}
	size := 0
	for at := uint64(0); at <= st.Steps; {
		win, err := st.Window(ctx, at)
		if err != nil {
			return err
		}
		at = win.To
		if at == st.Steps {
			at++
		}
		body := encode(win)
		rec.Windows = append(rec.Windows, body)
		if size += len(body); size > mostShrunk*MaxExport {
			return errLargeExport
		}
	}
	var b bytes.Buffer // has no errors
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(encode(rec))
	_ = z.Close()
	data := base64.StdEncoding.EncodeToString(b.Bytes())
	if len(data) > MaxExport {
		return errLargeExport
	}
	_, err = io.WriteString(w, onePage(data))
	return err
}

// exportPolicy lets a page with a recorded run load nothing.
const exportPolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; " +
	"base-uri 'none'; form-action 'none'"

var (
	styleLink  = regexp.MustCompile(`<link rel="stylesheet" href="/assets/([a-z]+\.css)">`)
	scriptLink = regexp.MustCompile(`<script( type="module")? src="/assets/([a-z]+\.js)"></script>`)
	iconLink   = regexp.MustCompile(`<link rel="icon"[^>]*>`)
)

// assetText is a file of the page.
func assetText(name string) string {
	body, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // a file of the page names one that is not there
	}
	return string(body)
}

// onePage is the page with its styles, its scripts and a recording in it.
func onePage(recorded string) string {
	icon := base64.StdEncoding.EncodeToString([]byte(assetText("icon.svg")))
	page := iconLink.ReplaceAllLiteralString(assetText("index.html"),
		`<meta http-equiv="Content-Security-Policy" content="`+exportPolicy+`">`+"\n"+
			`<link rel="icon" href="data:image/svg+xml;base64,`+icon+`">`)
	page = styleLink.ReplaceAllStringFunc(page, func(link string) string {
		return "<style>\n" + assetText(styleLink.FindStringSubmatch(link)[1]) + "</style>"
	})
	return scriptLink.ReplaceAllStringFunc(page, func(link string) string {
		parts := scriptLink.FindStringSubmatch(link)
		if parts[1] == "" {
			return "<script>\n" + assetText(parts[2]) + "</script>"
		}
		return `<script type="application/octet-stream" id="recording">` + recorded + "</script>\n" +
			"<script type=\"module\">\n" + bundle(parts[2]) + "</script>"
	})
}

var (
	importLine = regexp.MustCompile(`(?m)^import (\* as (\w+)|\{[^}]*\}) from "\./([a-z]+\.js)";\n`)
	exportLine = regexp.MustCompile(`(?m)^export ((?:async )?(?:function|class|const) (\w+))`)
)

// bundle joins a module and those that it imports to one script: each is a function whose value has what it exports. A
// file has no server to import modules from.
func bundle(name string) string {
	var out strings.Builder
	out.WriteString("const modules = {};\n")
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		script := importLine.ReplaceAllStringFunc(assetText(name), func(line string) string {
			m := importLine.FindStringSubmatch(line)
			add(m[3])
			return fmt.Sprintf("const %s = modules[%q];\n", cmp.Or(m[2], m[1]), m[3])
		})
		var names []string
		for _, m := range exportLine.FindAllStringSubmatch(script, -1) {
			names = append(names, m[2])
		}
		script = exportLine.ReplaceAllString(script, "$1")
		fmt.Fprintf(&out, "modules[%q] = (() => {\n%sreturn { %s };\n})();\n", name, script, strings.Join(names, ", "))
	}
	add(name)
	return out.String()
}
