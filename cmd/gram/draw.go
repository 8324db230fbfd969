package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/internal/notation"
)

// drawFlags are the flags of pictures.
type drawFlags struct {
	values bool
	most   count
	output string
}

func (f *drawFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.BoolVar(&f.values, "values", false, "of a picture of ground, forward or bp: write at each node its value")
	f.most = count{n: 80, least: 2, most: 1 << 20, set: true}
	fs.Var(&f.most, "max-drawn", "of a picture: draw at most so many operations, a `count`")
	addOutput(cmd, &f.output)
}

// check reports flags that don't go with the format or the stage.
func (f *drawFlags) check(cmd *cobra.Command, s *stageInfo, format string) error {
	drawn := format == "dot" || format == "svg"
	switch {
	case f.values && !drawn:
		return usagef("--values is of a picture, and --format %s is none", format)
	case f.values && !s.values:
		return usagef("--values: the picture of the stage %s has none", s.name)
	case cmd.Flags().Changed("max-drawn") && !drawn:
		return usagef("--max-drawn is of a picture, and --format %s is none", format)
	}
	for _, name := range []string{"max-steps", "max-nodes"} {
		if cmd.Flags().Changed(name) && !s.graph {
			return usagef("--%s is of a run, and for the stage %s there is none", name, s.name)
		}
	}
	return nil
}

// finishPicture lays the picture out if svg is set, and prints how many of its parts are left out.
func (a *app) finishPicture(ctx context.Context, svg bool, left int, most uint64) error {
	if svg {
		if err := a.layOut(ctx); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintf(a.stderr, "gram: %s of its parts are left out of the picture; --max-drawn %d draws more\n", notation.Grouped(uint64(left)), 2*most)
	}
	return nil
}

// layOut replaces the answer, a graph in DOT, by its picture in SVG, which Graphviz makes.
func (a *app) layOut(ctx context.Context) error {
	path, err := exec.LookPath("dot")
	if err != nil {
		return errors.New("the program dot of Graphviz is not found: install the package graphviz, or use --format dot")
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "-Tsvg")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(a.out.Bytes()), &out, &complaint
	if err := cmd.Run(); err != nil {
		if limit := contextLimit(ctx.Err(), "drawing"); limit != nil {
			return limit
		}
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return fmt.Errorf("%s -Tsvg: %v: %s", path, err, first)
	}
	a.out = out
	return nil
}
