package modular_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

const normalInputs = "type option = None | Some of R * R\ninput x = 2\ndata xs : List R = [1; 2]\n"

// normalForms are programs and their normal forms. A variable's number is given where two
// have one name.
var normalForms = []struct{ src, want string }{
	// Under a λ: what no argument decides stays, all else is reduced.
	{"fun h -> [h; x] (fun a s -> a * s + x)",
		"λh#5.λa#8.h#5·(x·a#8 + x) + x"},
	{"fun a -> xs (fun e s -> e * s + a)",
		"λa#5.λa#8.1·(2·a#8 + a#5) + a#5"},
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
		"[z#3·z#3; 1][z#3:=sin(x)]"},
	{"let y = sin x in [y; y]",
		"[z; z][z:=sin(x)]"},
	// Recursive functions are unfolded, but not under a λ. A match on a variable of a λ stays.
	{"let rec f y = if y < 1 then x * y else f (y / 2) in f x",
		"x·div(div(x, 2), 2)"},
	{"let rec f y = if y < 1 then x * y else f (y / 2) in fun z -> f (z * x) + f 1",
		"(λz#9.f#8 (z#9·x) + f#8 1)[f#8:=fix f#6.λy#7.if y#7 < 1 then x·y#7 else f#6 div(y#7, 2)]"},
	{"let rec even y = if y < 1 then x else odd (y - 1) and odd y = if y < 1 then 0 else even (y - 1) in fun z -> odd (even z)",
		"(λz#23.f#22 (f#17 z#23))[f#22:=fix ⟨even#18, odd#19⟩.⟨λy#20.if y#20 < 1 then x else odd#19 sub(y#20, 1), λy#21.if y#21 < 1 then 0 else even#18 sub(y#21, 1)⟩.1][f#17:=fix ⟨even#13, odd#14⟩.⟨λy#15.if y#15 < 1 then x else odd#14 sub(y#15, 1), λy#16.if y#16 < 1 then 0 else even#13 sub(y#16, 1)⟩.0]"},
	{"let rec f y z = if y < 1 then x * z else f (y / 2) z in fun y -> f y",
		"(λy#11.f#10 y#11)[f#10:=fix f#7.λy#8.λz#9.if y#8 < 1 then x·z#9 else f#7 div(y#8, 2) z#9]"},
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
		"λy#5.if y#5 < x then λz#6.z#6 else λz#7.y#5"},
	{"fun y -> (if y < x then fun z -> z else fun z -> y * z) (sin y)",
		"λy#5.(if y#5 < x then λz#6.z#6 else λz#7.y#5·z#7) sin(y#5)"},
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
		"λn#4.n#4 (λx#5.sin(x#5)) x#1"},
	{"fun l -> l (fun a s -> a * s) 1",
		"λl#5.l#5 (λa#6.λs#7.a#6·s#7) 1"},
}

// reversedForms are programs and the normal forms of D of them.
var reversedForms = []struct{ src, want string }{
	{"x * x + 1",
		"⟨x#13·x#13 + 1, λa#15.x*#14 (x#13·a#15 + x#13·a#15)⟩[⟨x#13, x*#14⟩:=x#1]"},
	{"let z = sin x in z * z",
		"⟨z#13·z#13, λa#14.x*#12 (∂1 sin(x#11)·(z#13·a#14 + z#13·a#14))⟩[z#13:=sin(x#11)][⟨x#11, x*#12⟩:=x#1]"},
	{"[| x, 2 |]",
		"⟦x, ⟨2, λa#3.0⃗⟩⟧"},
	{"fun y -> x * y",
		"(λy#10.⟨x#8·y#11, λa#13.x*#9 (y#11·a#13) + y* (x#8·a#13)⟩[⟨y#11, y*⟩:=y#10])[⟨x#8, x*#9⟩:=x#1]"},
	{"fun y -> if y < x then y else x * y",
		"(λy#14.z[z:=if y#15 < x#12 then y#14 else ⟨x#12·y#15, λa#17.x*#13 (y#15·a#17) + y* (x#12·a#17)⟩][⟨y#15, y*⟩:=y#14])[⟨x#12, x*#13⟩:=x#1]"},
	{"[1; 2]",
		"[⟨1, λa#4.0⃗⟩; ⟨2, λa#5.0⃗⟩]"},
	{"[x; 1] max",
		"(λa#20.⟨max(x#10, z), λa#24.x*#11 (∂1 max(x#10, z)·a#24) + a* (∂2 max(1, a#21)·(∂2 max(x#10, z)·a#24))⟩[z:=max(1, a#21)][⟨a#21, a*⟩:=a#20])[⟨x#10, x*#11⟩:=x#1]"},
	{"fun (f : R -> R) -> f (f x)",
		"λf#3.z#5[z#5:=f#3 z#4][z#4:=f#3 x]"},
	{"(fun y -> let z = sin y in (z, z * x))",
		"(λy#14.⟨⟨z#17, λa#18.y* (∂1 sin(y#15)·a#18)⟩, ⟨z#17·x#12, λa#19.x*#13 (z#17·a#19) + y* (∂1 sin(y#15)·(x#12·a#19))⟩⟩[z#17:=sin(y#15)][⟨y#15, y*⟩:=y#14])[⟨x#12, x*#13⟩:=x#1]"},
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
	q, s := image(t, src, reversed)
	n, _, err := modular.Normal(q, s.Inputs, s.Point, modular.Options{Unfold: true})
	require.NoError(t, err, "%s", src)
	require.Equal(t, want, n.String(), "%s", src)
	typ, err := q.Check()
	require.NoError(t, err)
	got, err := n.Check()
	require.NoError(t, err, "%s", src)
	require.Equal(t, typ, got, "%s", src)
}

// image is the term of a program, or D of it.
func image(t *testing.T, src string, reversed bool) (*term.Term, testprogram.Source) {
	s := testprogram.FromSource(t, normalInputs+src)
	if !reversed {
		return s.Term, s
	}
	d, err := revgrad.Reverse(s.Term, nil)
	require.NoError(t, err)
	return d, s
}

// TestNormalSteps: the steps of the example of docs/counts.md.
func TestNormalSteps(t *testing.T) {
	q, s := image(t, "fun y -> let z = sin y in z * z", true)
	_, got, err := modular.Normal(q, s.Inputs, s.Point, modular.Options{})
	require.NoError(t, err)
	require.Equal(t, rule.Counts{rule.Lambda: 1, rule.Pair: 4, rule.Subst: 13, rule.GC: 9, rule.EtaPair: 1,
		rule.Factor: 1}, got)
}

// TestNormalLimits: an error of Look, and a limit of steps or nodes, ends a normalisation in any of its phases: the
// reduction, the work under λs and duals, and the reading back.
func TestNormalLimits(t *testing.T) {
	for src, reversed := range map[string]bool{
		"#15000 (fun h -> sin (h * x)) 1":                         true,
		"fun y -> #15000 (fun h -> sin (h * x) + y) 1":            false,
		"fun f -> #40000 f x":                                     false,
		"[x; #15000 (fun h -> h * x) 1] (fun e s -> e * s)":       true,
		"fun y -> if y < x then #30000 (fun h -> h * y) 1 else 2": false,
	} {
		q, s := image(t, src, reversed)
		stop, looks, left := errors.New("stop"), 0, 0
		look := func() error {
			if looks++; looks == left {
				return stop
			}
			return nil
		}
		normal := func(b limits.Bounds) error {
			looks, b.Look = 0, look
			_, counts, err := modular.Normal(q, s.Inputs, s.Point, modular.Options{Unfold: true, Limits: b})
			require.True(t, b.MaxSteps == 0 || counts.Total() > b.MaxSteps)
			return err
		}
		require.NoError(t, normal(limits.Bounds{}))
		all, tries := looks, 1
		if property.Full() {
			tries = 5
		}
		require.GreaterOrEqual(t, all, 3, "%s", src)
		for left = 1; left <= all; left += max(1, all/tries) {
			require.ErrorIs(t, normal(limits.Bounds{}), stop, "%s: look %d of %d", src, left, all)
		}
		var reached *limits.ReachedError
		require.ErrorAs(t, normal(limits.Bounds{MaxSteps: 1000}), &reached)
		require.Equal(t, "steps", reached.Limit)
		require.ErrorAs(t, normal(limits.Bounds{MaxNodes: 1000}), &reached)
		require.Equal(t, "nodes", reached.Limit)
	}
}
