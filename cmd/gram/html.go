package main

import (
	"bytes"
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
)

// gradFlags are the flags of gram grad.
type gradFlags struct {
	runFlags
	hessianFlags
	html   string // the file of the report, or ""
	output string // the file of the result, or ""
	quiet  bool
}

func (f *gradFlags) add(cmd *cobra.Command) {
	f.runFlags.add(cmd)
	f.addGradient(cmd)
	f.hessianFlags.add(cmd)
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "print the value and the derivatives, and no cost")
	cmd.Flags().StringVar(&f.html, "html", "",
		"also write a report to `file`: a page with the gradient, the cost by rule and by\nline of the source, and "+
			"the graph")
	_ = cmd.MarkFlagFilename("html", "html")
	addResult(cmd, &f.output)
}

// check reports flags that don't go together.
func (f *gradFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"json", "repeat", "bound", "work"} {
		if f.quiet && cmd.Flags().Changed(name) {
			return command.Usagef("--quiet leaves out the cost, and --%s prints it", name)
		}
	}
	second := f.along != "" || f.hessian
	return cmp.Or(f.checkMode(), command.Misfit(f.kinks && (f.html != "" || result.IsNumbers(f.output)),
		"--kinks is printed, and written by -o as .json"),
		command.Misfit(second && f.bound,
			"--bound is for the gradient, and --along and --hessian print the cost of a product"),
		command.Misfit(second && f.html != "", "--html is a report on the gradient, without second derivatives"),
		checkResult(f.output, f.JSON),
		command.Misfit(f.quiet && f.output != "", "--quiet is for what is printed, and -o writes to a file"))
}

// writeHTML writes the report of a gradient to the open file.
func (a *app) writeHTML(ctx context.Context, file *command.OutFile, path string, p *loaded, res *gram.Result,
	f *gradFlags) error {
	r := newPage(path, p.Program, res, f)
	if err := profilePage(ctx, r, p.Program, f.options(a), f.mode.Is); err != nil {
		return err
	}
	if err := graphPage(ctx, r, p.Program, path, f); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := result.WritePage(&page, r); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return command.LimitError(err, "writing the report")
	}
	return file.Finish(page.Bytes())
}
