package gram_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/optimize"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/rule"
)

// A program's value and gradient, and what they cost.
func Example() {
	src := `
input x1 = 5
input x2 = 2
let z1 = x1 - x2 in
let z2 = z1 * z1 in
sin z2
`
	ctx := context.Background()
	p, err := gram.Load(ctx, "figure1.gram", []byte(src), gram.Options{})
	if err != nil {
		log.Fatal(err)
	}
	res, err := p.Gradient(ctx, gram.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("value %.3f, gradient %.3f\n", res.Values[0], res.Jacobian)
	fmt.Printf("%d steps, %d of them (11)\n", res.Cost.Steps.Total(), res.Cost.Steps[rule.Factor])
	// Output:
	// value 0.412, gradient [-5.467 5.467]
	// 76 steps, 1 of them (11)
}

// Gradient descent by a plain loop: the weather network, loaded and compiled once,
// evaluated at a thousand points.
func Example_gradientDescent() {
	ctx := context.Background()
	p, err := gram.LoadFile(ctx, "examples/weather.gram", gram.Options{})
	if err != nil {
		log.Fatal(err)
	}
	e, err := p.NewGradient(ctx, gram.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	point := p.Point()
	var first, loss float64
	for step := range 1000 {
		res, err := e.Gradient(ctx, point)
		if err != nil {
			log.Fatal(err)
		}
		if loss = res.Values[0]; step == 0 {
			first = loss
		}
		for i, g := range res.Jacobian {
			point[i] -= 0.001 * g
		}
	}
	fmt.Printf("mean squared error: %.1f °C² before, %.1f °C² after\n", first, loss)
	// Output:
	// mean squared error: 14.9 °C² before, 11.6 °C² after
}

// Data from Go slices, and a point for each of several goroutines: the program is
// compiled once, each goroutine has an evaluator of its own.
func ExampleProgram_NewGradient() {
	src := `
input a = 0
input b = 0
data points : List R^2 = [ [| 0, 0 |] ]
def square x = x * x
foldl (fun loss [| x, y |] -> loss + square (a * x + b - y)) 0 points / size points
`
	ctx := context.Background()
	p, err := gram.Load(ctx, "fit.gram", []byte(src), gram.Options{
		Values: map[string][]float64{"points": {0, 1, 1, 3, 2, 5}}, // (0,1) (1,3) (2,5)
	})
	if err != nil {
		log.Fatal(err)
	}
	lines := [][]float64{{0, 0}, {1, 1}, {2, 1}}
	losses := make([]float64, len(lines))
	var wait sync.WaitGroup
	for i, line := range lines {
		wait.Go(func() {
			e, err := p.NewGradient(ctx, gram.EvalOptions{})
			if err != nil {
				log.Fatal(err)
			}
			defer e.Close()
			res, err := e.Gradient(ctx, line)
			if err != nil {
				log.Fatal(err)
			}
			losses[i] = res.Values[0]
		})
	}
	wait.Wait()
	fmt.Printf("%.3f\n", losses)
	// Output:
	// [11.667 1.667 0.000]
}

// A program is trained by gonum's L-BFGS, and its parameters are saved as JSON.
func ExampleObjective() {
	ctx := context.Background()
	p, err := gram.LoadFile(ctx, "examples/weather.gram", gram.Options{})
	if err != nil {
		log.Fatal(err)
	}
	o, err := p.NewObjective(ctx, gram.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer o.Close()
	fitted := p.NewPoint()
	res, err := optimize.Minimize(optimize.Problem{Func: o.Func, Grad: o.Grad}, fitted.Values,
		&optimize.Settings{GradientThreshold: 1e-4, MajorIterations: 200}, &optimize.LBFGS{})
	if err != nil || o.Err() != nil {
		log.Fatal(err, o.Err())
	}
	copy(fitted.Values, res.X)
	file, err := json.Marshal(fitted)
	if err != nil {
		log.Fatal(err)
	}
	again := p.NewPoint()
	if err := json.Unmarshal(file, again); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f °C², the same as read back: %t\n", res.F, slices.Equal(again.Values, res.X))
	// Output:
	// 11.01 °C², the same as read back: true
}

// Stochastic gradient descent: the program is loaded with a batch of the data, and gets the other
// batches by SetData.
func ExampleEvaluator_SetData() {
	src := `
input a = 0
data points : List R^2 = [ [| 0, 0 |] ]
def square x = x * x
fold (fun [| x, y |] loss -> loss + square (a * x - y)) 0 points / size points
`
	batches := [][]float64{{1, 3, 2, 6}, {3, 9, 0.5, 1.5}, {1, 3, 4, 12}} // y = 3 x
	ctx := context.Background()
	p, err := gram.Load(ctx, "slope.gram", []byte(src), gram.Options{Values: map[string][]float64{"points": batches[0]}})
	if err != nil {
		log.Fatal(err)
	}
	e, err := p.NewGradient(ctx, gram.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	x := p.NewPoint()
	for step := range 60 {
		if err := e.SetData("points", batches[step%3]); err != nil {
			log.Fatal(err)
		}
		res, err := e.Gradient(ctx, x.Values)
		if err != nil {
			log.Fatal(err)
		}
		x.Values[0] -= 0.05 * res.Jacobian[0]
	}
	fmt.Printf("a = %.3f\n", x.Map()["a"][0])
	// Output:
	// a = 3.000
}

// The Jacobian of a body of type R^k, row by row.
func ExampleProgram_Gradient() {
	src := `
input r = 2
input t = 0.5
[| r * cos t, r * sin t |]
`
	ctx := context.Background()
	p, err := gram.Load(ctx, "polar.gram", []byte(src), gram.Options{})
	if err != nil {
		log.Fatal(err)
	}
	res, err := p.Gradient(ctx, gram.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", res.Jacobian[:2])
	fmt.Printf("%.4f\n", res.Jacobian[2:])
	fmt.Println(math.Abs(res.Jacobian[0]*res.Jacobian[3]-res.Jacobian[1]*res.Jacobian[2]-2) < 1e-12)
	// Output:
	// [0.8776 -0.9589]
	// [0.4794 1.7552]
	// true
}

// Theorem 1 on a program: steps and overhead against m + |G|.
func ExampleProgram_Bound() {
	ctx := context.Background()
	p, err := gram.LoadFile(ctx, "examples/w1.gram", gram.Options{Params: []string{"n=1000"}})
	if err != nil {
		log.Fatal(err)
	}
	res, err := p.Gradient(ctx, gram.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	b, err := p.Bound(ctx, gram.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("m = %d, |G| = %d, ratio %.2f\n", b.M, b.Graph, b.Ratio(&res.Cost))
	// Output:
	// m = 5007, |G| = 12002, ratio 5.06
}

// A cache shared by two versions of a program: of the second only the function that was
// edited is transformed and normalised again.
func ExampleCache() {
	cache, err := gram.NewCache(16 << 20)
	if err != nil {
		log.Fatal(err)
	}
	defer cache.Close()
	for _, last := range []string{"cos", "tanh"} {
		src := `
input x = 0.5
let t = fun v -> sum i < 100 -> sin (v * x + i) in
let u = fun y -> ` + last + ` (y * y + x) in
t (u x)
`
		p, err := gram.Load(context.Background(), "edited.gram", []byte(src), gram.Options{Cache: cache})
		if err != nil {
			log.Fatal(err)
		}
		res, err := p.Gradient(context.Background(), gram.EvalOptions{Strategy: gram.Modular})
		if err != nil {
			log.Fatal(err)
		}
		c := res.Cost.Cache
		fmt.Printf("%s: %d found, %d made, %d of %d symbols of D(t) rebuilt\n", last, c.Hits, c.Misses, c.Rebuilt, res.Cost.Size.Reverse)
	}
	// Output:
	// cos: 0 found, 2 made, 6341 of 6341 symbols of D(t) rebuilt
	// tanh: 1 found, 1 made, 54 of 6341 symbols of D(t) rebuilt
}

// Gradients at many points in one call: each point has its value and its row of derivatives.
func ExampleEvaluator_Gradients() {
	ctx := context.Background()
	p, err := gram.Load(ctx, "product.gram", []byte("input x = 0\ninput y = 0\nx * y"), gram.Options{})
	if err != nil {
		log.Fatal(err)
	}
	e, err := p.NewGradient(ctx, gram.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	points := []float64{1, 2, 3, 4, 5, 6} // (1, 2), (3, 4), (5, 6)
	values, gradients := make([]float64, 3), make([]float64, 6)
	if err := e.Gradients(ctx, points, values, gradients); err != nil {
		log.Fatal(err)
	}
	fmt.Println(values, gradients)
	// Output:
	// [2 12 30] [2 1 4 3 6 5]
}

// A program may be used by several goroutines at once, an evaluator by one: each goroutine has its own.
func ExampleProgram_goroutines() {
	ctx := context.Background()
	p, err := gram.Load(ctx, "square.gram", []byte("input x = 0\nx * x"), gram.Options{})
	if err != nil {
		log.Fatal(err)
	}
	slopes := make([]float64, 4)
	var group sync.WaitGroup
	for i := range slopes {
		group.Go(func() {
			e, err := p.NewGradient(ctx, gram.EvalOptions{})
			if err != nil {
				log.Fatal(err)
			}
			defer e.Close()
			res, err := e.Gradient(ctx, []float64{float64(i)})
			if err != nil {
				log.Fatal(err)
			}
			slopes[i] = res.Jacobian[0]
		})
	}
	group.Wait()
	fmt.Println(slopes)
	// Output:
	// [0 2 4 6]
}

// A run that reaches a limit ends with an error that says which, and how far it got.
func ExampleLimitError() {
	ctx := context.Background()
	p, err := gram.Load(ctx, "loop.gram", []byte("input x = 1\ndef rec f y = f (y + x)\nf 0"), gram.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = p.Value(ctx, gram.EvalOptions{MaxSteps: 10000})
	var limit *gram.LimitError
	if errors.As(err, &limit) && limit.Limit == gram.StepsLimit {
		fmt.Printf("more than %d steps while %s, in %s\n", limit.Max, limit.Phase, limit.Function)
	}
	// Output:
	// more than 10000 steps while reducing, in f
}

// The error of a program that is wrong has its places.
func ExampleError() {
	_, err := gram.Load(context.Background(), "wrong.gram", []byte("data xs = csv \"none.csv\" \"a\"\n1"), gram.Options{})
	var wrong *gram.Error
	if errors.As(err, &wrong) {
		for _, d := range wrong.Diagnostics {
			fmt.Printf("%s:%d:%d: %s: %s\n", d.File, d.FileLine, d.FileColumn, d.Headline, d.Label)
		}
	}
	fmt.Println("a file is missing:", errors.Is(err, fs.ErrNotExist))
	// Output:
	// wrong.gram:1:15: CSV file cannot be read: none.csv: no such file
	// a file is missing: true
}
