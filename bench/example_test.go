package bench_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/report"
)

// polynomial is the program that is measured: x + x·(x + x·(…)), n times.
const polynomial = `param n = 1
input x = 0.5
iter #n (fun y -> x * y + x) x
`

// A claim of one's own: the gradient of Horner's scheme takes a number of steps linear in
// the degree, and m grows no faster than |G|. docs/benchmarks.md goes through it.
func Example() {
	// What is measured at a size: a pair of quantities, and what else is worth keeping.
	horner := func(ctx context.Context, n int) (bench.Point, error) {
		p, err := gram.Load(ctx, "horner.gram", []byte(polynomial), gram.Options{Params: []string{fmt.Sprintf("n=%d", n)}})
		if err != nil {
			return bench.Point{}, err
		}
		res, err := p.Gradient(ctx, gram.EvalOptions{})
		return bench.Point{X: float64(n), Y: float64(res.Cost.Steps.Total())}, err
	}
	// The claim: a title, and series with the laws that they are to follow.
	claim := bench.Claim{
		Number: 101,
		Title:  "Horner's scheme is differentiated in O(n) steps",
		Source: "section 6.1",
		Family: "x + x·(x + x·(…)), n times.",
		Series: []bench.Series{{
			Name: "horner", Role: bench.Evidence, Law: bench.Law{Kind: bench.Power, Power: 1},
			X: "n", Y: "steps", Quick: []int{100, 200, 500, 1000, 2000}, Full: []int{100, 200, 500, 1000, 2000, 10_000, 100_000},
			Measure: horner,
		}},
		Meaning: "Each application of the step is differentiated once.",
	}

	// Measured, judged and printed as gram bench does it.
	dir, err := os.MkdirTemp("", "claims")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := report.Open(filepath.Join(dir, "rows.jsonl"))
	if err != nil {
		panic(err)
	}
	defer store.Close()
	claims := []bench.Claim{claim}
	sizes := report.Selection{Sizes: report.Quick}
	if err := report.Run(context.Background(), claims, store, report.Options{Selection: sizes}); err != nil {
		panic(err)
	}
	fmt.Print(report.Text(store.Report(claims, sizes)))
	// Output:
	// no.  claim                                           verdict  law           exponent  constant
	// 101  Horner's scheme is differentiated in O(n)       holds    steps = Θ(n)     1.000      44.2
	//      steps
}
