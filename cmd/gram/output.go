package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/outfile"
)

// outputFlags are the flags that name a file to be written.
var outputFlags = []string{"output", "html", "export", "checkpoint", "cpuprofile", "memprofile", "trace"}

// checkOutputs reports an output file without a name, one that two flags name, and one that
// is the program. program is "" if there is none.
func checkOutputs(cmd *cobra.Command, program string) error {
	named := map[string]bool{}
	for _, name := range outputFlags {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		path := f.Value.String()
		place := filepath.Clean(path)
		switch {
		case path == "" || path == "-":
			return usagef("--%s takes the name of a file", name)
		case sameFile(path, program):
			return usagef("--%s %s would overwrite the program", name, path)
		case named[place]:
			return usagef("%s is to be two files at once", path)
		}
		named[place] = true
	}
	return nil
}

// sameFile reports whether two paths lead to the same regular file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

func addOutput(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "", "write the result to a `file`, whole or not at all, instead of standard output")
}

// writeOutput writes the answer to a file, if one is named, instead of standard output.
func (a *app) writeOutput(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return &gram.LimitError{Limit: "interrupt", Phase: "printing", Err: err}
	}
	defer a.out.Reset()
	return outfile.Write(path, a.out.Bytes())
}
