package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/examples"
	"github.com/gram-machine/gram/lang/syntax"
)

// exampleWidth is the width of the list of examples.
const exampleWidth = 100

func newExample(a *app) *cobra.Command {
	var dir string
	cmd := command.New("example [NAME]", "List the example programs, or print or write one")
	cmd.Args = func(_ *cobra.Command, args []string) error {
		return command.Misfit(len(args) > 1, "example takes one NAME, not %d: %s", len(args), strings.Join(args, " "))
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return exampleNames(), cobra.ShellCompDirectiveNoFileComp
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write the program and its data into the folder `DIR`")
	_ = cmd.MarkFlagDirname("output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		toFolder := cmd.Flags().Changed("output")
		if len(args) == 0 {
			a.listExamples()
			return command.Misfit(toFolder, "--output writes an example: it takes a NAME")
		}
		src, err := examples.Files.ReadFile(args[0] + ".gram")
		switch {
		case err != nil:
			if near := syntax.Suggest(args[0], exampleNames()); near != "" {
				return command.Usagef("there is no example %s; did you mean %s?", args[0], near)
			}
			return command.Usagef("there is no example %s; gram example lists them", args[0])
		case toFolder && dir == "":
			return command.Usagef("the name of the folder for --output is empty")
		}
		a.Accepted = true
		if !toFolder {
			a.Out.Write(src)
			return nil
		}
		return a.writeExample(cmd.Context(), args[0]+".gram", src, dir)
	}
	return cmd
}

// exampleNames returns the names of the example programs.
func exampleNames() []string {
	paths, _ := fs.Glob(examples.Files, "*.gram")
	return syntax.Each(len(paths), func(i int) string { return strings.TrimSuffix(paths[i], ".gram") })
}

// listExamples prints the examples, each with the first sentence of its comment.
func (a *app) listExamples() {
	names := exampleNames()
	width := len(slices.MaxFunc(names, func(a, b string) int { return len(a) - len(b) }))
	for _, name := range names {
		src, _ := examples.Files.ReadFile(name + ".gram")
		sentence, _, _ := strings.Cut(strings.TrimSuffix(command.About(src), "."), ". ")
		line := fmt.Sprintf("%-*s ", width, name)
		for word := range strings.FieldsSeq(sentence + ".") {
			if utf8.RuneCountInString(line+word) >= exampleWidth {
				a.Out.WriteString(line + "\n")
				line = strings.Repeat(" ", width+1)
			}
			line += " " + word
		}
		a.Out.WriteString(line + "\n")
	}
}

// writeExample writes a program, and the data that it names, into the folder dir.
func (a *app) writeExample(ctx context.Context, name string, src []byte, dir string) error {
	f, _, err := syntax.Parse(name, src, syntax.Options{Guard: syntax.Guard{Check: ctx.Err}})
	if err != nil {
		return err
	}
	files := []show.File{{Name: name, Text: src}}
	for e := syntax.Expr(1); int(e) < f.NumExprs(); e++ {
		n := f.Expr(e)
		if n.Kind != syntax.FileExpr ||
			slices.ContainsFunc(files, func(f show.File) bool { return f.Name == n.Words[0].Text }) {
			continue
		}
		text, err := examples.Files.ReadFile(n.Words[0].Text)
		if err != nil {
			return err
		}
		files = append(files, show.File{Name: n.Words[0].Text, Text: text})
	}
	for _, file := range files {
		place := filepath.Join(dir, file.Name)
		there, err := os.ReadFile(place)
		switch {
		case err == nil && !bytes.Equal(there, file.Text):
			return fmt.Errorf("%s: there is a file of this name already", place)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return command.FileError(place, err)
		}
	}
	return a.writeFolder(dir, files)
}
