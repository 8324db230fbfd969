package family

import (
	"fmt"
	"strings"
)

// HigherOrder returns the families with functions, lists and numerals that are not
// adversarial.
func HigherOrder() []Family {
	return []Family{Polynomial, Network, WideNetwork, Loss, Perceptron, Continuations, Compositions, Branches, RandomProgram}
}

// Polynomial is the dynamically generated polynomial of section 6.1.
var Polynomial = looped(Family{Name: "polynomial", Text: "(w^n + … + w + 1)·x of section 6.1, by the Church numeral n",
	Source: func(n int) string {
		return fmt.Sprintf("input w = 0.5\ninput x = 1.1\niter #%d (fun y -> w * y + x) x\n", n)
	}})

// Redexes is a function with n closed redexes that is called n times: by value they fire at each call.
var Redexes = sized(4, 200, 1000, Family{Name: "redexes in a loop", Text: "a function with n closed redexes in it, applied n times",
	Source: func(n int) string {
		return fmt.Sprintf("input w = 0.5\ninput x = 1.1\niter #%d (fun y -> %s(fun z -> w * z)%s y) x\n",
			n, strings.Repeat("((fun f -> f) ", n), strings.Repeat(")", n))
	}})

// Network is the recurrent network of section 6.2 with numbers for vectors.
var Network = looped(Family{Name: "recurrent network", Text: "the network of section 6.2 over a list of n numbers",
	Source: func(n int) string {
		return fmt.Sprintf("input e = 0.7\ninput r = 0.9\ndata a : List R = list i < %d -> sin i\n"+
			"fold (fun x h -> sigmoid (e * x + r * h)) 0 a\n", n)
	}})

// StateTwice is the network with a cell that uses its state twice: by name the state is evaluated for each.
var StateTwice = looped(Family{Name: "recurrent network, the state twice", Text: "a network over a list of n numbers whose cell uses its state twice",
	Source: func(n int) string {
		return fmt.Sprintf("input e = 0.7\ninput r = 0.9\ndata a : List R = list i < %d -> sin i\n"+
			"fold (fun x h -> sigmoid (e * x + r * h * h)) 0 a\n", n)
	}})

// WideNetwork is the network with vectors of 4.
var WideNetwork = sized(100, 5000, 100_000, Family{Name: "recurrent network, width 4", Text: "the network of section 6.2 over a list of n vectors, d = m = 4",
	Source: func(n int) string { return Recurrent(4, 4, n) }})

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

// Loss is map and fold over measurements.
var Loss = looped(Family{Name: "map and fold", Text: "the negative log-likelihood of n measurements, by map and fold",
	Source: func(n int) string {
		return fmt.Sprintf("data xs : List R = list i < %d -> 4 + sin i\ninput mu = 4.5\ninput sd = 0.8\n"+
			"def cost x = log sd + ((x - mu) / sd)^2 / 2\nfold (+) 0 (map cost xs)\n", n)
	}})

// Perceptron is a perceptron of n hidden neurons on four points.
var Perceptron = sized(10, 1000, 10_000, Family{Name: "perceptron", Text: "a perceptron with n hidden neurons, its squared error on four points",
	Source: func(n int) string {
		return fmt.Sprintf(`param hidden = %d
input W : R^2^hidden = vec i < hidden -> vec j < 2 -> sin (1 + 2*i + j)
input b : R^hidden = vec i < hidden -> 0.1 * sin i
input v : R^hidden = vec i < hidden -> cos i / hidden
data  points : List R^3 = [[| 0, 0, 0 |]; [| 0, 1, 1 |]; [| 1, 0, 1 |]; [| 1, 1, 0 |]]
def   network x = let s = matvec W x in dot v (vec i < hidden -> tanh (s.(i) + b.(i)))
def   error [| x, y, target |] = (network [| x, y |] - target)^2
fold (fun p loss -> error p + loss) 0 points
`, n)
	}})

// Calls is a balanced sum of calls of one function, which are free to come in any order.
var Calls = sized(50, 5000, 100_000, Family{Name: "calls", Text: "a balanced sum of n calls of a function of 20 inputs in turn",
	Source: func(n int) string {
		var b strings.Builder
		b.WriteString(vector(20) + "let f = fun y -> y * y * x.(0) in\n")
		balanced(&b, 0, n, func(i int) string { return fmt.Sprintf("f (x.(%d) + %d)", i%20, i) })
		return b.String() + "\n"
	}})

// Continuations is foldl: a function is built for each element, and then applied.
var Continuations = looped(Family{Name: "continuations", Text: "a fold from the left over n numbers, which builds n continuations",
	Source: func(n int) string {
		return fmt.Sprintf("input w = 0.5\ndata xs : List R = list i < %d -> sin i\nfoldl (fun a x -> tanh (w * a + x)) 0 xs\n", n)
	}})

// Compositions composes a function with itself n times before it is applied.
var Compositions = looped(Family{Name: "compositions", Text: "a function composed n times, and then applied",
	Source: func(n int) string {
		return fmt.Sprintf("input x = 0.5\niter #%d (fun f -> compose (fun y -> sin (x * y)) f) (fun y -> y) x\n", n)
	}})

// Branches has a condition on an input in each iteration.
var Branches = looped(Family{Name: "branches", Text: "a fold over n numbers that branches on its state",
	Source: func(n int) string {
		return fmt.Sprintf("input w = 0.5\ndata xs : List R = list i < %d -> sin i\n"+
			"fold (fun x s -> if w * s < x then s + w * x else s * w) 0 xs\n", n)
	}})

// Copies is n lets of λs, each with two uses of the one before, and x.
func Copies(n int) string {
	var b strings.Builder
	b.WriteString("input x = 0.5\nlet f0 = fun y -> y in\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "let f%d = fun y -> f%d (f%d y) in\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "f%d x\n", n)
	return b.String()
}

// ChurchSums and ChurchProducts are pure terms: arithmetic on Church numerals that are
// written as λ-terms. Their normal forms have size O(n) and 2ⁿ.
var (
	ChurchSums = sized(5, 500, 2000, Family{Name: "church sums", Text: "1 + 1 + … + 1, n times, on Church numerals as λ-terms",
		Source: func(n int) string { return church(n, "fun f x -> f (%s f x)") }})
	ChurchProducts = doubling(Family{Name: "church products", Text: "2·2·…·2, n times, on Church numerals as λ-terms",
		Source: func(n int) string { return church(n, "fun f -> %s (fun x -> f (f x))") }})
)

// church is n lets of numerals, each made of the one before, and the last.
func church(n int, next string) string {
	var b strings.Builder
	b.WriteString("let c0 = fun f (x : R) -> f (x : R) in\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "let c%d = "+next+" in\n", i, fmt.Sprintf("c%d", i-1))
	}
	fmt.Fprintf(&b, "c%d\n", n)
	return b.String()
}

// PureFold and PureMap are pure terms with lists: a fold, and a map under a fold, over n variables.
var (
	PureFold = sized(5, 100, 500, Family{Name: "pure fold", Text: "a fold over a list of n variables",
		Source: func(n int) string { return pure("fold f x ", "x", n) }})
	PureMap = sized(5, 100, 500, Family{Name: "pure map", Text: "a fold over the map of a function over a list of n pairs",
		Source: func(n int) string { return pure("fold f x (map (fun p -> let (a, b) = p in g a b) ", "(x, x)", n) }})
)

// pure is a λ-term that applies something to a list of n elements.
func pure(what, element string, n int) string {
	list := "[" + strings.Repeat(element+"; ", n-1) + element + "]"
	return "fun (f : R -> R -> R) (g : R -> R -> R) (x : R) -> " + what + list + strings.Repeat(")", strings.Count(what, "(")-strings.Count(what, ")")) + "\n"
}

// Edit is a program of a size, as it is before an edit or after it.
type Edit func(n int, edited bool) string

// Edited is t u for a t of n lets and a small u.
var Edited = written(Family{Name: "an edit", Text: "a function of n lets applied to a small term",
	Source: func(n int) string { return EditArgument(n, false) }})

// EditArgument edits u.
func EditArgument(n int, edited bool) string {
	argument := "x * x"
	if edited {
		argument = "sin x + 2 * x"
	}
	var b strings.Builder
	b.WriteString("input x = 0.5\n(fun z0 ->\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "  let z%d = sin z%d in\n", i, i-1)
	}
	fmt.Fprintf(&b, "  z%d) (%s)\n", n, argument)
	return b.String()
}

// EditInside edits one of n functions, each of some lets, that call nothing and are called one after the other.
func EditInside(n int, edited bool) string {
	var b strings.Builder
	b.WriteString("input x = 0.5\nlet z0 = x in\n")
	for i := 1; i <= n; i++ {
		body := "sin v * cos v"
		if edited && i == (n+1)/2 {
			body = "cos v"
		}
		fmt.Fprintf(&b, "let z%d = (fun u -> let v = u * u in let v = sin v + %d in let v = tanh v in %s) z%d in\n", i, i, body, i-1)
	}
	fmt.Fprintf(&b, "z%d\n", n)
	return b.String()
}

// Sequences is a batch of n sequences through the scalar recurrent network, which nothing joins but their sum.
var Sequences = Family{Name: "sequences", Text: "n sequences of 10⁴ elements through the scalar recurrent network, each by itself",
	Quick: []int{4, 8, 16, 32, 64}, Full: []int{4, 8, 16, 32, 64, 128, 256, 512},
	Source: func(n int) string {
		return "input e = 0.7\ninput r = 0.9\ndata a : List R = list i < 10000 -> sin (9999 - i)\n" +
			"def cell x h = sigmoid (e * x + r * h)\n" +
			fmt.Sprintf("sum i < %d -> fold cell (0.01 * i) a\n", n)
	}}
