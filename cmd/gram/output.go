package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/fault"
	"github.com/gram-machine/gram/cmd/internal/outfile"
	"github.com/gram-machine/gram/cmd/internal/result"
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
			return fault.Usagef("--%s takes the name of a file", name)
		case sameFile(path, program):
			return fault.Usagef("--%s %s would overwrite the program", name, path)
		case named[place]:
			return fault.Usagef("%s is to be two files at once", path)
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

// checkInputsFile reports a file for inputs with a name that does not tell its format.
func checkInputsFile(path string) error {
	switch filepath.Ext(path) {
	case ".json", ".npz":
		return nil
	}
	return fault.Misfit(path != "", "-o %s: inputs are written to a file whose name ends in .json or .npz", path)
}

// addResult adds the flag for a file with the numbers of a result.
func addResult(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "output", "o", "", "write the result to a `file` instead of standard output, by the end of its name:\n.json, as --json prints it; or its numbers as .npz, .csv or .parquet")
}

// checkResult reports a file for a result with a name that does not tell its format, or one that is not JSON beside --json.
func checkResult(path string, json bool) error {
	return cmp.Or(
		fault.Misfit(path != "" && !result.IsNumbers(path) && filepath.Ext(path) != ".json", "-o %s: the name of the file must end in .json, .npz, .csv or .parquet", path),
		fault.Misfit(result.IsNumbers(path) && json, "--json prints JSON, and -o %s has the numbers alone", path),
	)
}

// writeResult writes the numbers of a result to a file.
func (a *app) writeResult(ctx context.Context, path string, values []result.Named) error {
	if err := result.WriteNumbers(&a.out, path, values); err != nil {
		a.out.Reset()
		return outfile.Error(path, err)
	}
	return a.writeOutput(ctx, path)
}
