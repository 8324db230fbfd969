package stage

import (
	"io"
	"slices"

	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/term"
)

// Write prints the stage as a program. check and reserve are as [unparse.Options] has them.
func (st *Stage) Write(w io.Writer, check func() error, reserve func(bytes int64) error) (err error) {
	defer syntax.Catch(&err)
	src := st.Source
	reversed := st.Kind == Reverse || st.Kind == Normal
	opt := unparse.Options{Guard: syntax.Guard{Check: check, Reserve: reserve}, Reversed: reversed}
	if reversed {
		opt.Dim = max(1, len(st.Inputs))
	}
	out := unparse.New(st.Term, opt)
	for _, in := range src.Inputs {
		out.Reserve(in.Name)
	}
	used := usedData(st.Term, len(src.Data))
	for i, d := range src.Data {
		if used[i] {
			out.Reserve(d.Name)
		}
	}
	free := make([]bool, st.Term.NumVars())
	xs, err := st.Term.Free(check)
	if err != nil {
		return err
	}
	for _, x := range xs {
		free[x] = true
	}
	k := 0
	for i := range src.Inputs {
		in := &src.Inputs[i]
		if !reversed && st.Kind != Forward {
			n := len(in.Values)
			out.InputOf(in.Name, in.Shape, in.Values, st.Inputs[k:k+n])
			k += n
			continue
		}
		numbers := out.Input(in.Name, in.Shape, in.Values)
		var tangents []string
		if st.Kind == Forward {
			tangents = st.tangents(out, in, k)
		}
		for j, x := range numbers {
			switch v := st.Inputs[k+j]; {
			case !free[v]:
			case st.Kind == Forward:
				out.Let(v, in.Name, "("+x+", "+tangents[j]+")")
			default:
				out.Let(v, in.Name, "("+x+", "+out.BasisDual(k+j)+")")
			}
		}
		k += len(numbers)
	}
	if st.Kind == BP {
		name := out.Fresh(st.Term.Info(st.Adjoint).Name)
		st.Term.ToChange(st.Adjoint).Name = name
		out.Bind(st.Adjoint, out.Input(name, load.RealShape(), []float64{1})[0])
	}
	for i, d := range src.Data {
		if used[i] {
			d.Value.Shape = d.Value.Shape.Flat()
			out.Data(i, d.Name, d.Value)
		}
	}
	return out.Write(w)
}

// tangents declares the tangents of an input whose first number is the k-th, and returns
// them as expressions.
func (st *Stage) tangents(out *unparse.Program, in *lang.Input, k int) []string {
	values := make([]float64, len(in.Values))
	if k == 0 {
		values[0] = 1
	}
	if len(st.Tangents) == len(st.Inputs) {
		return out.Input(out.Fresh("d"+in.Name), in.Shape, values)
	}
	constants := slices.Repeat([]string{"0"}, len(values))
	if k == 0 {
		constants[0] = out.Input(out.Fresh("d"+in.Name), load.RealShape(), values[:1])[0]
	}
	return constants
}

// usedData tells which of n data the term mentions.
func usedData(t *term.Term, n int) []bool {
	used := make([]bool, n)
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Op == term.DataOp {
			used[n.A] = true
		}
	}
	return used
}
