package benchmark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/rivals"
	"github.com/gram-machine/gram/cmd/internal/command"
)

// rivals prints the steps of the machine and of its rivals. With --page it writes the page of the repository.
func (a *app) rivals(ctx context.Context, f *benchFlags) error {
	a.Accepted = true
	if err := f.checkRoot(); err != nil {
		return err
	}
	report, err := a.measureRivals(ctx, f)
	if err != nil {
		return err
	}
	if f.repository != "" {
		if err := writeRivals(f.repository, report); err != nil {
			return err
		}
	}
	if f.json {
		text, err := rivals.JSON(report)
		a.Out.Write(text)
		return err
	}
	text, err := rivals.Text(report)
	a.Out.WriteString(text)
	if f.repository != "" {
		fmt.Fprintf(&a.Out, "\nwritten to %s\n", filepath.Join(f.repository, filepath.FromSlash(rivals.PageFile)))
	}
	return err
}

// measureRivals measures the rivals, or with --render reads the report of the repository.
func (a *app) measureRivals(ctx context.Context, f *benchFlags) (*rivals.Report, error) {
	if f.render {
		text, err := os.ReadFile(filepath.Join(f.repository, filepath.FromSlash(rivals.ReportFile)))
		if err != nil {
			return nil, err
		}
		report := &rivals.Report{}
		return report, json.Unmarshal(text, report)
	}
	o, err := f.observe.Start(ctx)
	if err != nil {
		return nil, err
	}
	scale := rivals.Full
	if f.quick {
		scale = rivals.Quick
	}
	bar, families, done := a.NewLine(true), rivals.Families(), 0
	report, err := rivals.Measure(ctx, families, scale, func(i int, of *bench.Family) {
		done = i
		bar.Show(i, len(families), "rivals: "+of.Name, "rivals, "+of.Name)
	})
	bar.Close()
	if err = o.End(err); err != nil && ctx.Err() != nil {
		return nil, &gram.LimitError{Limit: "interrupt", Err: ctx.Err(),
			Phase: fmt.Sprintf("measuring; %d of %d families are done, and none is kept", done, len(families))}
	}
	return report, err
}

// writeRivals writes the report and its page into the repository.
func writeRivals(root string, report *rivals.Report) error {
	data, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return err
	}
	text, err := rivals.Page(report)
	if err != nil {
		return err
	}
	page := filepath.Join(root, filepath.FromSlash(rivals.PageFile))
	file := filepath.Join(root, filepath.FromSlash(rivals.ReportFile))
	return errors.Join(command.WriteFile(file, append(data, '\n')), command.WriteFile(page, text))
}
