package lsp

import "encoding/json"

// The messages of the protocol, as far as the server uses them.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in units of UTF-16
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type initializeParams struct {
	Capabilities struct {
		Workspace struct {
			InlayHint refreshSupport `json:"inlayHint"`
			CodeLens  refreshSupport `json:"codeLens"`
		} `json:"workspace"`
	} `json:"capabilities"`
}

type refreshSupport struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// documentParams are those of all requests about a document.
type documentParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
	Position       position `json:"position"`
	Range          span     `json:"range"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
}

type diagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnostic struct {
	Range    span      `json:"range"`
	Severity int       `json:"severity"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []related `json:"relatedInformation,omitempty"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type completionItem struct {
	Label         string  `json:"label"`
	Kind          int     `json:"kind"`
	Detail        string  `json:"detail,omitempty"`
	Documentation *markup `json:"documentation,omitempty"`
	SortText      string  `json:"sortText"`
}

type codeLens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

type inlayHint struct {
	Position    position `json:"position"`
	Label       string   `json:"label"`
	PaddingLeft bool     `json:"paddingLeft"`
	Tooltip     string   `json:"tooltip"`
}

type executeParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

type messageParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

// Constants of the protocol.
const (
	severityError = 1

	kindFunction = 3
	kindVariable = 6
	kindKeyword  = 14
	kindConstant = 21

	messageError = 1
	messageInfo  = 3
)
