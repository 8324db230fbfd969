package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/internal/notation"
)

func newGrad(a *app) *cobra.Command {
	var f gradFlags
	cmd := &cobra.Command{
		Use:   "grad FILE",
		Short: "Print the value and gradient of a program, and what they cost",
		Long: `Grad reduces the reverse transformation of a program at the point that its inputs
name. For a body of type R it prints the value and the gradient with respect to the
inputs, for a body of type R^k the value and the Jacobian: k backward phases over
one primal phase. Each derivative has the shape of its input; an input that the
body doesn't use has derivative 0. FILE - is standard input.

For people it shows large vectors and matrices in part, with their Euclidean norm,
and then the cost: steps of the calculus by rule, work that is no step (overhead),
nodes and memory, and times. With --json, everything is printed whole: "gradient"
or "jacobian" is an object of the inputs in order, each with its numbers in nested
arrays, a list of k of them for a Jacobian; NaN and infinities are the strings
"NaN", "+Inf" and "-Inf". -o writes that to a file, or the numbers alone, as .npz, .csv
or .parquet, with the names value and, of an input E, gradient.E or jacobian.E.

Steps are those of the paper and don't depend on the machine, on --schedule or on
--seed. Times do: --repeat reports the best and the median of several runs.

The engine makes several steps at once and counts them. On the machine of --literal each
step fires by itself: a rewrite that reaches a bounded number of nodes, which --work reports.

--strategy says when the program t is differentiated (6.2 and 7 of the paper). direct
reduces D(t) as it is. unfold first reduces t to its graph G, its inputs left open,
and then D(G). modular first normalises the functions of D(t) whose free variables
are inputs or such functions, once, before anything copies them; lists, numerals and
data stay folded, and a function that takes more than 64 times its size in steps
stays as it was ("normalised" in the cost). The steps of all this are counted.

What modular makes of a function is kept in a cache, by what the function is up to the
names of variables: one that the process has met before, in whatever program, is not
transformed and normalised again. Results, steps and messages don't depend on it. "cache"
in the cost has the functions found ("hits") and made ("misses"), and the symbols of D(t)
in those found ("reused") and elsewhere ("rebuilt").

--mode forward and --mode tape are what the calculus is measured against: the
program is reduced to its computational graph G, once, as gram show --stage ground
prints it, and numbers are passed over that. Forward mode takes a pass for each
scalar input, the tape one pass forward and one back for each output. Their cost is
inputs, nodes of G, seconds ("compile" is all work up to G, "reduce" the passes)
and operations: evaluations of symbols, products and additions of numbers. Limits,
--schedule and --seed are for the reduction to G; a program that branches on its
inputs takes the branches of its point.

--along prints the product of the Hessian with a vector, "hessianVector" in JSON. Its file is a
JSON object of the shape of "gradient"; inputs that are not in it have the vector 0. --hessian
prints the Hessian, "hessian": by input a, by input b, numbers nested as those of a, each with
the shape of b. It takes a product for each scalar input. The cost is that of a product.

--kinks prints where the derivative of this run is a choice, and how often: relu, abs, sign,
step, sqrt and pow at 0, floor at a whole number, min and max of equal numbers, and an if
that compares equal numbers, all of numbers that depend on inputs. The program is reduced
once more for it, with its inputs left open. Elsewhere the gradient is the derivative.

--quiet prints the value and the derivatives alone.

--html writes a report besides: one page of HTML, whole or not at all, that loads nothing.
It has the gradient as bars and heat maps, the steps by rule, the costs, the source with
the steps and nodes of each line, and the graph G if it has at most 60 operations. Steps
by line are of a second run, with a profile; the times are those of the first.`,
		Annotations: command.More(command.LimitsHelp, command.StatusHelp),
		Example: `  gram grad rnn.gram
  gram grad rnn.gram --quiet
  gram grad rnn.gram --param n=1e6 --repeat 10
  gram grad rnn.gram --set E=@e.csv --finite
  gram grad rnn.gram --schedule random --seed 7
  gram grad rnn.gram --strategy modular --cache-size 16MiB
  gram grad rnn.gram --literal --work
  gram grad rnn.gram --mode tape
  gram grad rnn.gram --along v.json
  gram grad rnn.gram --html report.html
  gram grad rnn.gram -o gradient.npz
  gram grad rnn.gram --json | jq .gradient.eps`,
	}
	f.add(cmd)
	return a.reads(cmd, &f.loadFlags, f.check, func(ctx context.Context, path string) (err error) {
		var page *command.OutFile
		if f.html != "" {
			if page, err = command.CreateFile(f.html); err != nil {
				return err
			}
			defer page.Discard()
			f.whole = true
		}
		res, p, err := a.reduce(ctx, path, &f.runFlags, true)
		if err != nil {
			return err
		}
		more, err := a.second(ctx, p, &f)
		if err != nil {
			return err
		}
		kinks, err := a.kinks(ctx, p, &f)
		if err != nil {
			return err
		}
		if more != nil {
			seconds := res.Cost.Seconds
			res.Cost = more.cost
			res.Cost.Seconds.Load = seconds.Load
		}
		if page != nil {
			if err := a.writeHTML(ctx, page, path, p, res, &f); err != nil {
				return err
			}
		}
		d := p.Derivatives(res.Values, res.Jacobian)
		switch {
		case result.IsNumbers(f.output):
			values := []result.Named{result.Numbers("", gram.Input{Name: "value", Shape: p.Shape(), Values: res.Values})}
			for _, in := range d {
				values = append(values, result.Numbers(derivativeName(p.Program)+".", in))
			}
			return a.writeResult(ctx, f.output, append(values, more.numbers(p.Program)...))
		case f.json || f.output != "":
			a.gradJSON(p.Program, res, d, more, kinks, &f.runFlags)
		default:
			r := a.report()
			r.Gradient(p.Program, res, d)
			more.text(r, p.Program)
			printKinks(r, kinks)
			if !f.quiet {
				r.Cost(&res.Cost, f.run())
			}
		}
		return a.writeOutput(ctx, f.output)
	})
}

// derivativeName is what a derivative of a program is called in results.
func derivativeName(p *gram.Program) string {
	if result.IsJacobian(p) {
		return "jacobian"
	}
	return "gradient"
}

func (a *app) gradJSON(p *gram.Program, res *gram.Result, ds []gram.Input, more *second, kinks []kink, f *runFlags) {
	o := result.Begin(&a.Out, "")
	o.Field("version", command.BuildInfo().Version)
	o.Value("value", notation.Flat{Values: res.Values}, p.Shape())
	o.Object(derivativeName(p)).Inputs(ds)
	more.json(o, p)
	if kinks != nil {
		o.Field("kinks", kinks)
	}
	o.Field("strategy", f.strategy.String())
	o.Cost(&res.Cost, f.mode.Is)
	o.End()
	a.Out.WriteByte('\n')
}
