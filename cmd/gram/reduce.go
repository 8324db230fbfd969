package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/reduction"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
)

// reduceFlags are the flags of gram reduce.
type reduceFlags struct {
	command.LoadFlags
	notation  command.Choice[bool]
	of        command.Choice[reduction.Of]
	rules     []string
	redexes   []string
	order     command.Choice[reduction.Order]
	graph     command.Choice[string]
	exact     bool
	maxSteps  command.Count
	maxSize   command.Count
	maxStates command.Count
	output    string
}

func newReduce(a *app) *cobra.Command {
	var f reduceFlags
	cmd := command.New("reduce FILE", "List the redexes of a term, make steps, or explore all reductions")
	fs := cmd.Flags()
	f.AddProgram(fs)
	f.notation.Add(cmd, "syntax", "the `notation` of FILE: gram or paper", "gram paper", false, true)
	f.of.Add(cmd, "of", "the `term`: term, reverse, value or gradient",
		"term reverse value gradient", reduction.Term, reduction.Reverse, reduction.Value, reduction.Gradient)
	fs.StringSliceVar(&f.rules, "rules", nil,
		"reduce by these `rules` only: numbers, ranges or names, like 1-8,11 or factor")
	fs.StringSliceVar(&f.redexes, "redex", nil, "make the steps of the redexes with these `numbers`, one after the other")
	f.order.Add(cmd, "order", "make steps in this `order`: none, value, need, name or random",
		"none value need name random", reduction.NoOrder, reduction.ByValue, reduction.ByNeed, reduction.ByName,
		reduction.ByRandom)
	fs.Var(&f.Seed, "seed", command.SeedUsage)
	f.SeedOrders = func() bool { return true } // check refuses it without such an order
	f.graph.Add(cmd, "graph", "explore all reductions, and print the graph in this `format`: none, dot or json",
		"none dot json", "", "dot", "json")
	fs.BoolVar(&f.exact, "exact", false, "compute with rational numbers")
	fs.BoolVar(&f.JSON, "json", false, "print a JSON object a line")
	f.maxSteps.Least = 1
	fs.Var(&f.maxSteps, "max-steps", "stop after so many steps of the calculus: a `count` like 1000 or 1e6")
	f.maxSize = command.Count{N: reduction.DefaultSize, Least: 1, Most: 1e5, Valid: true}
	fs.Var(&f.maxSize, "max-size", "stop at a term of more than so many symbols, a `count`")
	f.maxStates = command.Count{N: 10_000, Least: 1, Most: 1e7, Valid: true}
	fs.Var(&f.maxStates, "max-states", "with --graph: stop at more than so many terms, a `count`")
	addOutput(cmd, &f.output)
	f.Observe.Add(cmd)
	return a.Reads(cmd, &f.LoadFlags, f.check,
		func(ctx context.Context, path string) error { return a.rewrite(ctx, path, &f) })
}

// check reports flags that don't go together.
func (f *reduceFlags) check(cmd *cobra.Command) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	graph, paper := f.graph.Is != "", f.notation.Is
	steps := f.order.Is != reduction.NoOrder
	return cmp.Or(
		command.Misfit(graph && (given("redex") || steps || f.JSON || given("max-steps")),
			"--graph explores all reductions: it takes no --redex, --order, --json or --max-steps"),
		command.Misfit(given("max-states") && !graph, "--max-states goes with --graph"),
		command.Misfit(given("seed") && f.order.Is != reduction.ByRandom, "--seed is for --order random, and not for %s",
			&f.order),
		command.Misfit(paper && (given("param") || given("set") || given("inputs") || given("body")),
			"--param, --set, --inputs and --body are for programs, and not for --syntax paper"),
		command.Misfit(paper && (f.of.Is == reduction.Value || f.of.Is == reduction.Gradient),
			"--of %s is for programs, whose inputs have numbers, and not for --syntax paper", &f.of),
	)
}

func (a *app) rewrite(ctx context.Context, path string, f *reduceFlags) error {
	opt := reduction.ReduceOptions{Rules: reduction.AllRules(), Order: f.order.Is}
	if len(f.rules) > 0 {
		var err error
		if opt.Rules, err = reduction.ParseRules(f.rules); err != nil {
			return command.Usagef("--rules: %v", err)
		}
	}
	for _, text := range f.redexes {
		n := command.Count{Least: 1}
		if err := n.Set(text); err != nil {
			return command.Usagef("--redex %s: %v", text, err)
		}
		opt.Choices = append(opt.Choices, n.N)
	}
	meter := limits.New(ctx, f.BoundMemory())
	s, err := a.readTerm(ctx, path, f, meter)
	if err != nil {
		return reduceError(path, err)
	}
	a.Line.Close() // it would appear between the steps
	start, names, err := s.Start(f.of.Is)
	if err != nil {
		return reduceError(path, err)
	}
	if f.graph.Is != "" {
		g, err := reduction.Explore(start, opt.Rules,
			reduction.Bounds{MaxStates: int(f.maxStates.N), MaxSize: int(f.maxSize.N), Check: meter.Check})
		if err != nil {
			return reduceError(path, err)
		}
		if f.graph.Is == "dot" {
			a.Out.WriteString(g.DOT())
		} else {
			enc := json.NewEncoder(&a.Out)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(g); err != nil {
				return err
			}
		}
		return a.writeOutput(ctx, f.output)
	}
	if opt.Seed = f.Seed.N; f.order.Is == reduction.ByRandom && !f.Seed.Valid {
		opt.Seed = rand.Uint64N(1 << 32)
		fmt.Fprintf(a.Stderr, "gram: order random; --seed %d gives the same steps again\n", opt.Seed)
	}
	if f.JSON {
		opt.Format = reduction.JSON
	}
	opt.MaxSize, opt.MaxSteps, opt.Check = int(f.maxSize.N), f.maxSteps.N, meter.Check
	out, err := command.NewStream(f.output, a.Stdout)
	if err != nil {
		return err
	}
	return out.Finish(reduceError(path, reduction.Reduce(out, s, start, names, opt)))
}

// readTerm reads the term in FILE.
func (a *app) readTerm(ctx context.Context, path string, f *reduceFlags,
	meter *limits.Meter) (*reduction.Source, error) {
	var ground denote.Ground = denote.Floats{}
	if f.exact {
		ground = denote.Rationals{}
	}
	if !f.notation.Is {
		p, err := a.loadTerm(ctx, path, &f.LoadFlags)
		if err != nil {
			return nil, err
		}
		return reduction.Load(p.Source(), ground, int(f.maxSize.N))
	}
	name, _ := command.ProgramName(path)
	src, err := a.ReadProgram(ctx, path, meter)
	if err != nil {
		return nil, err
	}
	return reduction.Parse(name, src, ground, int(f.maxSize.N))
}

// reduceError describes the errors of a reduction.
func reduceError(path string, err error) error {
	name, _ := command.ProgramName(path)
	var program *syntax.Errors
	var size *reduction.SizeError
	var limit *gram.LimitError
	switch {
	case err == nil, errors.As(err, &limit):
		return err
	case errors.As(err, &program):
		return &gram.Error{Text: program.Error(), Err: err}
	case errors.As(err, &size):
		text := strings.Replace(size.Error(), " after 0 steps", "", 1)
		return &gram.Error{Text: name + ": too large to be reduced: " + text + "; --max-size raises the bound", Err: err}
	}
	return cmp.Or(command.LimitError(err, "reducing"), err)
}
