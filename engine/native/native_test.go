package native

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
	"github.com/gram-machine/gram/term/elementary"
)

// special are numbers at the edges of the formulas' ranges, and beyond.
func special() []float64 {
	xs := []float64{0, 1, 2, 3, 0.5, 0.25, 1.5, 2.5, 6, 7, 8, 20, 40, 700, 708, 709.8, 745.2, 25600, 1e5, 1e10, 1e22, 1e300, math.MaxFloat64,
		math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-27, 0x1p-28, 0x1p-60, math.Pi, math.Pi / 2, math.Inf(1), math.NaN(), 0.705, 1.25, 0.84375, 1 / 0.35}
	for _, x := range slices.Clone(xs) {
		xs = append(xs, -x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)))
	}
	return xs
}

// same reports whether x and y have the same bits, or are both NaN.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// evaluate returns a symbol's function at the points, compiled.
func evaluate(t *testing.T, s term.Symbol, points []float64) []float64 {
	width := s.Info().Arity
	in := graph.BlockInstr{Op: graph.BlockFun1, Sym: s, D: 3, A: 1, B: 1}
	load := []Cell{{1, 0}}
	if width == 2 {
		in.Op, in.B = graph.BlockFun2, 2
		load = append(load, Cell{2, 1})
	}
	c := Compile(&Loop{Nodes: []Node{{Code: []graph.BlockInstr{in}}}, Streams: []Stream{{Width: width, Load: load}, {Width: 1, Store: []Cell{{3, 0}}}}})
	require.NotNil(t, c)
	m := NewMemory(nil)
	out := make([]float64, len(points)/width)
	for i := 0; i < len(out); i += c.Chunk() {
		n := min(len(out)-i, c.Chunk())
		m.Run(c, make([]float64, 4), n, points[i*width:(i+n)*width], out[i:i+n])
	}
	return out
}

// TestSymbols: the compiled form of each symbol has the bits of its Go form.
func TestSymbols(t *testing.T) {
	if !wasm.Supported() {
		t.Skip("wazero has no compiler for this platform")
	}
	xs := special()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		xs = append(xs, math.Float64frombits(rng.Uint64()), rng.NormFloat64(), 30*rng.NormFloat64(), math.Exp(20*rng.NormFloat64()))
	}
	for _, s := range slices.Concat(term.Symbols(), term.Derivatives()) {
		t.Run(s.String(), func(t *testing.T) {
			f := s.Info()
			if f.Arity == 1 {
				for i, y := range evaluate(t, s, xs) {
					if want := f.Eval1(xs[i]); !same(want, y) {
						t.Fatalf("%v(%v) = %v, compiled %v", s, xs[i], want, y)
					}
				}
				return
			}
			var pairs []float64
			for _, x := range special() {
				for _, y := range special() {
					pairs = append(pairs, x, y)
				}
			}
			pairs = append(pairs, xs...)
			for i, z := range evaluate(t, s, pairs) {
				if x, y := pairs[2*i], pairs[2*i+1]; !same(f.Eval2(x, y), z) {
					t.Fatalf("%v(%v, %v) = %v, compiled %v", s, x, y, f.Eval2(x, y), z)
				}
			}
		})
	}
}

// interpret makes the runs of a loop.
func interpret(l *Loop, regs []float64, n int, streams [][]float64) {
	for run := range n {
		at := func(s *Stream) int {
			if s.Down {
				return (n - 1 - run) * s.Width
			}
			return run * s.Width
		}
		for _, c := range l.Consts {
			regs[c.Reg] = c.Val
		}
		for i := range l.Streams {
			for _, c := range l.Streams[i].Load {
				regs[c.Reg] = streams[i][at(&l.Streams[i])+c.At]
			}
		}
		node := &l.Nodes[0]
		if last := len(l.Streams) - 1; l.Chosen {
			node = &l.Nodes[int(streams[last][at(&l.Streams[last])])]
		}
		for {
			for _, c := range node.Consts {
				regs[c.Reg] = c.Val
			}
			move(regs, node.Start)
			for i := range node.Code {
				execute(&node.Code[i], regs)
			}
			if node.Test == nil {
				break
			} else if node.Test.Cmp.Holds(regs[node.Test.A], regs[node.Test.B]) {
				node = &l.Nodes[node.Then]
			} else {
				node = &l.Nodes[node.Else]
			}
		}
		for i := range l.Streams {
			for _, c := range l.Streams[i].Store {
				streams[i][at(&l.Streams[i])+c.At] = regs[c.Reg]
			}
		}
		move(regs, node.End)
	}
}

func move(regs []float64, moves []Move) {
	from := slices.Clone(regs)
	for _, m := range moves {
		regs[m.D] = from[m.A]
	}
}

func execute(in *graph.BlockInstr, regs []float64) {
	a, b := regs[in.A], regs[in.B]
	switch in.Op {
	case graph.BlockMul:
		regs[in.D] = a * b
	case graph.BlockAdd:
		regs[in.D] = a + b
	case graph.BlockSub:
		regs[in.D] = a - b
	case graph.BlockAddMul:
		regs[in.D] += float64(a * b)
	case graph.BlockSlope:
		regs[in.D] = a * (1 - a)
	case graph.BlockSinCos:
		regs[in.D], regs[in.B] = elementary.SinCos(a)
	case graph.BlockFun1:
		regs[in.D] = in.Sym.Info().Eval1(a)
	case graph.BlockFun2:
		regs[in.D] = in.Sym.Info().Eval2(a, b)
	}
}

// unarySymbols and binarySymbols are symbols, half of them declared.
var unarySymbols, binarySymbols = declaredSymbols()

func declaredSymbols() (unary, two []term.Symbol) {
	number := func(v float64) term.Partial { return term.Partial{Kind: term.PartialConst, Const: v} }
	parameter := func(i int) term.Partial { return term.Partial{Kind: term.PartialVar, Var: i} }
	apply := func(f term.Symbol, args ...term.Partial) term.Partial {
		return term.Partial{Kind: term.PartialFun, Fun: f, Args: args}
	}
	declare := func(name string, value term.Partial, arity int) term.Symbol {
		f, err := term.Declare(name, value, make([]term.Partial, arity))
		if err != nil {
			panic(err)
		}
		return f
	}
	x, y := parameter(0), parameter(1)
	same := declare("native_same", x, 1)
	swish := declare("native_swish", apply(term.Mul, x, apply(term.Sigmoid, x)), 1)
	again := declare("native_again", apply(term.NoSymbol, apply(swish, apply(swish, x)), apply(same, apply(swish, x))), 1)
	hidden := declare("native_hidden", apply(same, apply(same, x)), 1)
	area := declare("native_area", apply(term.Sub, apply(term.Mul, x, y), apply(term.Max, x, number(0.5))), 2)
	second := declare("native_second", y, 2)
	both := declare("native_both", apply(area, apply(area, y, x), apply(swish, y)), 2)
	return []term.Symbol{term.Sigmoid, term.Sigmoid, term.Sigmoid, swish, again, hidden, declare("native_half", number(0.5), 1)},
		[]term.Symbol{term.Min, term.Min, area, second, both}
}

// TestLongBodies: a symbol whose body has too many instructions is not compiled, and its loop runs as bytecode.
func TestLongBodies(t *testing.T) {
	f := term.Sin
	for i := range 16 { // each has twice the instructions of the one before
		x := term.Partial{Kind: term.PartialVar}
		call := func(p term.Partial) term.Partial {
			return term.Partial{Kind: term.PartialFun, Fun: f, Args: []term.Partial{p}}
		}
		next, err := term.Declare(fmt.Sprint("native_long", i), call(call(x)), make([]term.Partial, 1))
		require.NoError(t, err)
		f = next
		l := &Loop{Nodes: []Node{{Code: []graph.BlockInstr{{Op: graph.BlockFun1, Sym: f, D: 3, A: 1}}, End: []Move{{1, 3}}}}}
		if expanded, _ := expand(l); i > 12 {
			require.Nil(t, expanded)
			require.Nil(t, Compile(l))
		} else {
			require.Len(t, expanded.Nodes[0].Code, 2<<i)
		}
		regs := []float64{0, 0.5, 0, 0}
		NewMemory(nil).Run(Interpret(l), regs, 1)
		require.Equal(t, f.Info().Eval1(0.5), regs[1])
	}
}

// randomLoop has state registers, invariant ones, those of the data, sums, and a register for each instruction. Its nodes are code,
// two branches, or two codes of which each run has one.
func randomLoop(rng *rand.Rand) (l *Loop, registers int) {
	state, fixed, sums, code := uint32(1+rng.IntN(8)), uint32(rng.IntN(8)), uint32(rng.IntN(8)), uint32(rng.IntN(150))
	next := uint32(1)
	take := func(n uint32) (regs []uint32) {
		for range n {
			regs = append(regs, next)
			next++
		}
		return regs
	}
	states, sum := take(state), take(sums)
	l = &Loop{Consts: []graph.Const{{Reg: next, Val: 0.5}}}
	outside := slices.Concat([]uint32{0}, states, take(1+fixed))
	data := Stream{Width: 3, Down: rng.IntN(2) == 0, Load: []Cell{{next, 0}, {next + 1, 2}, {next + 2, 4}}}
	outside = append(outside, take(3)...)
	pick := func(from []uint32) uint32 { return from[max(rng.IntN(len(from)), rng.IntN(len(from)))] }
	node := func(known []uint32) (Node, []uint32) {
		var n Node
		for range rng.IntN(4) {
			n.Start = append(n.Start, Move{take(1)[0], pick(known)})
		}
		for _, m := range n.Start {
			known = append(known, m.D)
		}
		for range code {
			in := graph.BlockInstr{Op: graph.BlockOp(rng.IntN(int(graph.BlockSinCos) + 1)), A: pick(known), B: pick(known), D: take(1)[0]}
			switch in.Op {
			case graph.BlockFun1:
				in.Sym = unarySymbols[rng.IntN(len(unarySymbols))]
			case graph.BlockFun2:
				in.Sym = binarySymbols[rng.IntN(len(binarySymbols))]
			case graph.BlockSinCos:
				in.B = take(1)[0]
				known = append(known, in.B)
			case graph.BlockAddMul:
				if sums == 0 {
					continue
				}
				if in.D = pick(sum); rng.IntN(2) == 0 {
					n.Code = append(n.Code, in) // as the derivative of a square does
				}
			}
			n.Code = append(n.Code, in)
			if in.Op != graph.BlockAddMul {
				known = append(known, in.D)
			}
		}
		return n, known
	}
	end := func(n *Node, known []uint32) {
		for _, reg := range states {
			n.End = append(n.End, Move{reg, pick(known)})
		}
	}
	first, known := node(outside)
	l.Nodes = []Node{first}
	rows := Stream{Width: 2, Down: rng.IntN(2) == 0, Store: []Cell{{pick(known), 1}, {pick(outside), 0}}}
	l.Streams = []Stream{data, rows}
	switch rng.IntN(3) {
	case 0:
		end(&l.Nodes[0], known)
	case 1:
		l.Nodes[0].Test, l.Nodes[0].Then, l.Nodes[0].Else = &graph.PathTest{Cmp: term.Compare(rng.IntN(4)), A: pick(known), B: pick(known)}, 1, 2
		for range 2 {
			n, known := node(slices.Clip(known))
			end(&n, known)
			l.Nodes = append(l.Nodes, n)
		}
	default:
		end(&l.Nodes[0], known)
		n, known := node(slices.Clip(outside))
		n.Consts = []graph.Const{{Reg: take(1)[0], Val: 3}}
		n.Code = append(n.Code, graph.BlockInstr{Op: graph.BlockAdd, D: take(1)[0], A: n.Consts[0].Reg, B: pick(known)})
		end(&n, append(known, next-1))
		l.Nodes = append(l.Nodes, n)
		l.Streams[1].Store = []Cell{l.Streams[1].Store[1], {l.Streams[1].Store[1].Reg, 1}} // the other register is of the first node
		l.Chosen = true
		l.Streams = append(l.Streams, Stream{Width: 1, Down: true})
	}
	return l, int(next)
}

// TestRandomLoops: random loops have the bits of the plain interpreter as machine code, with more registers than there are locals, that
// copies its rows or has them in an arena, and as bytecode.
func TestRandomLoops(t *testing.T) {
	arena, err := graph.NewArena(1 << 20)
	require.NoError(t, err)
	defer arena.Close()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		l, registers := randomLoop(rng)
		forms := map[string]*Code{"bytecode": Interpret(l)}
		if wasm.Supported() && seed < 60 {
			forms["machine code"] = Compile(l)
			require.NotNil(t, forms["machine code"])
			forms["machine code in a window"] = forms["machine code"]
		}
		n := 1 + rng.IntN(20)
		want := make([]float64, registers)
		for i := range want[1:] {
			want[1+i] = rng.NormFloat64()
		}
		streams := make([][]float64, len(l.Streams))
		for i, s := range l.Streams {
			streams[i] = make([]float64, n*s.Width+s.beyond())
			for k := range streams[i] {
				streams[i][k] = rng.NormFloat64()
				if i == 2 {
					streams[i][k] = float64(rng.IntN(len(l.Nodes)))
				}
			}
		}
		first, rows := slices.Clone(want), slices.Clone(streams[1])
		interpret(l, want, n, streams)
		wantRows := streams[1]
		for form, c := range forms {
			if c == nil {
				require.Greater(t, registers, 200, "seed %d: a small loop has bytecode", seed)
				continue
			}
			got := slices.Clone(first)
			streams[1] = slices.Clone(rows)
			memory := NewMemory(nil)
			if form == "machine code in a window" {
				memory = NewMemory(arena.Front)
				streams[1] = append(arena.Floats()[:0], rows...)
			}
			memory.Run(c, got, n, streams...)
			for i := range wantRows {
				require.True(t, same(wantRows[i], streams[1][i]), "seed %d, row number %d: %v, %s %v", seed, i, wantRows[i], form, streams[1][i])
			}
			for _, reg := range lower(l).out {
				require.True(t, same(want[reg], got[reg]), "seed %d, register %d: %v, %s %v", seed, reg, want[reg], form, got[reg])
			}
			for _, m := range l.Nodes[len(l.Nodes)-1].End {
				require.True(t, same(want[m.D], got[m.D]), "seed %d, state %d, %s", seed, m.D, form)
			}
		}
	}
}

// TestPairs: of z ← sin(z·z) + z, a run forward is two instructions of bytecode, and one backward is, too. Their bits are those of the
// loop's code.
func TestPairs(t *testing.T) {
	const z, square, sin, cos, next, adjoint, product, twice = 1, 2, 3, 4, 5, 6, 7, 8
	row := []Cell{{Reg: z}, {Reg: cos, At: 1}}
	forward := &Loop{Nodes: []Node{{Code: []graph.BlockInstr{{Op: graph.BlockMul, D: square, A: z, B: z},
		{Op: graph.BlockSinCos, D: sin, A: square, B: cos}, {Op: graph.BlockAdd, D: next, A: sin, B: z}},
		End: []Move{{z, next}}}}, Streams: []Stream{{Width: 2, Store: row}}}
	backward := &Loop{Nodes: []Node{{Code: []graph.BlockInstr{{Op: graph.BlockMul, D: product, A: cos, B: adjoint},
		{Op: graph.BlockAddMul, D: adjoint, A: z, B: product}, {Op: graph.BlockAddMul, D: adjoint, A: z, B: product}}}},
		Streams: []Stream{{Width: 2, Down: true, Load: row}}}
	const n = 50
	want, got := make([]float64, 9), make([]float64, 9)
	want[z], want[adjoint], got[z], got[adjoint] = -0.3, 1, -0.3, 1
	wantRows, rows := make([]float64, 2*n), make([]float64, 2*n)
	for _, l := range []*Loop{forward, backward} {
		interpret(l, want, n, [][]float64{wantRows})
		c := Interpret(l)
		require.Len(t, c.bytecode.code, 2)
		NewMemory(nil).Run(c, got, n, rows)
		require.Equal(t, wantRows, rows)
		require.Equal(t, want[adjoint], got[adjoint])
	}
}

func BenchmarkSymbol(b *testing.B) {
	for _, s := range []term.Symbol{term.Exp, term.Sin, term.Tanh, term.Sigmoid, term.Log, term.Sqrt} {
		xs := make([]float64, 4096)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range xs {
			xs[i] = math.Abs(rng.NormFloat64())
		}
		out := make([]float64, len(xs))
		c := Compile(&Loop{Nodes: []Node{{Code: []graph.BlockInstr{{Op: graph.BlockFun1, Sym: s, D: 3, A: 1}}}},
			Streams: []Stream{{Width: 1, Load: []Cell{{1, 0}}}, {Width: 1, Store: []Cell{{3, 0}}}}})
		regs := make([]float64, 4)
		b.Run(fmt.Sprint(s, "/native"), func(b *testing.B) {
			m := NewMemory(nil)
			for range b.N {
				m.Run(c, regs, len(xs), xs, out)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/number")
		})
		b.Run(fmt.Sprint(s, "/go"), func(b *testing.B) {
			f := s.Info().Eval1
			for range b.N {
				for i, x := range xs {
					out[i] = f(x)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/number")
		})
	}
}

// BenchmarkCompile compiles loops of so many instructions, each on results of the last 30.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{5, 1000, 5000} {
		rng := rand.New(rand.NewPCG(1, 2))
		l := &Loop{Nodes: make([]Node, 1)}
		for i := range uint32(n) {
			operand := func() uint32 { return i + 1 + uint32(rng.IntN(30)) }
			l.Nodes[0].Code = append(l.Nodes[0].Code, graph.BlockInstr{Op: graph.BlockOp(rng.IntN(3)), D: i + 31, A: operand(), B: operand()})
		}
		for i := range uint32(30) {
			l.Nodes[0].End = append(l.Nodes[0].End, Move{D: i + 1, A: uint32(n) + i + 1})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := range b.N {
				l.Consts = []graph.Const{{Reg: 1 << 20, Val: float64(i)}} // another module each time
				l.Nodes[0].Code[0].B = 1 << 20
				require.NotNil(b, Compile(l))
			}
		})
	}
}

// TestKey: 0 and −0 are different constants.
func TestKey(t *testing.T) {
	key := func(x float64) string {
		return (&Loop{Consts: []graph.Const{{Reg: 1, Val: x}}, Nodes: []Node{{}}}).Key()
	}
	require.Equal(t, key(0), key(0))
	require.NotEqual(t, key(0), key(math.Copysign(0, -1)))
	require.NotEqual(t, key(0.1), key(math.Nextafter(0.1, 1)))
}

// BenchmarkCopies tells which share of the time of a loop is copying its data; its rows are in an arena. The loops are those of
// h ← sigmoid(e·x + r·h), forward and backward; both times are the best of the benchmark's rounds.
func BenchmarkCopies(b *testing.B) {
	if !wasm.Supported() {
		b.Skip("wazero has no compiler for this platform")
	}
	const e, r, x, h, z, next, adjoint, ge, gr = 1, 2, 3, 4, 5, 6, 7, 8, 9
	data := Stream{Width: 1, Load: []Cell{{Reg: x}}}
	forward := &Loop{Nodes: []Node{{Code: []graph.BlockInstr{{Op: graph.BlockMul, D: z, A: e, B: x}, {Op: graph.BlockAddMul, D: z, A: r, B: h},
		{Op: graph.BlockFun1, Sym: term.Sigmoid, D: next, A: z}}, End: []Move{{h, next}}}}, Streams: []Stream{data, {Width: 1, Store: []Cell{{Reg: h}}}}}
	backward := &Loop{Nodes: []Node{{Code: []graph.BlockInstr{{Op: graph.BlockSlope, D: z, A: next}, {Op: graph.BlockMul, D: z, A: adjoint, B: z},
		{Op: graph.BlockAddMul, D: ge, A: z, B: x}, {Op: graph.BlockAddMul, D: gr, A: z, B: h}, {Op: graph.BlockMul, D: z, A: z, B: r}},
		End: []Move{{adjoint, z}}}}, Streams: []Stream{data, {Width: 1, Down: true, Load: []Cell{{Reg: h}, {Reg: next, At: 1}}}}}
	for name, l := range map[string]*Loop{"forward": forward, "backward": backward} {
		b.Run(name, func(b *testing.B) {
			arena, err := graph.NewArena(16 << 20)
			require.NoError(b, err)
			defer arena.Close()
			require.NoError(b, arena.Grow(1<<20-1))
			c, m, regs := Compile(l), NewMemory(arena.Front), make([]float64, 10)
			xs, rows := make([]float64, 1<<20), arena.Floats()[:1<<20+1] // the caches have not all of them
			regs[e], regs[r], regs[adjoint] = 0.7, 4, 1
			run, copied := time.Hour, time.Hour
			for range b.N {
				regs[adjoint] = 1
				for i := 0; i+c.Chunk() <= len(xs); i += c.Chunk() {
					start := time.Now()
					m.Run(c, regs, c.Chunk(), xs[i:], rows[i:])
					run = min(run, time.Since(start))
				}
				memory := m.instances[c].memory[c.frame:][:c.Chunk()]
				for i := 0; i+c.Chunk() <= len(xs); i += c.Chunk() {
					start := time.Now()
					copy(memory, xs[i:])
					copied = min(copied, time.Since(start))
				}
			}
			b.ReportMetric(float64(run.Nanoseconds())/float64(c.Chunk()), "ns/run")
			b.ReportMetric(100*float64(copied)/float64(run), "%copied")
		})
	}
}
