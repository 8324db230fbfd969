package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/result"
)

// kink is where the derivative of a run is a choice.
type kink struct {
	Kind  string `json:"kind"` // a symbol, or "if"
	Pos   string `json:"pos"`  // line:column
	Count int    `json:"count"`
	at    gram.Diagnostic
}

// kinks finds the kinks of the run in the order of the source, if they are asked for.
func (a *app) kinks(ctx context.Context, p *loaded, f *gradFlags) ([]*kink, error) {
	if !f.kinks {
		return nil, nil
	}
	counts, err := p.Kinks(ctx, gram.EvalOptions{MaxSteps: f.MaxSteps.N, MaxNodes: f.MaxNodes.N})
	if err != nil {
		return nil, err
	}
	out := []*kink{}
	for at, n := range counts {
		out = append(out, &kink{at.Headline, fmt.Sprintf("%d:%d", at.Line, at.Column), n, at})
	}
	slices.SortFunc(out, func(x, y *kink) int {
		return cmp.Or(cmp.Compare(x.at.Line, y.at.Line), cmp.Compare(x.at.Column, y.at.Column), cmp.Compare(x.Kind, y.Kind))
	})
	return out, nil
}

// printKinks prints them for people.
func printKinks(r *result.Report, ks []*kink) {
	if ks == nil {
		return
	}
	r.Out.WriteByte('\n')
	r.Heading("kinks")
	if len(ks) == 0 {
		r.Out.WriteString("  none\n")
		return
	}
	r.Out.WriteString("\n")
	for _, k := range ks {
		times := "once"
		if k.Count > 1 {
			times = fmt.Sprintf("%d times", k.Count)
		}
		fmt.Fprintf(r.Out, "  %-7s  %-8s  %s\n", k.Pos, k.Kind, times)
	}
}
