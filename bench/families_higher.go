package bench

import (
	"fmt"
	"strings"
)

// HigherOrder returns the families with functions, lists and numerals that are not
// adversarial.
func HigherOrder() []Family {
	return []Family{Polynomial, Network, WideNetwork, Loss, Perceptron, Continuations, Compositions, Branches,
		RandomProgram}
}

// Polynomial is (w^n + … + w + 1)·x, the dynamically generated polynomial of section 6.1, by the Church numeral n.
var Polynomial = looped("polynomial", text("input w = 0.5\ninput x = 1.1\niter #{n} (fun y -> w * y + x) x\n"))

// Redexes is a function with n closed redexes that is called n times: by value they fire at each call.
var Redexes = upTo(4, 200, 1000, "redexes in a loop", func(n int) string {
	return fmt.Sprintf("input w = 0.5\ninput x = 1.1\niter #%d (fun y -> %s(fun z -> w * z)%s y) x\n",
		n, strings.Repeat("((fun f -> f) ", n), strings.Repeat(")", n))
})

// Network is the recurrent network of section 6.2 over a list of n numbers. StateTwice has a cell that uses its state
// twice: by name the state is evaluated for each.
var (
	Network    = looped("recurrent network", network("h"))
	StateTwice = looped("recurrent network, the state twice", network("h * h"))
)

// network is a fold of a cell that has a product of its state in it.
func network(state string) func(n int) string {
	return text("input e = 0.7\ninput r = 0.9\ndata a : List R = list i < {n} -> sin i\n" +
		"fold (fun x h -> sigmoid (e * x + r * " + state + ")) 0 a\n")
}

// WideNetwork is the network over a list of n vectors, d = m = 4.
var WideNetwork = upTo(100, 5000, 100_000, "recurrent network, width 4",
	func(n int) string { return Recurrent(4, 4, n) })

// Recurrent is the network of section 6.2: n vectors of R^d in, states of R^m. Its value
// is the sum of the last state.
func Recurrent(d, m, n int) string {
	return fmt.Sprintf(`param n = %d
param d = %d
param m = %d
input E : R^d^m = vec i < m -> vec j < d -> 0.1 * sin (1 + i*d + j)
input W : R^m^m = vec i < m -> vec j < m -> 0.1 * cos (1 + i*m + j)
data  a : List R^d = list t < n -> vec j < d -> sin (t*d + j)
def   cell x h = vec i < m -> sigmoid ((sum j < d -> E.(i).(j) * x.(j)) + (sum j < m -> W.(i).(j) * h.(j)))
let h = fold cell (vec i < m -> 0) a in
sum i < m -> h.(i)
`, n, d, m)
}

// Loss is the negative log-likelihood of n measurements, by map and fold.
var Loss = looped("map and fold", text(`data xs : List R = list i < {n} -> 4 + sin i
input mu = 4.5
input sd = 0.8
def cost x = log sd + ((x - mu) / sd)^2 / 2
fold (+) 0 (map cost xs)
`))

// Perceptron is a perceptron with n hidden neurons, and its squared error on four points.
var Perceptron = upTo(10, 1000, 10_000, "perceptron", text(`param hidden = {n}
input W : R^2^hidden = vec i < hidden -> vec j < 2 -> sin (1 + 2*i + j)
input b : R^hidden = vec i < hidden -> 0.1 * sin i
input v : R^hidden = vec i < hidden -> cos i / hidden
data  points : List R^3 = [[| 0, 0, 0 |]; [| 0, 1, 1 |]; [| 1, 0, 1 |]; [| 1, 1, 0 |]]
def   network x = let s = matvec W x in dot v (vec i < hidden -> tanh (s.(i) + b.(i)))
def   error [| x, y, target |] = (network [| x, y |] - target)^2
fold (fun p loss -> error p + loss) 0 points
`))

// Calls is a balanced sum of n calls of one function of 20 inputs in turn, which may be made in any order.
var Calls = upTo(50, 5000, 100_000, "calls", func(n int) string {
	call := func(i int) string { return fmt.Sprintf("f (x.(%d) + %d)", i%20, i) }
	return vectorInput(20) + "let f = fun y -> y * y * x.(0) in\n" + balanced(n, call) + "\n"
})

// Continuations is foldl over n numbers: a function is built for each element, and then applied.
var Continuations = looped("continuations",
	text("input w = 0.5\ndata xs : List R = list i < {n} -> sin i\nfoldl (fun s x -> tanh (w * x + s)) 0 xs\n"))

// Compositions composes a function with itself n times before it is applied.
var Compositions = looped("compositions", text("input x = 0.5\niter #{n} (fun f -> compose (fun y -> sin (x * y)) "+
	"f) (fun y -> y) x\n"))

// Branches is a fold over n numbers with a condition on its state.
var Branches = looped("branches", text("input w = 0.5\ndata xs : List R = list i < {n} -> sin i\n"+
	"fold (fun x s -> if w * s < x then s + w * x else s * w) 0 xs\n"))

// Copies is n lets of λs, each with two uses of the one before, and x.
func Copies(n int) string {
	return program("input x = 0.5\nlet f0 = fun y -> y in\n", "let f{i} = fun y -> f{i-1} (f{i-1} y) in\n", "f{n} x\n")(n)
}

// ChurchSums and ChurchProducts are pure terms: 1 + … + 1 and 2·…·2, n times, on Church numerals that are
// written as λ-terms. Their normal forms have size O(n) and 2ⁿ.
var (
	ChurchSums     = upTo(5, 500, 2000, "church sums", church("fun f x -> f (c{i-1} f x)"))
	ChurchProducts = doublingFamily("church products", church("fun f -> c{i-1} (fun x -> f (f x))"))
)

// church is n lets of numerals, each made of the one before, and the last.
func church(next string) func(n int) string {
	return program("let c0 = fun f (x : R) -> f (x : R) in\n", "let c{i} = "+next+" in\n", "c{n}\n")
}

// PureFold and PureMap are pure terms with lists: a fold over n variables, and a fold over the map of a function over n
// pairs.
var (
	PureFold = upTo(5, 100, 500, "pure fold", pure("fold f x [", "x", "]"))
	PureMap  = upTo(5, 100, 500, "pure map", pure("fold f x (map (fun p -> let (a, b) = p in g a b) [", "(x, x)", "])"))
)

// pure is a λ-term that applies something to a list of n elements.
func pure(before, element, after string) func(n int) string {
	return func(n int) string {
		list := strings.Repeat(element+"; ", n-1) + element
		return "fun (f : R -> R -> R) (g : R -> R -> R) (x : R) -> " + before + list + after + "\n"
	}
}

// Composed is n functions t = sin ∘ t, each bound by a let, and ComposedSquares n functions t = f ∘ t with f y = y·y,
// which uses its argument twice.
var (
	Composed        = upTo(10, 500, 1000, "composed functions", composed("sin (t{i-1} x)"))
	ComposedSquares = upTo(10, 500, 1000, "composed squares", composed("let y = t{i-1} x in y * y"))
)

func composed(body string) func(n int) string {
	return program("input x = 0.5\nlet t0 = fun x -> x in\n", "let t{i} = fun x -> "+body+" in\n", "t{n} x\n")
}

// Edit is a program of a size, as it is before an edit or after it.
type Edit func(n int, edited bool) string

// Edited is t u for a t of n lets and a small u.
var Edited = written("an edit", func(n int) string { return EditArgument(n, false) })

// EditArgument edits u.
func EditArgument(n int, edited bool) string {
	argument := "x * x"
	if edited {
		argument = "sin x + 2 * x"
	}
	return program("input x = 0.5\n(fun z0 ->\n", "  let z{i} = sin z{i-1} in\n", "  z{n}) ("+argument+")\n")(n)
}

// EditInside edits one of n functions, each of some lets, that call nothing and are called one after the other.
func EditInside(n int, edited bool) string {
	call := line("(fun u -> let v = u * u in let v = sin v + {i} in let v = tanh v in sin v * cos v) z{i-1}")
	return letsBy("x", func(i int) string {
		if edited && i == (n+1)/2 {
			return strings.Replace(call(i), "sin v * cos v", "cos v", 1)
		}
		return call(i)
	})(n)
}

// Sequences is a batch of n sequences of 10⁴ elements through the scalar recurrent network, which nothing joins but
// their sum.
var Sequences = Family{Name: "sequences", Quick: []int{4, 8, 16, 32, 64}, Full: []int{4, 8, 16, 32, 64, 128, 256, 512},
	Source: text(`input e = 0.7
input r = 0.9
data a : List R = list i < 10000 -> sin (9999 - i)
def cell x h = sigmoid (e * x + r * h)
sum i < {n} -> fold cell (0.01 * i) a
`)}
