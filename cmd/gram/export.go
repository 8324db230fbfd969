package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/show"
)

func newExport(a *app) *cobra.Command {
	var f struct {
		command.LoadFlags
		lang      command.Choice[string]
		name, dir string
	}
	cmd := command.New("export FILE --lang LANGUAGE -o DIR",
		"Write a program's value and gradient as source in Go or C", command.LimitsHelp)
	fs := cmd.Flags()
	f.AddProgram(fs)
	f.lang.Add(cmd, "lang", "the `language`: go or c", "go c", "go", "c")
	fs.StringVar(&f.name, "name", "", "the `name` of the package, and of its files; else that of FILE")
	fs.StringVarP(&f.dir, "output", "o", "", "write the files into the folder `DIR`, which is made")
	_ = cmd.MarkFlagDirname("output")
	check := func(cmd *cobra.Command) error {
		switch {
		case f.lang.Is == "":
			return command.Usagef("--lang is missing: go or c")
		case f.dir == "":
			return command.Usagef("-o is missing: the folder for the files")
		case f.name != "" && f.name != identifier(f.name):
			return command.Usagef("--name %s: a name has small letters, digits and _, and begins with a letter", f.name)
		}
		return nil
	}
	return a.Reads(cmd, &f.LoadFlags, check, func(ctx context.Context, path string) error {
		p, err := a.load(ctx, path, &f.LoadFlags)
		if err != nil {
			return err
		}
		source, _ := command.ProgramName(path)
		source = filepath.Base(source)
		name := cmp.Or(f.name, identifier(strings.TrimSuffix(source, filepath.Ext(source))))
		meter := p.Meter(ctx)
		meter.Begin("compile")
		export := show.Export{Package: name, Source: source, Term: p.Source().Written(), Inputs: p.ScalarInputs(),
			Names: p.Source().ScalarNames(), Point: p.Point(), Gradient: p.Differentiable() == nil,
			Check: meter.During("compile")}
		files, err := export.Write(f.lang.Is)
		if err != nil {
			return p.Locate(err, "compiling")
		}
		return a.writeFolder(f.dir, files)
	})
}

// identifier is the name of a package: small letters, digits and _, and a letter before all.
func identifier(name string) string {
	name = strings.Map(func(r rune) rune {
		switch r = unicode.ToLower(r); {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] < 'a' {
		name = "p" + name
	}
	return name
}

// writeFolder writes files into a folder, which it makes, and prints their names.
func (a *app) writeFolder(dir string, files []show.File) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return command.WriteError(dir, err)
	}
	for _, file := range files {
		place := filepath.Join(dir, file.Name)
		if err := command.WriteFile(place, file.Text); err != nil {
			return err
		}
		fmt.Fprintf(&a.Out, "wrote %s\n", place)
	}
	return nil
}
