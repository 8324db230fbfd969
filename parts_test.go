package gram

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// partsPrograms are programs with layers, where v is the size of vectors, beside code that no block can hold. The numbers are how many
// comprehensions, or functions of them, run as arrays: in the value, and in the gradient.
var partsPrograms = []struct {
	body            string
	value, gradient int
}{
	{"let f = fun y -> y * s in let h = layer x in let g = vec i < k -> f b.(i) in sum h + sum g", 1, 1},
	{"let rec f y = if y < 0 then y * s else f (y - 1) in let h = layer x in let g = vec i < k -> f b.(i) in sum h + sum g", 3, 2},
	{"let h = layer x in let m = sum h in if m < 0 then sum (layer h) else m * sum (vec i < k -> h.(i) * b.(i))", 6, 6},
	{"let h = layer x in let rec f y n = if n < 1 then y else f (y * s) (n - 1) in f (sum h) 3 * f (h.(0) + h.(1)) 2", 2, 2},
	{"let h = layer x in fold (fun e r -> r * s + sum e) 0 [h; x; b]", 2, 2},
	{"let h = layer x in (#4) (fun z -> z * s + z) (sum h)", 2, 2},
	{"let f = fun v -> fun m -> (let h = layer v in if m < 0 then sum h else m * sum h) in f x s + f (vec i < k -> s * x.(i)) (s - 1)", 4, 4},
	{"let h = fold (fun e v -> vec i < k -> v.(i) * e) x [s; 2] in sum (layer (layer h))", 4, 3},
	{"let rec f v n = if n < 1 then v else f (layer v) (n - 1) in let y = f x 3 in sum i < k -> y.(i)", 2, 1},
	{"let h = layer x in sum (vec i < k -> (#3) (fun z -> z * b.(i)) h.(i))", 1, 1},
	{"let relu = vec i < k -> (if x.(i) < 0 then 0.1 * x.(i) else x.(i)) in let rec f y n = if n < 1 then y else f (y * s) (n - 1) in f (sum (layer relu)) 2", 3, 1},
	{"let relu = vec i < k -> (let z = dot W.(i) x + b.(i) in if z < 0 then 0.1 * z else z) in let rec f y n = if n < 1 then y else f (y * s) (n - 1) in " +
		"f (sum (layer relu)) 2", 3, 2},
	{"let f = fun y -> y * sin (y * s) in sum i < k -> f x.(i) * f W.(i).(0)", 1, 0},
	{"let f = fun y -> y * dot (layer x) x in sum (vec i < k -> f x.(i))", 2, 1},
	{"let f = fun y -> if y < s then 0 else y * y in sum i < k -> sum j < k -> f W.(i).(j) * x.(i)", 1, 1},
	{"let l = [0.1; s; 0.3] in sum i < k -> fold (fun e r -> tanh (r * x.(i) + e)) s l", 1, 0},
	{"let f = fun y -> y * s in fold (fun e v -> sum i < k -> f x.(i) * v + e * f v) s [0.1; 0.2]", 1, 0},
	{"let c = #3 in let f = fun y -> c (fun z -> tanh (z * y + s)) y in sum (vec i < k -> f x.(i))", 1, 0},
	{"let f = fun y -> y * s in let g = fun v -> vec i < k -> f v.(i) * v.(0) in sum (g (g x))", 2, 0},
}

const partsHead = `param k = 12
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input b : R^k = vec i < k -> 0.01 * i
input x : R^k = vec i < k -> sin i
input s = 0.3
def layer v = vec i < k -> tanh (dot W.(i) v + b.(i))
`

// runTerm compiles a term, or its gradient, and runs it. It returns how many templates have families, too.
func runTerm(t *testing.T, p *Program, src *term.Term, gradient bool, compiled func(*term.Term, compile.Options) (*graph.Program, error)) (bits []uint64, counts rule.Counts, families int, err error) {
	if gradient {
		src, err = revgrad.Reverse(src, nil)
		require.NoError(t, err)
	}
	prog, err := compiled(src, compile.Options{Inputs: p.inputs, Reversed: gradient})
	if err != nil {
		return nil, counts, 0, err
	}
	for i := range prog.Templates {
		if prog.Templates[i].Families {
			families++
		}
	}
	m, err := engine.New(prog, engine.Options{})
	require.NoError(t, err)
	defer m.Close()
	var numbers []float64
	if gradient {
		n := max(1, prog.Outputs)
		numbers = slices.Repeat([]float64{0}, n+n*len(p.inputs))
		err = m.Gradient(p.Point(), numbers[:n], numbers[n:])
	} else if err = m.Value(p.Point()); err == nil {
		numbers, _, err = m.Read(nil, nil)
	}
	for _, x := range numbers {
		bits = append(bits, math.Float64bits(x))
	}
	return bits, m.Stats().Counts, families, err
}

// plainFamilies is [compile.Families] where no family has conditionals and applications.
func plainFamilies(src *term.Term, opt compile.Options) (*graph.Program, error) {
	opt.Plain = true
	return compile.Families(src, opt)
}

// TestFamiliesInParts: where only some comprehensions are expanded, bits and counts are those of the expansion.
func TestFamiliesInParts(t *testing.T) {
	for _, q := range partsPrograms {
		p, err := Load(t.Context(), "t.gram", []byte(partsHead+q.body+"\n"), Options{})
		require.NoError(t, err)
		for gradient, families := range map[bool]int{false: q.value, true: q.gradient} {
			want, c1, _, err := runTerm(t, p, p.src.Term(), gradient, compile.Compile)
			require.NoError(t, err)
			got, c2, n, err := runTerm(t, p, p.src.Written(), gradient, compile.Families)
			if errors.Is(err, graph.ErrFamilies) { // as a program does
				got, c2, n, err = runTerm(t, p, p.src.Written(), gradient, plainFamilies)
			}
			require.NoError(t, err, "%s, %v", q.body, gradient)
			require.Equal(t, families, n, "%s, %v", q.body, gradient)
			require.Equal(t, want, got)
			require.Equal(t, c1, c2)
		}
	}
}

// layersOf are layers of a vector V. Most have blocks where they wait for V, too.
var layersOf = []string{
	"vec i < k -> tanh (dot W.(i) V + b.(i))",
	"vec i < k -> sum j < k -> E.(j).(i) * V.(j)",
	"vec i < k -> sin V.(i)",
	"vec i < k -> V.(k - 1 - i) * x.(i)",
	"vec i < k -> sum j < k -> E.(i).(j) * W.(i).(j) * V.(j)",
	"vec i < k -> sum j < k -> V.(i) * W.(i).(j)",
	"vec i < k -> s * V.(i)",
	"vec i < k -> exp (0.1 * dot W.(i) V) - x.(i) * b.(i)",
	"vec i < k -> sum j < k -> sin V.(j) * E.(i).(j)",
	"vec i < k -> sum j < k -> (let a = sum l < k -> W.(j).(l) * V.(l) in a * E.(i).(j))",
	"vec i < k -> sum j < k -> sum l < k -> 0.1 * W.(i).(j) * E.(j).(l) * V.(l)",
	"vec i < k -> sigmoid (dot W.(i) V) * tanh (dot E.(i) V)",
	"vec i < k -> (let z = dot W.(i) V in z * z)",
	"vec i < k -> sum j < k -> V.(j) * x.(i)",
	"vec i < k -> maximum (vec j < k -> W.(i).(j) * V.(j))",
	"vec i < k -> x.(i) + V.(i) * sum j < k -> V.(j)",
	"vec i < k -> (let z = dot W.(i) V in if z < 0 then 0.1 * z else z)",
	"vec i < k -> (let z = V.(i) in if z < 0 then exp z else z)",
	"vec i < k -> sum j < k -> (let z = W.(i).(j) * V.(j) in if z < 0.1 then (if z < 0 then sin z else 0.1 * z) else z)",
	"vec i < k -> tanh (let z = dot W.(i) V in if z < s then 2 * z else z)",
	"vec i < k -> (let z = dot W.(i) V in if z < 0 then s * z else z)",
	"vec i < k -> (let z = dot W.(i) V in if z < 0 then x.(i) else z) * x.(i)",
}

// TestPropertyWaitingLayers: so it is for layers that wait for what an application gives.
func TestPropertyWaitingLayers(t *testing.T) {
	around := []string{
		"let h = fold (fun e v -> vec i < k -> v.(i) * e) h [s; 2] in let r = LAYER(h) in let q = LAYER(r) in sum i < k -> q.(i) * x.(i)",
		"let f = fun m -> fun v -> vec i < k -> (let rec g y n = if n < 1 then y else g (y * m) (n - 1) in g v.(i) 2) in let r = LAYER(f s h) in sum i < k -> r.(i)",
		"let f = fun v -> (if s < 0 then v else LAYER(v)) in let r = f h in let q = LAYER(r) in let p = f r in sum i < k -> q.(i) * p.(i)",
		"let rec f v n = if n < 1 then LAYER(v) else let v = f (LAYER(v)) (n - 1) in LAYER(v) in let r = f h 2 in sum i < k -> r.(i) * s",
		"let h = fold (fun e v -> vec i < k -> v.(i) * e) h [s; 2] in let r = LAYER(h) in let q = LAYER(h) in sum i < k -> q.(i) * r.(i) * h.(i)",
		"let r = LAYER(h) in let q = vec i < k -> s * x.(i) in let u = LAYER(r) in (if s < 0 then s else sum i < k -> u.(i) * q.(i) * h.(i) * s)",
		"let r = LAYER(h) in let q = LAYER(h) in let f = fun m -> fun v -> (if m < 0 then sum v else m * sum v) in f (h.(0) * s) r + f s q + sum (LAYER(q))",
	}
	held, draws := 0, 200
	for seed := range draws {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		body := regexp.MustCompile(`LAYER\(([^()]*)\)`).ReplaceAllStringFunc(around[seed%len(around)], func(text string) string {
			v := text[len("LAYER(") : len(text)-1]
			return "(let v = " + v + " in " + strings.ReplaceAll(layersOf[r.IntN(len(layersOf))], "V", "v") + ")"
		})
		src := familyHead + "input h : R^k = vec i < k -> cos i\ninput x : R^k = vec i < k -> sin i\n" + body + "\n"
		p, err := Load(t.Context(), "t.gram", []byte(src), Options{Params: []string{"k=" + strconv.Itoa(2+seed%11)}})
		require.NoError(t, err, src)
		got, c2, families, err := runTerm(t, p, p.src.Written(), true, compile.Families)
		if errors.Is(err, graph.ErrFamilies) {
			continue
		}
		require.NoError(t, err)
		want, c1, _, err := runTerm(t, p, p.src.Term(), true, compile.Compile)
		require.NoError(t, err)
		require.Equal(t, want, got, src)
		require.Equal(t, c1, c2, src)
		held += families
	}
	require.Greater(t, held, draws)
}

// partsAround are programs around random families.
var partsAround = []string{
	"let f = fun y -> y * s in let r = CELL in sum i < k -> f r.(i)",
	"let r = CELL in if s < 0.5 then sum i < k -> r.(i) else s",
	"let rec f x n = if n < 1 then x else f (CELL) (n - 1) in let r = f x 2 in sum i < k -> r.(i)",
	"let h = fold (fun e v -> vec i < k -> v.(i) * e) h [s; 2] in let r = CELL in sum i < k -> r.(i)",
	"(#2) (fun z -> let h = vec i < k -> h.(i) * z in let r = CELL in let m = sum i < k -> r.(i) in if m < 0 then m else s * m) s",
	"let r = CELL in fold (fun e m -> (let rec f x n = if n < 1 then x else f (x * m) (n - 1) in f e.(0) 1) + e.(1)) s [r; x]",
}

// TestPropertyFamiliesInParts: so it is for random families.
func TestPropertyFamiliesInParts(t *testing.T) {
	runs, draws := 0, 200
	for seed := range draws {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 7)), vectors: []string{"x", "h"}, branches: seed%2 == 0}
		src := familyHead + "input h : R^k = vec i < k -> cos i\ninput x : R^k = vec i < k -> sin i\n" +
			strings.ReplaceAll(partsAround[seed%len(partsAround)], "CELL", w.cell()) + "\n"
		p, err := Load(t.Context(), "t.gram", []byte(src), Options{Params: []string{"k=" + strconv.Itoa(2+seed%11)}})
		require.NoError(t, err, src)
		for _, gradient := range []bool{false, true} {
			got, c2, families, err := runTerm(t, p, p.src.Written(), gradient, compile.Families)
			if errors.Is(err, graph.ErrFamilies) {
				continue
			}
			require.NoError(t, err)
			want, c1, _, err := runTerm(t, p, p.src.Term(), gradient, compile.Compile)
			require.NoError(t, err)
			require.Equal(t, want, got, src)
			require.Equal(t, c1, c2, src)
			runs += min(1, families)
		}
	}
	require.Greater(t, runs, draws)
}

// TestLargeParts: a layer of 512 units beside code that no block can hold takes no nodes for its products.
func TestLargeParts(t *testing.T) {
	onMachine(t)
	for _, body := range []string{partsPrograms[0].body, partsPrograms[2].body, partsPrograms[6].body, partsPrograms[7].body, partsPrograms[10].body} {
		p, err := Load(t.Context(), "t.gram", []byte(partsHead+body+"\n"), Options{Params: []string{"k=512"}})
		require.NoError(t, err)
		res, err := p.Gradient(t.Context(), EvalOptions{})
		require.NoError(t, err)
		require.Less(t, res.Cost.Nodes.Allocated, uint64(3*len(p.inputs)), body)
		require.Greater(t, res.Cost.Steps.Total(), uint64(20*len(p.inputs)))
	}
}

// TestPlainParts: of a large program in which the backward code of a family with an application or a conditional would add in another order,
// only that family is expanded.
func TestPlainParts(t *testing.T) {
	onMachine(t)
	const k = 128
	for _, body := range []string{
		"sum (vec i < k -> (#3) (fun z -> z * s) h.(i))",
		"sum i < k -> if h.(i) < 0 then h.(i) * s * s else h.(i) * s",
		"sum i < k -> foldl (fun r e -> r * s + e) 0 [h.(i); h.(i) * s]",
	} {
		p, err := Load(t.Context(), "t.gram", []byte(partsHead+"let h = layer (layer x) in "+body+"\n"), Options{Params: []string{"k=" + strconv.Itoa(k)}})
		require.NoError(t, err)
		res, err := p.Gradient(t.Context(), EvalOptions{})
		require.NoError(t, err)
		require.False(t, p.arrays(true).none.Load(), body)
		require.Less(t, res.Cost.Nodes.Allocated, uint64(3*len(p.inputs)), body)
		got := slices.Clone(res.Jacobian)
		steps := res.Cost.Steps
		res, err = p.Gradient(t.Context(), EvalOptions{NoFuse: true})
		require.NoError(t, err)
		require.Equal(t, steps, res.Cost.Steps, body)
		for i, x := range res.Jacobian {
			require.Equal(t, math.Float64bits(x), math.Float64bits(got[i]), body)
		}
	}
}

// TestProfilesOfParts: where only some comprehensions are expanded, samples are those of the expansion.
func TestProfilesOfParts(t *testing.T) {
	compare := func(src string, params ...string) bool {
		p, err := Load(t.Context(), "t.gram", []byte(src), Options{Params: params})
		require.NoError(t, err, src)
		for _, gradient := range []bool{false, true} {
			_, c2, got, err := runFormBy(t, p, p.src.Written(), gradient, true, compile.Families)
			if errors.Is(err, graph.ErrFamilies) {
				_, c2, got, err = runFormBy(t, p, p.src.Written(), gradient, true, plainFamilies)
			}
			if errors.Is(err, graph.ErrFamilies) {
				return false
			}
			require.NoError(t, err, src)
			_, c1, want, err := runForm(t, p, p.src.Term(), gradient, true)
			require.NoError(t, err)
			require.Equal(t, c1, c2, src)
			require.Equal(t, want, got, src)
		}
		return true
	}
	for _, q := range partsPrograms {
		require.True(t, compare(partsHead+q.body+"\n"), q.body)
	}
	ran, draws := 0, 150
	for seed := range draws {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 11)), vectors: []string{"x", "h"}, branches: seed%3 == 0}
		src := familyHead + "input h : R^k = vec i < k -> cos i\ninput x : R^k = vec i < k -> sin i\n" +
			strings.ReplaceAll(partsAround[seed%len(partsAround)], "CELL", w.cell()) + "\n"
		if compare(src, "k="+strconv.Itoa(2+seed%11)) {
			ran++
		}
	}
	t.Logf("%d of %d ran", ran, draws)
	require.Greater(t, 3*ran, draws)
}
