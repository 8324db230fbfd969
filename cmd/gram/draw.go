package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/lang/load"
)

// drawFlags are the flags of pictures.
type drawFlags struct {
	values bool
	most   command.Count
	output string
}

func (f *drawFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.BoolVar(&f.values, "values", false, "of a picture of ground, forward or bp: write at each node its value")
	f.most = command.Count{N: 80, Least: 2, Most: 1 << 20, Valid: true}
	fs.Var(&f.most, "max-drawn", "of a picture: draw at most so many operations, a `count`")
	addOutput(cmd, &f.output)
}

// check reports flags that don't go with the format or the stage.
func (f *drawFlags) check(cmd *cobra.Command, s *stageInfo, format string) error {
	drawn := format == "dot" || format == "svg"
	switch {
	case f.values && !drawn:
		return command.Usagef("--values is for a picture, and --format %s is none", format)
	case f.values && !s.values:
		return command.Usagef("--values: the picture of the stage %s has none", s.name)
	case cmd.Flags().Changed("max-drawn") && !drawn:
		return command.Usagef("--max-drawn is for a picture, and --format %s is none", format)
	}
	for _, name := range []string{"max-steps", "max-nodes"} {
		if cmd.Flags().Changed(name) && !s.graph {
			return command.Usagef("--%s is for a run, and for the stage %s there is none", name, s.name)
		}
	}
	return nil
}

// pictureFormat is the format of a picture that is not in DOT if svg is set.
func pictureFormat(svg bool) show.Format {
	if svg {
		return show.SVG
	}
	return show.DOT
}

// warnLeftOut prints how many parts of a picture are left out.
func (a *app) warnLeftOut(left int, most uint64) {
	if left > 0 {
		fmt.Fprintf(a.Stderr, "gram: %s of its parts are left out of the picture; --max-drawn %d draws more\n",
			load.Grouped(uint64(left)), 2*most)
	}
}
