package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/fault"
	"github.com/gram-machine/gram/cmd/internal/outfile"
)

func newMan(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:         "man -o DIR",
		Short:       "Write the manual pages",
		Long:        "Man writes a manual page for each command into a folder: gram.1, gram-grad.1 and so on,\nwith the text of gram help.",
		Annotations: more(statusHelp),
		Example:     "  gram man -o ~/.local/share/man/man1\n  man gram-grad",
		Args: func(_ *cobra.Command, args []string) error {
			return fault.Misfit(len(args) > 0, "gram man takes no arguments; -o names the folder")
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write the pages into the folder `DIR`")
	_ = cmd.MarkFlagDirname("output")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if dir == "" {
			return fault.Usagef("-o is missing: the folder that the pages are written to")
		}
		a.accepted = true
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return outfile.Error(dir, err)
		}
		pages := manPages(cmd.Root())
		for _, p := range pages {
			path := filepath.Join(dir, p.name)
			if err := outfile.Write(path, p.text); err != nil {
				return err
			}
		}
		fmt.Fprintf(&a.out, "wrote %d pages into %s\n", len(pages), dir)
		return nil
	}
	return cmd
}

// manPage is a manual page in the language of troff.
type manPage struct {
	name string
	text []byte
}

// manPages returns the pages of a command and of those below it.
func manPages(cmd *cobra.Command) []manPage {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	pages := []manPage{{name + ".1", manText(cmd, name)}}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			pages = append(pages, manPages(c)...)
		}
	}
	return pages
}

// manText writes the page of a command. Texts stand as gram help prints them.
func manText(cmd *cobra.Command, name string) []byte {
	var b bytes.Buffer
	section := func(title, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", strings.ToUpper(title), troff(text))
		}
	}
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"gram %s\" \"gram\"\n", strings.ToUpper(troff(name)), troff(buildInfo().Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", troff(name), troff(cmd.Short))
	section("Synopsis", cmd.UseLine())
	section("Description", cmd.Long)
	var commands strings.Builder
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(&commands, "%-14s  %s\n", c.Name(), c.Short)
		}
	}
	section("Commands", commands.String())
	cmd.InitDefaultHelpFlag()
	if cmd.LocalFlags().HasAvailableFlags() {
		section("Options", flagUsages(cmd.LocalFlags()))
	}
	section("Examples", cmd.Example)
	section("Notes", cmd.Annotations["more"])
	return b.Bytes()
}

// troff writes a text so that troff prints it as it is.
func troff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
