package gram

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/stage"
)

// openHead declares what the programs with open inputs read.
const openHead = `param n = 5
param k = 12
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input x : R^k = vec i < k -> sin i
input h : R^k = vec i < k -> cos i
input s = 0.3
data  l : List R = list t < n -> 0.4 * t - 0.3
data  a : List R^2 = list t < n -> [| 0.3 * t, 0.5 |]
`

// TestOpenBranches: with conditionals and folds in families, m and |G| are those of the expansion.
func TestOpenBranches(t *testing.T) {
	for _, q := range []struct {
		body   string
		arrays bool
	}{
		{"sum i < k -> if i < 2 then x.(i) else s", true},
		{"vec i < k -> if i < 2 then x.(i) else 1", true},
		{"vec i < k -> if i < 2 then 3 else if i > 4 then x.(i) * s else 0.5", true},
		{"let v = vec i < k -> if x.(i) < 0 then x.(i) else 2 in vec i < k -> v.(i) * v.(k - 1 - i)", true},
		{"let v = vec i < k -> if x.(i) < 0 then s else 2 in let w = vec i < k -> if h.(i) < 0 then v.(i) else v.(i) * 3 in (sum i < k -> v.(i)) * dot v w", true},
		{"let v = vec i < k -> if x.(i) < 0 then 1 else 2 in sum i < k -> v.(i) * v.(0)", true},
		{"vec i < k -> if x.(i) < 0 then (sum j < k -> if W.(i).(j) < 0 then W.(i).(j) * s else 2) else (sum j < k -> sin j)", true},
		{"vec i < k -> let p = if x.(i) < 0 then (x.(i), s) else (1, h.(i)) in let (u, v) = p in u * v", true},
		{"vec i < k -> let p = if x.(i) < 0 then (1, 2) else if h.(i) < 0 then (x.(i), 2) else (h.(i), s * s) in let (u, v) = p in u - v * u", true},
		{"let q = vec i < k -> (x.(i), if h.(i) < 0 then s else 2) in vec i < k -> let p = if x.(i) < 0 then q.(i) else (3, 4) in let (u, v) = p in u - v", true},
		{"let q = vec i < k -> if x.(i) < 0 then ((x.(i), 1), s) else ((2, 3), 4) in vec i < k -> let (p, r) = q.(i) in let (u, v) = p in u + v * r", true},
		{"vec i < k -> if x.(i) < 0 then (x.(i), s) else (1, h.(i))", true},
		{"vec i < k -> if x.(i) < 0 then (let p = (x.(i), s) in p) else (1, h.(i))", false}, // some tuples have names
		{"vec i < k -> let v = if x.(i) < 0 then [| x.(i), 2 |] else [| s, h.(i) |] in (sum j < 2 -> v.(j)) * v.(1)", true},
		{"vec i < k -> let v = if x.(i) < 0 then [| x.(i) |] else [| 2 |] in let w = v in w.(0) * s", true},
		{"vec i < k -> if x.(i) < 0 then (let y = s * h.(i) in (let z = y * s in z * z) + y) else (let y = 2 in y * y * s)", true},
		{"vec i < k -> if x.(i) < 0 then (let y = 3 in sum j < k -> (let z = y * sin j in z * z * x.(j))) else (sum j < k -> s * h.(j))", true},
		{"vec i < k -> fold (fun e r -> tanh (e + r * x.(i))) 0 l", true},
		{"vec i < k -> fold (fun e r -> e + r) 0 l * s", true},
		{"vec i < k -> if x.(i) < 0 then fold (fun e r -> if e < 0.2 then e * r else r * r) 0.5 l else s", true},
		{"vec i < k -> let (u, v) = fold (fun e (u, v) -> (u * e, v + x.(i))) (1, 2) l in u * v", true},
		{"vec i < k -> let (u, v) = fold (fun e (u, v) -> (u * e.(0), e.(1) + x.(i))) (s, 2) a in u - v", true},
		{"vec i < k -> if x.(i) < 0 then 2 else (let (u, v) = fold (fun e (u, v) -> if e.(0) < 0.5 then (u * e.(0), e.(1) + x.(i)) else (v, e.(1))) (s, 2) a in u - v)", true},
		{"vec i < k -> fold (fun e f -> fun y -> f (y * e)) (fun y -> y) l x.(i)", true},
		{"def cell e g = vec i < k -> if g.(i) < e then g.(i) * s else e\nlet r = fold cell (vec i < k -> if i < 3 then 1 else x.(i)) l in sum i < k -> r.(i)", true},
		{"let m = maximum (vec i < k -> if x.(i) < 0 then x.(i) else 0.1) in vec i < k -> if m < h.(i) then maximum (vec j < k -> W.(i).(j) * h.(j)) else m", true},
		{"let r = scan t < 4 with y = x -> vec i < k -> if y.(i) < 0 then 0.1 * y.(i) else t in sum t < 4 -> let v = r.(t) in sum i < k -> v.(i)", true},
	} {
		for _, params := range [][]string{{"k=3"}, {"k=9"}, nil} {
			src := openHead + q.body + "\n"
			p, err := Load(t.Context(), "t.gram", []byte(src), Options{Params: params})
			require.NoError(t, err)
			require.Equal(t, q.arrays, compareOpen(t, p, src), q.body)
		}
	}
}

// TestPropertyOpenBranches: so it is for random programs.
func TestPropertyOpenBranches(t *testing.T) {
	const draws = 1000
	arrays := 0
	for seed := range property.Size(draws) {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 7)), vectors: []string{"x", "h", "m"}, branches: true, folds: seed%2 == 0, pairs: seed%3 > 0}
		cell := w.cell()
		src := openHead + "input E : R^k^k = vec i < k -> vec j < k -> 0.1 * cos (1 + i*k + j)\ndef cell x m h = " + cell + "\n"
		if seed%4 < 2 {
			src += "let m = vec i < k -> if i < 2 then 0.5 else x.(i) in cell h m x\n"
		} else {
			src += "sum (#3 (cell h (vec i < k -> if h.(i) < 0 then 1 else h.(i))) x)\n"
		}
		p, err := Load(t.Context(), "t.gram", []byte(src), Options{Params: []string{"n=3", "k=" + strconv.Itoa(2+seed%9)}})
		require.NoError(t, err, src)
		if compareOpen(t, p, src) {
			arrays++
		}
	}
	t.Logf("%d ran as arrays", arrays)
	require.Greater(t, 2*arrays, property.Size(draws))
}

// TestLargeOpenBranches: m and |G| of a layer of 512 units whose components are conditionals, without the expansion.
func TestLargeOpenBranches(t *testing.T) {
	const k, branches = 512, 5
	for test, negative := range map[string]uint64{"i < 5": branches, "z < 0": 0} {
		p, err := Load(t.Context(), "t.gram", []byte("param k = 512\ninput W : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (i*k + j)\ninput x : R^k = vec i < k -> 1\n"+
			"sum i < k -> let z = dot W.(i) x in (if "+test+" then 0.1 * z else z)\n"), Options{})
		require.NoError(t, err)
		b, err := p.Bound(t.Context(), EvalOptions{})
		require.NoError(t, err)
		require.False(t, p.symbolicArrays.none.Load(), "expanded")
		if negative == 0 {
			for i := range k {
				z := 0.0
				for j := range k {
					z += 0.1 * math.Sin(float64(i*k+j))
				}
				if z < 0 {
					negative++
				}
			}
		}
		operations := uint64(k*(2*k-1) + k - 1)
		want := Bound{M: k, Operations: operations + negative, Edges: 2 * (operations + negative), Inputs: k*k + k, Numerals: 1}
		want.Graph = want.Operations + want.Edges + want.Inputs + want.Numerals
		require.Equal(t, want, b, test)
	}
}

// TestFoldsInFamilies: folds over data in families, whose functions have names in profiles, as those of the expansion have.
func TestFoldsInFamilies(t *testing.T) {
	for _, q := range []struct {
		body   string
		arrays bool
	}{
		{"sum i < k -> fold (fun e r -> tanh (r * x.(i) + e.(0) * e.(1))) (h.(i) * s) a", true},
		{"sum i < k -> fold (fun e r -> r * x.(i) + e.(0)) 0 a", true},
		{"sum i < k -> let z = x.(i) in if z < 0 then fold (fun e r -> sin (r + e.(0))) z a else fold (fun e r -> cos (r * e)) z l", true},
		{"sum i < k -> let (u, v) = fold (fun e (u, v) -> (u * e.(0), v + x.(i))) (s, h.(i)) a in u * v", true},
		{"def cell e g = vec i < k -> fold (fun d r -> tanh (r + d * e)) g.(i) l\nlet r = fold cell x l in sum i < k -> r.(i)", true},
		{"def cell e g = vec i < k -> fold (fun d r -> tanh (r + d.(0) * d.(1) * e.(1))) g.(i) a\nlet r = fold cell x a in sum i < k -> r.(i)", true},
		{"def f e r = r * e + 1\nsum i < k -> fold f x.(i) l + fold f h.(i) l", true},
		{"sum i < k -> fold (fun e r -> fold (fun d q -> q * r + d * e.(1)) r [0.5; 0.25]) x.(i) a", true},
		// Of this, only the value runs as arrays.
		{"sum i < k -> let z = x.(i) in if z < 0 then fold (fun e r -> if r < e.(0) then sin (r * fold (fun u v -> v * z + u.(1)) z a) else r) z a else z", false},
	} {
		for _, params := range [][]string{{"k=3"}, {"k=11", "n=2"}} {
			require.Equal(t, q.arrays, compareFamilies(t, "t.gram", openHead+q.body+"\n", params), q.body)
		}
	}
}

// TestOpenInParts: where only some comprehensions are expanded, m and |G| are those of the expansion.
func TestOpenInParts(t *testing.T) {
	compare := func(src string, params ...string) (families int) {
		p, err := Load(t.Context(), "t.gram", []byte(src), Options{Params: params})
		require.NoError(t, err, src)
		prog, err := stage.Families(p.src, p.src.Written(), nil, nil)
		if errors.Is(err, graph.ErrFamilies) {
			return 0
		}
		require.NoError(t, err)
		for i := range prog.Templates {
			if prog.Templates[i].Families {
				families++
			}
		}
		m, size, err := stage.Run(prog, p.Point(), engine.Options{})
		require.NoError(t, err)
		defer m.Close()
		expanded, want, err := p.open(bridge.Of(p).Meter(t.Context()), p.Point(), EvalOptions{})
		require.NoError(t, err)
		defer expanded.Close()
		require.Equal(t, want, size, src)
		require.Equal(t, expanded.Stats().Counts, m.Stats().Counts, src)
		return families
	}
	for _, q := range partsPrograms {
		require.Positive(t, compare(partsHead+q.body+"\n"), q.body)
	}
	parts := 0
	for seed := range property.Size(1000) {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 9)), vectors: []string{"x", "h"}, branches: seed%3 == 0, pairs: seed%5 == 0}
		src := openHead + "input E : R^k^k = vec i < k -> vec j < k -> 0.1 * cos (1 + i*k + j)\n" +
			strings.ReplaceAll(partsAround[seed%len(partsAround)], "CELL", w.cell()) + "\n"
		parts += min(1, compare(src, "k="+strconv.Itoa(2+seed%9)))
	}
	require.Greater(t, 2*parts, property.Size(1000))
}

// TestLargeOpenParts: m and |G| of a layer of 512 units beside code that no block can hold, without the expansion of the layer.
func TestLargeOpenParts(t *testing.T) {
	for _, q := range []int{0, 2, 7} {
		p, err := Load(t.Context(), "t.gram", []byte(partsHead+partsPrograms[q].body+"\n"), Options{Params: []string{"k=512"}})
		require.NoError(t, err)
		m, size, err := p.openArrays(bridge.Of(p).Meter(t.Context()), EvalOptions{})
		require.NoError(t, err)
		defer m.Close()
		require.Greater(t, size.Operations, uint64(2*512*512))
		require.Less(t, m.Stats().Nodes, uint64(512*512), "nodes of the graph are not made")
	}
}

// pair writes an expression of type R * R.
func (w *cellWriter) pair(depth int) string {
	if depth == 0 {
		return "(" + w.number(0) + ", " + []string{"0.5", w.number(0)}[w.r.IntN(2)] + ")"
	}
	switch w.r.IntN(5) {
	case 0, 1:
		return "(if " + w.number(0) + " < " + w.number(0) + " then " + w.pair(depth-1) + " else " + w.pair(depth-1) + ")"
	case 2:
		p := w.name("p")
		return "(let " + p + " = " + w.pair(depth-1) + " in " + p + ")"
	case 3:
		e, u, v := w.name("e"), w.name("u"), w.name("v")
		return "(fold (fun " + e + " (" + u + ", " + v + ") -> (" + v + ", " + e + " * " + u + ")) " + w.pair(depth-1) + " l)"
	}
	return "(" + w.number(depth-1) + ", " + []string{"0.5", w.number(0)}[w.r.IntN(2)] + ")"
}
