package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/internal/testprogram"
)

// routinePrograms are programs whose functions have routines, beside [parallelPrograms].
var routinePrograms = map[string]string{
	"mutual recursion, passed on": `let rec even (k : R) (x : R) : R = if k < 1 then x else odd (k - 1) (x * e)
and odd (k : R) (x : R) : R = if k < 1 then 0 - x else twice even (k - 1) x
and twice (f : R -> R -> R) (k : R) : R -> R = fun x -> f k (x + r) in
even 9 e + odd 12 r`,
	"a recursion through a fold": `let rec f (k : R) : R = if k < 1 then e * r else fold (fun y s -> y * f (k - 1) + s) r (list i < 3 -> i + e) in f 4`,
	"five parameters":            `let rec f (k : R) (a : R) (b : R) (c : R) (d : R) : R = if k < 1 then a * b + c * d else f (k - 1) (b * e) c d (sin a) in f 20 e r e r`,
	"pairs and vectors": `let rec f (k : R) (p : R * (R * R)) (v : R^3) : R * R^3 =
  let (a, q) = p in let (b, c) = q in let [| x, y, z |] = v in
  if k < 1 then (a * x + b * y + c * z, v) else f (k - 1) (b, (c * e, a)) [| y, z + r, x * e |] in
let (s, v) = f 9 (e, (r, e)) [| r, e, r |] in let [| x, y, z |] = v in s + x * y + z`,
	"a call behind a conditional": `let rec f (k : R) (x : R) : R = let y = if x < r then x * e else x + r in if k < 1 then y else let z = f (k - 1) y in if z < y then z * y else f (k - 2) z in f 8 e`,
	"a call that is not used":     `let rec f (k : R) (x : R) : R = let y = sin (x + k) in if k < 1 then y else let z = f (k - 1) y in let u = f (k - 2) z in y * e in f 6 r`,
	"three calls, one behind the other": `let rec f (k : R) (x : R) : R * R = let p = (x * e, k) in if k < 1 then p else
  let (a, b) = f (k - 1) x in let (c, d) = f (k - 2) (a + r) in let (g, h) = f (k - 3) b in (a * c + g, d + h * e) in
let (u, v) = f 6 e in u + v * r`,
	"paths that call nothing behind two matches": `let rec ones (k : R) : fs = if k < 1 then Nil else Cons ((fun x -> x * k + e), ones (k - 1)) in
let rec all (s : fs) (x : R) : R = match s with Nil -> sin x | Cons (f, rest) ->
  (match rest with Nil -> f x | Cons (g, q) -> if x < r then x * e else all q (g x) * all rest (f x * e) + all q (x * e)) in all (ones 9) e`,
	"a stream of functions": `let rec ones (k : R) : fs = if k < 1 then Nil else Cons ((fun x -> x * k + e), ones (k - 1)) in
let rec all (s : fs) (x : R) : R = match s with Nil -> x | Cons (f, rest) -> all rest (f x * r) in all (ones 7) e`,
}

// TestRoutines: routines on frames, interpreted and as machine code, change neither the bits of a result nor a count, with collections all the time, too.
func TestRoutines(t *testing.T) {
	for name, body := range parallelPrograms {
		routinePrograms[name] = body
	}
	for name, body := range routinePrograms {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, "type fs = Nil | Cons of (R -> R) * fs\ninput e = 0.75\ninput r = -0.5\n"+body)
			for _, reversed := range []bool{false, true} {
				prog := s.Compiled(t, compile.Options{Reversed: reversed})
				want, m := runAs(t, prog, s.Point, engine.Options{NoFuse: true}, func(*engine.Machine) {})
				require.NoError(t, m.Close())
				for _, compiled := range []bool{false, true} {
					for _, every := range []uint32{1, 1 << 20} {
						if compiled {
							defer engine.NativeWork(0)()
						}
						got, m := runAs(t, prog, s.Point, engine.Options{NoNative: !compiled}, func(m *engine.Machine) {
							engine.RoutinesAfter(m, 0)
							engine.CollectEvery(m, every)
						})
						ran := engine.CompiledRoutines(m)
						require.True(t, ran == compiled || compiled && (parallelPrograms[name] != "" || !native.Supported() || !engine.HasWindow(m)), "it has a routine")
						got.nodes = want.nodes
						sameBits(t, want, got)
						require.NoError(t, m.Close())
					}
				}
			}
		})
	}
}

// TestRoutineLimits: a recursion that is not a tail call meets the limits of steps, nodes and memory.
func TestRoutineLimits(t *testing.T) {
	s := testprogram.FromSource(t, "input x = 0.5\nlet rec f (k : R) : R = x * f (k + 1) in f 0")
	for _, reversed := range []bool{false, true} {
		prog := s.Compiled(t, compile.Options{Reversed: reversed})
		for limit, opt := range map[string]engine.Options{"steps": {}, "nodes": {}, "memory": {}} {
			switch limit {
			case "steps":
				opt.Limits.MaxSteps = 1 << 20
			case "nodes":
				opt.Limits.MaxNodes = 1 << 20
			default:
				opt.Limits.MaxMemory = 64 << 20
			}
			got, m := runAs(t, prog, s.Point, opt, func(*engine.Machine) {})
			require.Contains(t, got.limit, limit, fmt.Sprint(reversed))
			require.NoError(t, m.Close())
		}
	}
}

// TestRoutineRoom: a routine that begins where the arena ends makes room before it runs.
func TestRoutineRoom(t *testing.T) {
	s := testprogram.FromSource(t, `input x = 0.5
let rec f (k : R) : R = if k < 1 then x * x * x * x * sin x * sin (x * x) else f (k - 1) * x * x in
sum i < 20000 -> let y = f (i - 19998) in y * f 0`)
	prog := s.Compiled(t, compile.Options{Reversed: true})
	want, m := runAs(t, prog, s.Point, engine.Options{NoFuse: true}, func(*engine.Machine) {})
	require.NoError(t, m.Close())
	got, m := runAs(t, prog, s.Point, engine.Options{}, func(m *engine.Machine) { engine.RoutinesAfter(m, 0) })
	got.nodes = want.nodes
	sameBits(t, want, got)
	require.NoError(t, m.Close())
}
