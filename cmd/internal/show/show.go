// Package show prints and draws what becomes of a program on its way through the machine. Pictures are in DOT, the
// language of Graphviz, and in SVG, laid out by [Place], both written from one figure of nodes and links:
// [Computation] is a computational graph, as in Figure 1 of the paper, with its backward part, as in Figure 3, or with
// its tangents, and [Heap] what lies in the arena of the literal machine.
//
// In a computational graph a node is a circle and a hyperedge a shape that points to its target, with its symbol
// inside: a triangle, or an arrow where the symbol is long. Values are blue, the backward phase red and tangents green,
// in the paper's hues. Inputs are filled, outputs have a double line. Of a large graph the first and the last
// operations are drawn, and one node between them says how many are left out.
//
// # Layers
//
// [Place] places the nodes of a directed graph in layers, so that its edges run from the earlier layers to the later
// ones: the method of Sugiyama, Tagawa and Toda (1981). The graph is meant to be acyclic; of others some edges run
// back. It goes through these steps, each near-linear in nodes and edges:
//
//	acyclic     loops and duplicates are removed, and the back edges of a depth-first
//	            search are reversed
//	layers      the layer of a node is the length of the longest path to it; a node with
//	            more readers than operands moves towards its readers
//	components  each connected component is laid out separately. A link over several
//	            layers gets a bend in each layer between. Links from one node share bends.
//	            Bends are bounded by the size of the graph, and the longest links have none
//	untangle    crossings are reduced by barycentre sweeps, for a bounded time
//	align       coordinates within a layer: weighted medians of the neighbours, as far as
//	            there is room, for a fixed number of passes; long chains and long links
//	            weigh most, and keep straight
//	pack        the components are put in rows, about as wide as a screen
//
// Nothing recurses and nothing is random: equal graphs get equal layouts.
//
// [Curve] draws an edge between two boxes that have been placed.
package show

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Program is a program of which stages are shown. Those that it has only when its inputs are left open are made by a
// run with these limits; where it branches on its inputs they take the branches of the point.
type Program struct {
	*gram.Program
	bridge.Inside
	MaxSteps, MaxNodes uint64 // 0: none
}

// open reduces the program with its inputs left open. The caller closes the machine.
func (p *Program) open(ctx context.Context) (*machine.Machine, error) {
	return p.Graph(ctx, gram.EvalOptions{MaxSteps: p.MaxSteps, MaxNodes: p.MaxNodes})
}

// maxOperations bounds the operations of a graph that is printed as a term. A variable and a let for each take some
// hundred bytes.
const maxOperations = 1 << 20

// ground makes the stage Ground, and counts its operations. It makes none if they are more than most.
func (p *Program) ground(ctx context.Context, meter *limits.Meter, most int,
	name func(term.Pos) string) (st *stage.Stage, operations int, err error) {
	m, err := p.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer m.Close()
	operations = m.Made()
	if operations <= most {
		st, err = stage.NewGround(p.Source(), m, name, meter.During("print"))
	}
	return st, operations, err
}

// stage makes a stage. name, if not nil, names the operations of the graph.
func (p *Program) stage(ctx context.Context, meter *limits.Meter, kind stage.Kind,
	name func(term.Pos) string) (*stage.Stage, error) {
	st := &stage.Stage{Kind: kind, Source: p.Source(), Term: p.Term(), Inputs: p.ScalarInputs()}
	check := meter.During("print")
	var err error
	switch kind {
	case stage.Source:
		return st, nil
	case stage.Reverse:
		st.Term, err = revgrad.Reverse(st.Term, check)
		return st, p.Locate(err, "differentiating")
	case stage.Normal:
		st.Term, err = p.Normal(ctx, gram.EvalOptions{MaxSteps: p.MaxSteps, MaxNodes: p.MaxNodes})
		return st, err
	case stage.BP:
		if err := stage.CheckBP(p.Source()); err != nil {
			return nil, p.Locate(err, "differentiating")
		}
	}
	st, n, err := p.ground(ctx, meter, maxOperations, name)
	switch {
	case err != nil:
		return nil, p.Locate(err, "printing")
	case n > maxOperations:
		return nil, p.Locate(&stage.Error{Pos: p.Source().BodyPos(), Headline: "the graph is too large to be printed",
			Label: "it has " + load.Counted(n, "operation") + "; at most " + load.Grouped(maxOperations) +
				" are printed. Take smaller params"}, "printing")
	case kind == stage.Forward:
		st, err = st.Forward(check)
	case kind == stage.BP:
		st, err = st.BP(check)
	}
	return st, p.Locate(err, "differentiating")
}

// Text prints a stage as a program of the language. The error is a [*gram.Error] for a stage that
// the program doesn't have, or a [*gram.LimitError].
func (p *Program) Text(ctx context.Context, w io.Writer, kind stage.Kind) error {
	return p.write(ctx, w, "printing", func(meter *limits.Meter, text io.Writer) error {
		st, err := p.stage(ctx, meter, kind, nil)
		if err != nil {
			return err
		}
		return st.Write(text, meter.During("print"), meter.Reserve)
	})
}

// LaTeX prints the term of a stage in the notation of the paper: see [unparse.LaTeX]. Inputs are
// its free variables. The error is that of [Program.Text].
func (p *Program) LaTeX(ctx context.Context, w io.Writer, kind stage.Kind) error {
	return p.write(ctx, w, "printing", func(meter *limits.Meter, text io.Writer) error {
		st, err := p.stage(ctx, meter, kind, nil)
		if err != nil {
			return err
		}
		return unparse.LaTeX(text, st.Term, meter.During("print"))
	})
}

// Code prints the code that the compiler makes of the program, before and behind each pass, and how its loops run: that
// of its value, and, if it has one, that of its gradient.
func (p *Program) Code(ctx context.Context, w io.Writer) error {
	return p.write(ctx, w, "printing", func(meter *limits.Meter, text io.Writer) error {
		place := func(in *ir.Instr) string { return p.Source().Place(in.Pos) }
		for i, what := range []string{"value", "gradient"} {
			if i == 1 && p.Differentiable() != nil {
				break
			}
			opt := lower.Options{Inputs: p.ScalarInputs(), Gradient: i == 1, Check: meter.During("compile"),
				After: func(code *ir.Program, pass string) error {
					if _, err := fmt.Fprintf(text, "%s, behind the pass %s:\n", what, pass); err != nil {
						return err
					}
					return code.Dump(text, place)
				}}
			code, err := lower.Program(p.Source().Written(), opt)
			if err != nil {
				return p.Locate(err, "compiling")
			}
			var loops strings.Builder
			if err := code.Loops(&loops, place); err != nil {
				return err
			}
			if loops.Len() > 0 {
				if _, err := fmt.Fprintf(text, "%s, how its loops run:\n%s", what, loops.String()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Memory prints the memory of the literal machine when the program has been reduced with its inputs left open: the
// nodes that the roots of [Heap] reach, a line each in the order of their numbers: the number, what the node is, and
// the nodes that it refers to. The result is marked with a star.
func (p *Program) Memory(ctx context.Context, w io.Writer) error {
	return p.write(ctx, w, "printing", func(meter *limits.Meter, text io.Writer) error {
		m, err := p.open(ctx)
		if err != nil {
			return err
		}
		defer m.Close()
		var line []byte
		v, check := newHeapView(m.Heap(), p.Source().ScalarNames()), meter.During("print")
		for i, r := range slices.Sorted(slices.Values(v.reached())) {
			if i%(1<<14) == 0 {
				if err := check(); err != nil {
					return err
				}
			}
			mark, b := " ", v.cell(r)
			if b.root {
				mark = "*"
			}
			line = fmt.Append(line[:0], mark, b.text)
			for _, to := range b.refs {
				line = fmt.Appendf(line, " %d", to)
			}
			if _, err := text.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// DrawMemory draws what [Program.Memory] prints, and returns how many nodes it leaves out: it draws at most so many,
// and all if that is 0.
func (p *Program) DrawMemory(ctx context.Context, w io.Writer, most int, as Format) (left int, err error) {
	err = p.write(ctx, w, "drawing", func(_ *limits.Meter, text io.Writer) error {
		m, err := p.open(ctx)
		if err != nil {
			return err
		}
		defer m.Close()
		left, err = Heap(text, m.Heap(), p.Source().ScalarNames(), most, as)
		return err
	})
	return left, err
}

// write writes what text does, whole or not at all.
func (p *Program) write(ctx context.Context, w io.Writer, phase string,
	text func(*limits.Meter, io.Writer) error) error {
	meter := p.Meter(ctx)
	out := meter.NewBuffer()
	if err := text(meter, out); err != nil {
		return p.Locate(err, phase)
	}
	_, err := out.WriteTo(w)
	return err
}

// Draw draws the computational graph G of Figure 1 (Ground), Fwd(G), with its tangents in green, or bp(G) of Figure 3,
// with its backward part in red. It returns how many operations it leaves out: it draws at most so many, and all if
// that is 0. values writes at each node its value at the point. The error is that of [Program.Text].
func (p *Program) Draw(ctx context.Context, w io.Writer, kind stage.Kind, most int, values bool,
	as Format) (left int, err error) {
	err = p.write(ctx, w, "drawing", func(meter *limits.Meter, text io.Writer) error {
		st, err := p.stage(ctx, meter, kind, p.sourceNames())
		if err != nil {
			return err
		}
		c, err := newComputation(st, p.Point(), most, values, meter.During("print"))
		if err != nil {
			return err
		}
		left, err = c.Draw(text, as)
		return err
	})
	return left, err
}

// SVG draws the computational graph G in SVG for a page, whose CSS variables are its colours: see
// [Computation.Draw]. It is laid out here, without Graphviz. Of a graph that has more than
// most operations, inputs or outputs, nothing is written. The error is that of [Program.Text].
func (p *Program) SVG(ctx context.Context, w io.Writer, most int) (operations int, err error) {
	err = p.write(ctx, w, "drawing", func(meter *limits.Meter, text io.Writer) error {
		var st *stage.Stage
		st, operations, err = p.ground(ctx, meter, most, p.sourceNames())
		if err != nil || max(operations, len(p.ScalarInputs()), p.Shape().Width()) > most {
			return err
		}
		c, err := newComputation(st, p.Point(), 0, true, meter.During("print"))
		if err != nil {
			return err
		}
		_, err = c.Draw(text, SVG)
		return err
	})
	return operations, err
}

// sourceNames returns what names the operations by their place: as the first let around
// the operation in the source, with a number from the second on, or not at all.
func (p *Program) sourceNames() func(term.Pos) string {
	names := LetNames(p.Term())
	uses := map[string]int{}
	return func(pos term.Pos) string {
		name := names[pos]
		if name == "" || name == "_" {
			return ""
		}
		if uses[name]++; uses[name] > 1 {
			return name + ":" + strconv.Itoa(uses[name])
		}
		return name
	}
}

// Operations returns the computational graph of the program with its values at the point and, of a program with one
// output, the derivatives of that by the nodes; nil if it has more than most operations or inputs. The error is that of
// [Program.Text].
func (p *Program) Operations(ctx context.Context, most int) (c *Computation, derivatives []float64, err error) {
	if len(p.ScalarInputs()) > most {
		return nil, nil, nil
	}
	meter, names := p.Meter(ctx), LetNames(p.Term())
	st, n, err := p.ground(ctx, meter, most, func(pos term.Pos) string { return names[pos] })
	if err == nil && n <= most {
		c, err = newComputation(st, p.Point(), 0, true, meter.During("print"))
	}
	if err == nil && c != nil && len(c.Graph.Outputs()) == 1 {
		err = c.memory.Backward(0)
		derivatives = syntax.Each(c.Graph.Len(), func(w int) float64 { return c.memory.Second(hypergraph.Node(w)) })
	}
	return c, derivatives, p.Locate(err, "drawing")
}

// LetNames returns the names that lets of the source give to what stands at a place.
func LetNames(t *term.Term) map[term.Pos]string {
	names := map[term.Pos]string{}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Op != term.LetOp {
			continue
		}
		if u := &t.Nodes[n.B]; (u.Op == term.FunOp || u.Op == term.AddOp) && u.Pos != 0 {
			names[u.Pos] = t.Info(n.X).Name
		}
	}
	return names
}
