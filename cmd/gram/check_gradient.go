package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/lang/load"
)

func newCheckGradient(a *app) *cobra.Command {
	var f command.LoadFlags
	cmd := &cobra.Command{
		Use:         "check-gradient FILE",
		Short:       "Compare a gradient with forward mode and with differences",
		Annotations: command.More(command.LimitsHelp, command.StatusHelp),
	}
	f.Add(cmd.Flags())
	f.AddSeed(cmd.Flags())
	return a.Reads(cmd, &f, nil, func(ctx context.Context, path string) error {
		p, err := a.load(ctx, path, &f)
		if err != nil {
			return err
		}
		all, err := checkDerivatives(ctx, p.Program)
		if err != nil {
			return err
		}
		counts := map[string]int{"ok": 0, "kink": 0, "unsure": 0, "wrong": 0}
		for _, d := range all {
			counts[d.Verdict]++
		}
		a.Incomplete = counts["wrong"] > 0
		if f.JSON {
			o := result.Begin(&a.Out, "")
			o.Field("version", command.BuildInfo().Version)
			o.Field("counts", counts)
			o.Field("derivatives", all)
			o.End()
			a.Out.WriteByte('\n')
			return nil
		}
		a.derivatives(p.Program, all, counts)
		return nil
	})
}

// derivatives prints the derivatives that are not ok, or else those with the largest differences.
func (a *app) derivatives(p *gram.Program, all []derivative, counts map[string]int) {
	r := result.NewReport(a.App)
	r.Heading("checked")
	fmt.Fprintf(r.Out, "  %s", load.Counted(len(all), "derivative"))
	for _, verdict := range []string{"ok", "kink", "unsure", "wrong"} {
		if counts[verdict] > 0 {
			fmt.Fprintf(r.Out, ", %d %s", counts[verdict], verdict)
		}
	}
	r.Out.WriteString("\n\n")
	rank := func(d derivative) int {
		return slices.Index([]string{"wrong", "unsure", "kink", "ok"}, d.Verdict)
	}
	sorted := slices.SortedStableFunc(slices.Values(all), func(d, e derivative) int {
		return cmp.Or(cmp.Compare(rank(d), rank(e)), cmp.Compare(e.Off, d.Off))
	})
	const shown = 12
	t := result.NewTable("", "input", "gradient", "forward mode", "difference", "verdict")
	for _, d := range sorted[:min(shown, len(sorted))] {
		name := d.Input
		if result.IsJacobian(p) {
			name = fmt.Sprintf("output %d, %s", d.Output, name)
		}
		number := func(x load.JSONNumber) string { return string(load.AppendNumber(nil, float64(x))) }
		t.AppendRow(table.Row{"", name, number(d.Gradient), number(d.Forward), number(d.Difference), d.Verdict})
	}
	r.Out.WriteString(t.Render())
	if more := len(sorted) - shown; more > 0 {
		fmt.Fprintf(r.Out, "\n  and %d more, which are %s", more, sorted[shown].Verdict)
		if sorted[len(sorted)-1].Verdict != sorted[shown].Verdict {
			r.Out.WriteString(" or better")
		}
	}
	r.Out.WriteByte('\n')
}
