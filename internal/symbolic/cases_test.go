package symbolic_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/symbolic"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
)

const normalInputs = "type option = None | Some of R * R\ninput x = 2\ndata xs : List R = [1; 2]\n"

// normalForms are programs and their normal forms. A variable's number is given where two
// have one name.
var normalForms = []struct{ src, want string }{
	// Under a λ: what no argument decides stays, all else is reduced.
	{"fun h -> [h; x] (fun a s -> a * s + x)",
		"λh#5.λa#6.h#5·(x·a#6 + x) + x"},
	{"fun a -> xs (fun e s -> e * s + a)",
		"λa#5.λa#6.1·(2·a#6 + a#5) + a#5"},
	{"let k = fun a b -> a * b in k x",
		"λb#5.x·b#5"},
	{"fun y -> let z = sin y in fun w -> z * w",
		"λy#5.(λw#7.z#6·w#7)[z#6:=sin(y#5)]"},
	{"(fun y -> y, x)",
		"⟨λy#3.y#3, x⟩"},
	// Iterations that wait for their function or their start.
	{"fun f -> #3 f",
		"λf#3.λa.f#3 (f#3 (f#3 a))"},
	{"#3 (fun y -> y * x)",
		"λa.a·x·x·x"},
	{"[x; 1] max",
		"λa.max(x#1, max(1, a))"},
	{"xs max",
		"λa.max(1, max(2, a))"},
	// What nothing applies stays as it is; elements that share something are a λ.
	{"#2",
		"#2"},
	{"xs",
		"xs"},
	{"[1; 2]",
		"[1; 2]"},
	{"[x; x * 2]",
		"[x; x·2]"},
	{"[(fun z -> z * z) (sin x); 1]",
		"λf.λx#5.(f (z#3·z#3) (f 1 x#5))[z#3:=sin(x#1)]"},
	{"let y = sin x in [y; y]",
		"[z; z][z:=sin(x)]"},
	// Recursive functions are unfolded, but not under a λ. A match on a variable of a λ stays.
	{"let rec f y = if y < 1 then x * y else f (y / 2) in f x",
		"x·div(div(x, 2), 2)"},
	{"let rec f y = if y < 1 then x * y else f (y / 2) in fun z -> f (z * x) + f 1",
		"(λz#6.f#9 (z#6·x) + f#9 1)[f#9:=fix f#7.λy#8.if y#8 < 1 then x·y#8 else f#7 div(y#8, 2)]"},
	{"let rec even y = if y < 1 then x else odd (y - 1) and odd y = if y < 1 then 0 else even (y - 1) in fun z -> odd (even z)",
		"(λz#13.f#23 (f#18 z#13))[f#23:=fix ⟨even#19, odd#20⟩.⟨λy#21.if y#21 < 1 then x else odd#20 sub(y#21, 1), λy#22.if y#22 < 1 then 0 else even#19 sub(y#22, 1)⟩.1][f#18:=fix ⟨even#14, odd#15⟩.⟨λy#16.if y#16 < 1 then x else odd#15 sub(y#16, 1), λy#17.if y#17 < 1 then 0 else even#14 sub(y#17, 1)⟩.0]"},
	{"let rec f y z = if y < 1 then x * z else f (y / 2) z in fun y -> f y",
		"(λy#7.f#11 y#7)[f#11:=fix f#8.λy#9.λz#10.if y#9 < 1 then x·z#10 else f#8 div(y#9, 2) z#10]"},
	{"fun o -> match o with | None -> x * (1 + 1) | Some (a, b) -> a * b",
		"λo#5.match o#5 with None → x·2 | Some a#6 → (a#7·a#8)[⟨a#7, a#8⟩:=a#6]"},
	{"Some (x * (1 + 1), 1)",
		"Some ⟨x·2, 1⟩"},
	{"match Some (x, x) with | None -> x | Some (a, b) -> a * b",
		"x·x"},
	{"fun (y : R) -> None",
		"λy#3.None"},
	// Conditionals: decided at the point, or by a variable of a λ.
	{"if x < 1 then fun y -> y else fun y -> y * x",
		"λy#4.y#4·x"},
	{"fun y -> if y < x then y else x * y",
		"λy#3.if y#3 < x then y#3 else x·y#3"},
	{"fun y -> if y < x then [| y, x |] else [| x, x * y |]",
		"λy#3.z[z:=if y#3 < x then ⟦y#3, x⟧ else ⟦x, x·y#3⟧]"},
	{"fun y -> if y < x then (fun z -> z) else (fun z -> y)",
		"(λy#5.if y#5 < x then f else λz#6.y#5)[f:=λz#7.z#7]"},
	{"fun y -> (if y < x then fun z -> z else fun z -> y * z) (sin y)",
		"(λy#5.(if y#5 < x then f else λz#6.y#5·z#6) sin(y#5))[f:=λz#7.z#7]"},
	// Variables that are tuples or functions.
	{"fun p -> let (a, b) = p in (b, a + 0)",
		"λp#5.⟨p#7, p#6 + 0⟩[⟨p#6, p#7⟩:=p#5]"},
	{"fun (v : R^2) -> v.(0) * v.(1) + x",
		"λv#5.(v#6·v#7 + x)[⟦v#6, v#7⟧:=v#5]"},
	{"fun (v : R^2) -> v",
		"λv#3.v#3"},
	{"fun (f : R -> R * R) y -> f (y * x)",
		"λf#4.λy#5.z[z:=f#4 (y#5·x)]"},
	{"fun (f : R -> R^2) -> let v = f x in v.(1)",
		"λf#6.z#9[⟦z#8, z#9⟧:=z#7][z#7:=f#6 x]"},
	{"fun (n : (R -> R) -> R -> R) -> n sin x",
		"(λn#4.n#4 f x#1)[f:=λx#5.sin(x#5)]"},
	{"fun l -> l (fun a s -> a * s) 1",
		"(λl#5.l#5 f 1)[f:=λa#6.λs#7.a#6·s#7]"},
}

// reversedForms are programs and the normal forms of D of them.
var reversedForms = []struct{ src, want string }{
	{"x * x + 1",
		"⟨x#13·x#13 + 1, λa#15.x*#14 (x#13·a#15 + x#13·a#15)⟩[⟨x#13, x*#14⟩:=x#1]"},
	{"let z = sin x in z * z",
		"⟨z#13·z#13, λa#14.x*#12 (∂1 sin(x#11)·(z#13·a#14 + z#13·a#14))⟩[z#13:=sin(x#11)][⟨x#11, x*#12⟩:=x#1]"},
	{"[| x, 2 |]",
		"⟦x#1, ⟨2, λa#5.0⃗⟩⟧[⟨x#3, x*⟩:=x#1]"},
	{"fun y -> x * y",
		"(λy#8.⟨x#9·y#11, λa#13.x*#10 (y#11·a#13) + y#12 (x#9·a#13)⟩[⟨y#11, y#12⟩:=y#8])[⟨x#9, x*#10⟩:=x#1]"},
	{"fun y -> if y < x then y else x * y",
		"(λy#12.z[z:=if y#15 < x#13 then y#12 else ⟨x#13·y#15, λa#17.x*#14 (y#15·a#17) + y#16 (x#13·a#17)⟩][⟨y#15, y#16⟩:=y#12])[⟨x#13, x*#14⟩:=x#1]"},
	{"[1; 2]",
		"[⟨1, λa#4.0⃗⟩; ⟨2, λa#5.0⃗⟩]"},
	{"[x; 1] max",
		"(λa#10.⟨max(x#14, z), λa#16.x*#15 (∂1 max(x#14, z)·a#16) + a#12 (∂2 max(1, a#11)·(∂2 max(x#14, z)·a#16))⟩[z:=max(1, a#11)][⟨a#11, a#12⟩:=a#10])[⟨x#14, x*#15⟩:=x#1]"},
	{"fun (f : R -> R) -> f (f x)",
		"(λf#3.z#7[z#7:=f#3 z#6][z#6:=f#3 x#1])[⟨x#4, x*⟩:=x#1]"},
	{"(fun y -> let z = sin y in (z, z * x))",
		"(λy#12.⟨⟨z#15, λa#18.y#14 (∂1 sin(y#13)·a#18)⟩, ⟨z#15·x#16, λa#19.x*#17 (z#15·a#19) + y#14 (∂1 sin(y#13)·(x#16·a#19))⟩⟩[z#15:=sin(y#13)][⟨y#13, y#14⟩:=y#12])[⟨x#16, x*#17⟩:=x#1]"},
	{"xs",
		"xs"},
}

// TestNormalForms: the normal forms of programs and of D of them, each of the type of
// what it is the normal form of.
func TestNormalForms(t *testing.T) {
	for _, c := range normalForms {
		requireNormal(t, c.src, c.want, false)
	}
	for _, c := range reversedForms {
		requireNormal(t, c.src, c.want, true)
	}
}

func requireNormal(t *testing.T, src, want string, reversed bool) {
	t.Helper()
	s := testprogram.FromSource(t, normalInputs+src)
	prog := s.Compiled(t, compile.Options{Open: true, Reversed: reversed})
	m, err := engine.New(prog, engine.Options{})
	require.NoError(t, err)
	defer m.Close()
	q := s.Term
	if reversed {
		q, err = revgrad.Reverse(q, nil)
		require.NoError(t, err)
	}
	n, err := symbolic.Normal(m, s.Point, q, s.Inputs)
	require.NoError(t, err, "%s", src)
	require.Equal(t, want, n.String(), "%s", src)
	typ, err := q.Check()
	require.NoError(t, err)
	got, err := n.Check()
	require.NoError(t, err, "%s", src)
	require.Equal(t, typ, got, "%s", src)
}

// TestNormalLimits: an error of Look ends a normalisation in any of its phases: the
// reduction, the jobs under λs and duals, and the reading back. The next one of the same
// machine is as if nothing had been.
func TestNormalLimits(t *testing.T) {
	for src, reversed := range map[string]bool{
		"#15000 (fun h -> sin (h * x)) 1":                         true,
		"fun y -> #15000 (fun h -> sin (h * x) + y) 1":            false,
		"fun f -> #40000 f x":                                     false,
		"[x; #15000 (fun h -> h * x) 1] (fun e s -> e * s)":       true,
		"fun y -> if y < x then #30000 (fun h -> h * y) 1 else 2": false,
	} {
		s := testprogram.FromSource(t, normalInputs+src)
		prog := s.Compiled(t, compile.Options{Open: true, Reversed: reversed})
		q := s.Term
		if reversed {
			var err error
			q, err = revgrad.Reverse(q, nil)
			require.NoError(t, err)
		}
		stop, left := errors.New("stop"), uint64(0)
		m, err := engine.New(prog, engine.Options{Limits: limits.Bounds{Look: func() error {
			if left--; left == 0 {
				return stop
			}
			return nil
		}}})
		require.NoError(t, err)
		want, err := symbolic.Normal(m, s.Point, q, s.Inputs)
		require.NoError(t, err)
		looks := m.Stats().Looks
		require.GreaterOrEqual(t, looks, uint64(3), "%s", src)
		for at := uint64(1); at <= looks; at++ {
			left = at
			_, err := symbolic.Normal(m, s.Point, q, s.Inputs)
			require.ErrorIs(t, err, stop, "%s: look %d of %d", src, at, looks)
		}
		got, err := symbolic.Normal(m, s.Point, q, s.Inputs)
		require.NoError(t, err)
		require.Equal(t, want.String(), got.String())
		require.NoError(t, m.Close())
	}
}

// TestNormalErrors: a machine whose inputs are numbers has no normal form, and a point has
// as many numbers as there are inputs.
func TestNormalErrors(t *testing.T) {
	s := testprogram.FromSource(t, normalInputs+"fun y -> x * y")
	closed, err := engine.New(s.Compiled(t, compile.Options{}), engine.Options{})
	require.NoError(t, err)
	defer closed.Close()
	_, err = symbolic.Normal(closed, s.Point, s.Term, s.Inputs)
	require.EqualError(t, err, "the program was not compiled with symbolic inputs")
	open, err := engine.New(s.Compiled(t, compile.Options{Open: true}), engine.Options{})
	require.NoError(t, err)
	defer open.Close()
	_, err = symbolic.Normal(open, nil, s.Term, s.Inputs)
	require.EqualError(t, err, "the point does not have as many numbers as the program has scalar inputs")
}
