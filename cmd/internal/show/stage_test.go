package show

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/load"
)

// stagePrograms are the examples, and programs with inputs and data of every shape.
func stagePrograms(t *testing.T) map[string]*gram.Program {
	out := map[string]*gram.Program{}
	for _, name := range gramtest.Examples(t) {
		if name != "backpropagators" { // D is not defined on it
			out[name] = gramtest.Example(t, name)
		}
	}
	for name, text := range map[string]string{
		"shapes": `input z1 = 1
input M : R^2^2 = [| [| 1, 2 |], [| 3, 4 |] |]
input a : R^3 = vec i < 3 -> i + 0.5
data c = 2
data v : R^3 = [| 1, -1, 2 |]
data xs = [1; 2; 3]
data ys : List R^2 = [[| 1, 2 |]; [| 3, 4 |]]
data none : List R = []
c * z1 + dot v a + M.(1).(0) * fold (fun x h -> sin (x * h)) 1 xs + fold (fun (y : R^2) h -> y.(0) * h + y.(1)) 0.5 ys
  + fold (+) 0 none + dot (matvec M (vec i < 2 -> a.(i))) (vec i < 2 -> a.(i))`,
		"names": "input x = 2\ninput x' = 3\ninput dx = 4\ninput a = 5\nlet z0 = x * x' in\nlet z1 = fun x -> x * dx in\nz1 (z1 z0) * a",
		"declaredMany": "symbol hull x y z = x * y + sin z with y, x, cos z\nsymbol quad a b c d = hull a b c * d with b * d, a * d, cos c * d, hull a b c\n" +
			"input a = 0.3\ninput b = 0.7\nquad a b (hull a b (sin a)) 2",
		"symbols": "input x = 0.3\ninput y = 0.7\npow x y + min x y * max x y + atan x / y + sigmoid (tanh (sqrt (log (exp (abs (tan x))))))+ relu (-x) + step x * sign y - cos x",
		"declared": "symbol hyp x y = sqrt (x * x + y * y) with x / sqrt (x * x + y * y), y / sqrt (x * x + y * y)\n" +
			"symbol unused x = x with 1\nsymbol twice x = hyp x (-x) + 1 with 2 * x / hyp x x\ninput a = 0.3\ninput b = 0.7\nhyp (twice a) (b * hyp'1 a b)",
		"unused": "input x = 1\ninput y = 2\nlet z = x * y in x",
		"branch": "input x = 2\nif x > 1 then x * x else x",
	} {
		out[name] = gramtest.Load(t, text)
	}
	return out
}

// makeStage makes a stage and prints it.
func makeStage(t require.TestingT, p *gram.Program, kind stage.Kind) (*stage.Stage, string) {
	shown := Program{Program: p, Inside: bridge.Of(p)}
	st, err := shown.stage(context.Background(), bridge.Of(p).Meter(context.Background()), kind, nil)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, st.Write(&out, nil, nil))
	var same bytes.Buffer
	require.NoError(t, shown.Text(context.Background(), &same, kind))
	require.Equal(t, out.String(), same.String())
	return st, out.String()
}

func requireNear(t *testing.T, want, got []float64) {
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, property.Close(want[i], got[i], 1e-9), "number %d: %v, not %v", i, got[i], want[i])
	}
}

// randomPrograms are random programs of all constructs of the language, whose input of a product is two inputs: the term of a stage
// has no opening of it, as the text that is printed has. Without FULL_SIZE they are a third.
func randomPrograms(t *testing.T) map[string]*gram.Program {
	text, err := os.ReadFile("../../../testdata/random.txt")
	require.NoError(t, err)
	split := strings.NewReplacer("input p : R * R^k = (0.3, vec i < k -> 0.2 * i - 0.3)\n",
		"input p1 = 0.3\ninput p2 : R^k = vec i < k -> 0.2 * i - 0.3\ndef p = (p1, p2)\n")
	out := map[string]*gram.Program{}
	for i, src := range strings.Split(strings.TrimSuffix(string(text), "----\n"), "----\n") {
		if i%3 == 0 || property.Full() {
			out[fmt.Sprintf("random %d", i)] = gramtest.Load(t, split.Replace(src))
		}
	}
	require.Greater(t, len(out), 5)
	return out
}

// TestStagesParseBack: the stages are programs that elaborate to the terms that they
// show, and print as themselves.
func TestStagesParseBack(t *testing.T) {
	programs := stagePrograms(t)
	maps.Copy(programs, randomPrograms(t))
	// The types of what is read back come in the order of their declarations, not in that of their uses.
	programs["types"] = gramtest.Load(t, "type tree = Leaf of R | Node of tree * tree\ntype stream = Nil | Cons of R * stream\ninput x = 2\n"+
		"let v = (x, Nil) in\nlet rec h a = match a with | Leaf u -> jvp sin x u | Node s -> 1 in x")
	for name, p := range programs {
		for _, s := range []stage.Kind{stage.Source, stage.Ground, stage.BP} {
			if s == stage.BP && p.Shape().Kind != load.Real {
				continue
			}
			st, text := makeStage(t, p, s)
			back := gramtest.Load(t, text)
			require.True(t, reference.SameGraph(st.Term, bridge.Of(back).Term(), false), "%s\n%s", name, text)
			formatted, err := gram.Format(t.Context(), name, []byte(text))
			require.NoError(t, err)
			require.Equal(t, text, string(formatted), name)
			if s != stage.BP {
				_, again := makeStage(t, back, s)
				require.Equal(t, text, again, name)
			}
		}
	}
}

// TestStagesRun: bp as a program gives the value and the gradient, Fwd the value and
// the partial derivative by the first number, G the value; as an input, a scales the
// gradient, and tangents add up.
func TestStagesRun(t *testing.T) {
	ctx := context.Background()
	for name, p := range stagePrograms(t) {
		want, err := p.Gradient(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		n := len(p.Point())

		_, text := makeStage(t, p, stage.Ground)
		res, err := gramtest.Load(t, text).Value(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		requireNear(t, want.Values, res.Values)

		_, text = makeStage(t, p, stage.Forward)
		forward := gramtest.Load(t, text)
		res, err = forward.Value(ctx, gram.EvalOptions{})
		require.NoError(t, err, "%s\n%s", name, text)
		for i, v := range want.Values {
			requireNear(t, []float64{v, want.Jacobian[i*n]}, res.Values[2*i:2*i+2])
		}

		if p.Shape().Kind != load.Real {
			continue
		}
		_, text = makeStage(t, p, stage.BP)
		back := gramtest.Load(t, text)
		res, err = back.Value(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		requireNear(t, append(want.Values, want.Jacobian...), res.Values)
		point := back.Point()
		point[n] = -2
		e, err := back.NewValue(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		scaled, err := e.Value(ctx, point)
		require.NoError(t, err)
		require.NoError(t, e.Close())
		for i, g := range want.Jacobian {
			requireNear(t, []float64{-2 * g}, scaled.Values[1+i:2+i])
		}
	}
}

// TestStageProducts: the numbers of an input with products in it are named by a
// pattern; the stages run.
func TestStageProducts(t *testing.T) {
	ctx := context.Background()
	p := gramtest.Load(t, "input p : (R * R^2) * R = ((1, [| 2, 3 |]), 4)\nlet ((a, v), b) = p in\na * v.(0) * v.(1) * b")
	want, err := p.Gradient(ctx, gram.EvalOptions{})
	require.NoError(t, err)
	for _, s := range []stage.Kind{stage.Source, stage.Ground, stage.Forward, stage.BP} {
		_, text := makeStage(t, p, s)
		res, err := gramtest.Load(t, text).Value(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		switch s {
		case stage.Forward:
			requireNear(t, []float64{24, 24}, res.Values)
		case stage.BP:
			requireNear(t, append(want.Values, want.Jacobian...), res.Values)
		default:
			requireNear(t, want.Values, res.Values)
		}
	}
}

// TestTermOfProductsReadsBack: an input with a product in its shape is printed as it is
// written, so the text elaborates to the same term, which takes the same steps.
func TestTermOfProductsReadsBack(t *testing.T) {
	for _, text := range []string{
		"input p : R * R = (1, 2)\nlet (a, b) = p in a * b",
		"input p : R * R * R^2 = (1, 2, [| 3, 4 |])\nlet (a, b, v) = p in a * b + v.(0) * v.(1)",
		"input q : (R^2 * R) * R = (([| 1, 2 |], 3), 4)\ninput r : R * R = (5, 6)\n" +
			"let f = fun ((v, x), y) (a, b) -> v.(0) * v.(1) + x * y + a * b in f q r + f q r",
		"input w : (R * R)^2 = [| (1, 2), (3, 4) |]\nlet (a, b) = w.(1) in let (c, d) = fst (w.(0), w) in a * b + c * d",
		"input p : R * R = (1, 2)\ninput x = 3\nlet p2 = (x, p) in let (y, p3) = p2 in y * fst p3",
		"input p : R * R = (1, 2)\ninput x = 3\nx",
	} {
		p := gramtest.Load(t, text)
		st, printed := makeStage(t, p, stage.Source)
		back := gramtest.Load(t, printed)
		require.True(t, reference.SameGraph(st.Term, bridge.Of(back).Term(), false), printed)
		for _, run := range []func(*gram.Program) (*gram.Result, error){
			func(p *gram.Program) (*gram.Result, error) { return p.Value(t.Context(), gram.EvalOptions{}) },
			func(p *gram.Program) (*gram.Result, error) { return p.Gradient(t.Context(), gram.EvalOptions{}) },
		} {
			want, err := run(p)
			require.NoError(t, err)
			got, err := run(back)
			require.NoError(t, err)
			require.Equal(t, want.Values, got.Values)
			require.Equal(t, want.Cost.Steps, got.Cost.Steps, printed)
		}
	}
}

// TestForwardStageAtInfiniteSlopes: where a slope is infinite at the point, only the first
// scalar has a tangent; the program gives the derivative by it.
func TestForwardStageAtInfiniteSlopes(t *testing.T) {
	for _, c := range []struct {
		text     string
		tangents int // inputs beside the program's own
		want     []float64
	}{
		{"input x = -1\npow x 2", 1, []float64{1, -2}},
		{"input x = 1\ninput y = 0\nx + sqrt y", 1, []float64{1, 1}},
		{"input x = 1\ninput y = 4\nx + sqrt y", 2, []float64{3, 1}},
		{"input v : R^2 = [| 1, 0 |]\ninput y = 0\n[| v.(0) + sqrt v.(1), sqrt y |]", 1, []float64{1, 1, 0, 0}},
		{"input v : R^2 = [| 1, 4 |]\ninput y = 1\n[| v.(0) + sqrt v.(1), sqrt y |]", 3, []float64{3, 1, 1, 0}},
	} {
		p := gramtest.Load(t, c.text)
		_, text := makeStage(t, p, stage.Forward)
		forward := gramtest.Load(t, text)
		require.Len(t, forward.Point(), len(p.Point())+c.tangents, text)
		res, err := forward.Value(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		require.Equal(t, c.want, res.Values, text)
	}
}

// TestStageErrors: what has no such stage says so, with its place.
func TestStageErrors(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		text  string
		stage stage.Kind
		want  string
	}{
		{"input x = 1\n[| x, x |]", stage.BP, "test.gram:2:1: no bp"},
		{"1 + 2", stage.BP, "the program has no inputs; bp is defined for one at least"},
		{"input x = 1\nfun y -> x", stage.Ground, "test.gram:2:1: no computational graph"},
		{"[1; 2]", stage.Forward, "test.gram:1:1: no computational graph"},
	} {
		p := gramtest.Load(t, c.text)
		err := (&Program{Program: p, Inside: bridge.Of(p)}).Text(ctx, &bytes.Buffer{}, c.stage)
		require.ErrorContains(t, err, c.want)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	p := gramtest.Load(t, "input x = 1\nsum i < 100000 -> sin (i * x)")
	for _, s := range []stage.Kind{stage.Source, stage.Reverse, stage.Ground, stage.Forward, stage.BP} {
		shown := Program{Program: p, Inside: bridge.Of(p)}
		require.ErrorIs(t, shown.Text(cancelled, &bytes.Buffer{}, s), context.Canceled)
		require.ErrorIs(t, shown.LaTeX(cancelled, &bytes.Buffer{}, s), context.Canceled)
	}
}
