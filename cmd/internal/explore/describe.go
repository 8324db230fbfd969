package explore

import (
	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/scene"
)

// runReply says what a run has come to.
type runReply struct {
	Run      string      `json:"run"`
	Steps    uint64      `json:"steps"`
	Backward uint64      `json:"backward"`
	Rules    []ruleReply `json:"rules"`
	Stopped  string      `json:"stopped"`
	Value    string      `json:"value"`
	Type     string      `json:"type"`
	Gradient []namedText `json:"gradient"`
}

type ruleReply struct {
	Number string `json:"number"`
	Name   string `json:"name"`
	Text   string `json:"text"`
	Steps  uint64 `json:"steps"`
}

type namedText struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// describe makes the answer about a run.
func describe(p *gram.Program, req *request, info *scene.Info) *runReply {
	out := &runReply{
		Run: req.id(), Steps: info.Steps, Backward: info.Backward, Stopped: info.Stopped, Type: p.Type(), Gradient: []namedText{},
	}
	for _, r := range info.Rules {
		out.Rules = append(out.Rules, ruleReply{r.Number, r.Name, r.Text, r.Steps})
	}
	if info.Stopped != "" || p.Shape() == nil {
		return out
	}
	out.Value = valueText(p.Shape(), info.Values, info.Lengths)
	if req.Of == OfGradient {
		out.Gradient = gradientTexts(p, info)
	}
	return out
}
