package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// theorem1 is the term of Theorem 1, with the x0 and the x* of its inputs free:
//
//	⟨z, λb.z* b⟩[⟨z,z*⟩:=D(t)] with [x:=⟨x0,d⟩][d:=λb.x* b] for each input
func theorem1(t require.TestingT, p subject) (q *term.Term, free []term.Var) {
	q = p.reversed(t)
	eta := func(d term.Var) term.Ref {
		return q.Dual(0, func(b term.Var) term.Ref { return q.App(0, q.Variable(0, d), q.Variable(0, b)) })
	}
	z, zs := q.ReverseOpen(0)
	q.Root = q.Unpair(0, z, zs, q.Root, q.Pair(0, q.Variable(0, z), eta(zs)))
	for _, x := range p.inputs {
		x0, star := q.ReverseOpen(0)
		d := q.NewVar(term.VarInfo{Name: "d", Type: term.AbstractDual})
		q.Root = q.Let(0, x, q.Pair(0, q.Variable(0, x0), q.Variable(0, d)), q.Root)
		q.Root = q.Let(0, d, eta(star), q.Root)
		free = append(free, x0, star)
	}
	return q, free
}

// requireNormalSteps holds the steps to the normal form of the term of Theorem 1, or with closed of the closed λ of its
// inputs, against the reference's.
func requireNormalSteps(t require.TestingT, p subject, closed bool, rng *rand.Rand) {
	q, inputs := theorem1(t, p)
	var point []float64
	for _, r := range p.point {
		point = append(point, r, 0)
	}
	if closed {
		for _, x := range inputs {
			q.Root = q.Lam(0, x, q.Root)
		}
		inputs, point = nil, nil
	}
	_, got, err := modular.Normal(q, inputs, point,
		modular.Options{Unfold: true, Limits: limits.Bounds{MaxSteps: maxSteps}})
	if tooLong(t, err) {
		return
	}
	require.NoError(t, err)
	s := reference.Convert(p.reversed(t), denote.Floats{}).OpenGradientStart(p.inputs, p.point).Named()
	want := limited(t, s, reference.Open(rng), 2000)
	if want == nil {
		return
	}
	// There [x:=⟨x0,d⟩] is a pair of names. Here (10) and (2) make names, which (3) and (4) put back.
	n := uint64(len(p.inputs))
	want.Counts.AddTimes(&rule.Counts{rule.EtaPair: 1, rule.Pair: 1, rule.Subst: 2, rule.GC: 2}, n)
	require.Equal(t, named(want.Counts), named(got), "%s", p.t)
}

// TestPropertyNormalSteps holds the steps of package modular, rule by rule, against the reference's, by any schedule.
func TestPropertyNormalSteps(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawScalarOf(t, rapid.Bool().Draw(t, "recursive"))
		requireNormalSteps(t, p, false, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
	})
}

// TestPropertyNormalStepsOfLambdas does so for closed λs, which package modular goes under.
func TestPropertyNormalStepsOfLambdas(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Smooth: true, Size: rapid.IntRange(3, property.MaxSize).Draw(t, "size")})
		requireNormalSteps(t, subject{t: p.Term, inputs: p.Inputs, point: p.Point}, true, nil)
	})
}

// requireStepsUnderLambda holds the steps of a term to its normal form, under its λs, against the reference's. Those
// are left out in whose normal form a let shares a value, for the rewriter copies it, or a variable is of the type of a
// tuple, for package modular opens it.
func requireStepsUnderLambda(t require.TestingT, p subject) (compared bool) {
	opt := modular.Options{Unfold: true, Limits: limits.Bounds{MaxSteps: 400}}
	n, got, err := modular.Normal(p.t, p.inputs, p.point, opt)
	if tooLong(t, err) || !comparable(n) {
		return false
	}
	require.NoError(t, err)
	want := limited(t, reference.Convert(p.t, denote.Floats{}).OpenStart(p.inputs, p.point), reference.Normal, 1000)
	if want == nil {
		return false
	}
	require.Equal(t, named(want.Counts), named(got), "%s\n%s\n%s", p.t, n, want.Term)
	return true
}

// TestNormalStepsUnderLambda: of conditionals, matches and applications that are left under λs.
func TestNormalStepsUnderLambda(t *testing.T) {
	for _, src := range []string{
		"fun y -> if y < x then y * (2 * 3) else (fun z -> z + y) x",
		"fun y -> if x < 3 then y * x else 1",
		"fun y -> (if y < x then fun z -> z else fun z -> y * z) (sin y)",
		"fun f -> let z = f (x + 1) in z * z + f 2",
		"fun f -> f (fun a -> (fun b -> b * b) (a + (1 + 2))) x",
		"fun h -> [h; x; 2] (fun a s -> a * s + x)",
		"fun f -> #3 f",
		"fun f -> #3 (f x)",
		"#3 (fun y -> y * x)",
		"[x; 1] max",
		"let g = fun y -> fun z -> y * z in fun w -> g (g w 2) (g 3 4)",
		"let k = fun a -> fun b -> a * b in (fun g -> fun u -> g (u * 2)) (k x)",
		"fun o -> match o with | None -> x * (1 + 1) | Some a -> let b = a in b * b",
		"fun y -> Some (y * (2 * 2))",
		"fun y -> match Some (y * 2) with | None -> x | Some a -> a * a",
		"fun z -> let rec f y = if y < 1 then x * y else f (y / 2) in f (z * (1 + 1))",
	} {
		p := load(t, "type option = None | Some of R\ninput x = 2\n"+src)
		require.True(t, requireStepsUnderLambda(t, p), "%s", src)
	}
}

// TestPropertyNormalStepsUnderLambda does so for programs of any type.
func TestPropertyNormalStepsUnderLambda(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Any: true, Recursive: rapid.Bool().Draw(t, "recursive"),
			Size: rapid.IntRange(3, property.MaxSize).Draw(t, "size")})
		requireStepsUnderLambda(t, subject{t: p.Term, inputs: p.Inputs, point: p.Point})
	})
}

// comparable reports whether the rewriter comes to the normal form n, but for the places of lets.
func comparable(n *term.Term) bool {
	tuple := func(x term.Var) bool { return len(n.Types.Components(n.TypeOf(x))) > 0 }
	for i := range n.Nodes {
		switch nd := &n.Nodes[i]; nd.Op {
		case term.UnvecOp, term.UntupleOp:
			return false
		case term.BranchOp:
			for _, x := range n.BoundVars(nd) {
				if tuple(x) {
					return false
				}
			}
		case term.LamOp:
			if tuple(nd.X) {
				return false
			}
		case term.LetOp:
			switch n.Nodes[nd.B].Op {
			case term.FunOp, term.AddOp, term.AppOp, term.IfOp, term.CaseOp:
			default:
				return false
			}
			if tuple(nd.X) {
				return false
			}
		}
	}
	return true
}
