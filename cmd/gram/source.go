package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/internal/bridge"
)

// loaded is a program that is ready to be run.
type loaded struct {
	*gram.Program
	bridge.Inside
	reading time.Duration // that reading the file took
}

// load reads the program that the command line names, and types and elaborates it.
func (a *app) load(ctx context.Context, path string, f *command.LoadFlags) (*loaded, error) {
	start := time.Now()
	name, src, opt, err := a.Read(ctx, path, f)
	if err != nil {
		return nil, err
	}
	reading := time.Since(start)
	p, err := gram.Load(ctx, name, src, opt)
	if err != nil {
		return nil, err
	}
	if orders := f.SeedOrders != nil && f.SeedOrders(); f.Seed.Valid && !orders && !bridge.Of(p).Random() {
		return nil, command.Usagef("--seed is for random default values, of which the program takes none%s",
			map[bool]string{true: ", and for --schedule random"}[f.SeedOrders != nil])
	}
	for _, note := range bridge.Of(p).Source().Notes() {
		if f.TellsSkipped && !strings.Contains(note, " leave out ") {
			continue
		}
		fmt.Fprintf(a.Stderr, "gram: note: %s\n", note)
	}
	return &loaded{p, bridge.Of(p), reading}, nil
}

// loadTerm is load for commands that need the program's term.
func (a *app) loadTerm(ctx context.Context, path string, f *command.LoadFlags) (*loaded, error) {
	p, err := a.load(ctx, path, f)
	if err == nil {
		err = p.Expand(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}
