package gram

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/equiv"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/limits"
)

func loadText(t require.TestingT, text string) *Program {
	p, err := Load(context.Background(), "test.gram", []byte(text), Options{})
	require.NoError(t, err, "%s", text)
	return p
}

// small makes the large examples small.
var small = map[string][]string{"w1": {"n=20"}, "w2": {"n=3", "k=4"}, "w3": {"n=20"}, "w4": {"n=20"}}

// stagePrograms are the examples, and programs with inputs and data of every shape.
func stagePrograms(t *testing.T) map[string]*Program {
	files, err := filepath.Glob("examples/*.gram")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := map[string]*Program{}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".gram")
		if name == "backpropagators" {
			continue // D is not defined on it
		}
		p, err := LoadFile(context.Background(), f, Options{Params: small[name]})
		require.NoError(t, err)
		out[name] = p
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
		"names":   "input x = 2\ninput x' = 3\ninput dx = 4\ninput a = 5\nlet z0 = x * x' in\nlet z1 = fun x -> x * dx in\nz1 (z1 z0) * a",
		"symbols": "input x = 0.3\ninput y = 0.7\npow x y + min x y * max x y + atan x / y + sigmoid (tanh (sqrt (log (exp (abs (tan x))))))+ relu (-x) + step x * sign y - cos x",
		"unused":  "input x = 1\ninput y = 2\nlet z = x * y in x",
		"branch":  "input x = 2\nif x > 1 then x * x else x",
	} {
		out[name] = loadText(t, text)
	}
	return out
}

func (st *stage) String() string { return st.t.String() }

func makeStage(t require.TestingT, p *Program, s Stage) (*stage, string) {
	st := &stage{p: p, check: func() error { return nil }}
	require.NoError(t, st.make(s, limits.New(context.Background(), 0), EvalOptions{}))
	var out bytes.Buffer
	require.NoError(t, st.text(&out))
	var same bytes.Buffer
	require.NoError(t, p.WriteStage(context.Background(), &same, s, Text, EvalOptions{}))
	require.Equal(t, out.String(), same.String())
	return st, out.String()
}

func requireNear(t *testing.T, want, got []float64) {
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, generate.Close(want[i], got[i], 1e-9), "number %d: %v, not %v", i, got[i], want[i])
	}
}

// TestStagesParseBack: the stages are programs that elaborate to the terms that they
// show, and print as themselves.
func TestStagesParseBack(t *testing.T) {
	for name, p := range stagePrograms(t) {
		for _, s := range []Stage{TermStage, GroundStage, BPStage} {
			if s == BPStage && p.Shape().Kind != RealShape {
				continue
			}
			st, text := makeStage(t, p, s)
			back := loadText(t, text)
			require.Empty(t, equiv.Difference(st.t, back.Term(), equiv.Options{}), "%s\n%s", name, text)
			formatted, err := Format(t.Context(), name, []byte(text))
			require.NoError(t, err)
			require.Equal(t, text, string(formatted), name)
			if s != BPStage {
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
		want, err := p.Gradient(ctx, EvalOptions{})
		require.NoError(t, err)
		n := len(p.Point())

		_, text := makeStage(t, p, GroundStage)
		res, err := loadText(t, text).Value(ctx, EvalOptions{})
		require.NoError(t, err)
		requireNear(t, want.Values, res.Values)

		_, text = makeStage(t, p, ForwardStage)
		forward := loadText(t, text)
		res, err = forward.Value(ctx, EvalOptions{})
		require.NoError(t, err, "%s\n%s", name, text)
		for i, v := range want.Values {
			requireNear(t, []float64{v, want.Jacobian[i*n]}, res.Values[2*i:2*i+2])
		}

		if p.Shape().Kind != RealShape {
			continue
		}
		_, text = makeStage(t, p, BPStage)
		back := loadText(t, text)
		res, err = back.Value(ctx, EvalOptions{})
		require.NoError(t, err)
		requireNear(t, append(want.Values, want.Jacobian...), res.Values)
		point := back.Point()
		point[n] = -2
		e, err := back.NewValue(ctx, EvalOptions{})
		require.NoError(t, err)
		scaled, err := e.Value(ctx, point, nil)
		require.NoError(t, err)
		require.NoError(t, e.Close())
		for i, g := range want.Jacobian {
			requireNear(t, []float64{-2 * g}, scaled[1+i:2+i])
		}
	}
}

// TestStageProducts: the numbers of an input with products in it are named by a
// pattern; the stages run.
func TestStageProducts(t *testing.T) {
	ctx := context.Background()
	p := loadText(t, "input p : (R * R^2) * R = ((1, [| 2, 3 |]), 4)\nlet ((a, v), b) = p in\na * v.(0) * v.(1) * b")
	want, err := p.Gradient(ctx, EvalOptions{})
	require.NoError(t, err)
	for _, s := range []Stage{TermStage, GroundStage, ForwardStage, BPStage} {
		_, text := makeStage(t, p, s)
		res, err := loadText(t, text).Value(ctx, EvalOptions{})
		require.NoError(t, err)
		switch s {
		case ForwardStage:
			requireNear(t, []float64{24, 24}, res.Values)
		case BPStage:
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
		p := loadText(t, text)
		st, printed := makeStage(t, p, TermStage)
		back := loadText(t, printed)
		require.Empty(t, equiv.Difference(st.t, back.Term(), equiv.Options{}), printed)
		for _, run := range []func(*Program) (*Result, error){
			func(p *Program) (*Result, error) { return p.Value(t.Context(), EvalOptions{}) },
			func(p *Program) (*Result, error) { return p.Gradient(t.Context(), EvalOptions{}) },
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
		p := loadText(t, c.text)
		_, text := makeStage(t, p, ForwardStage)
		forward := loadText(t, text)
		require.Len(t, forward.Point(), len(p.Point())+c.tangents, text)
		res, err := forward.Value(t.Context(), EvalOptions{})
		require.NoError(t, err)
		require.Equal(t, c.want, res.Values, text)
	}
}

// TestStageErrors: what has no such stage says so, with its place.
func TestStageErrors(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		text  string
		stage Stage
		want  string
	}{
		{"input x = 1\n[| x, x |]", BPStage, "test.gram:2:1: no bp"},
		{"1 + 2", BPStage, "the program has no inputs; bp is defined for one at least"},
		{"input x = 1\nfun y -> x", GroundStage, "test.gram:2:1: no computational graph"},
		{"[1; 2]", ForwardStage, "test.gram:1:1: no computational graph"},
	} {
		err := loadText(t, c.text).WriteStage(ctx, &bytes.Buffer{}, c.stage, Text, EvalOptions{})
		require.ErrorContains(t, err, c.want)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	p := loadText(t, "input x = 1\nsum i < 100000 -> sin (i * x)")
	for _, s := range []Stage{TermStage, ReverseStage, GroundStage, ForwardStage, BPStage} {
		for _, n := range []Notation{Text, LaTeX} {
			require.ErrorIs(t, p.WriteStage(cancelled, &bytes.Buffer{}, s, n, EvalOptions{}), context.Canceled)
		}
	}
}
