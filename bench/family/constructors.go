package family

import "fmt"

// Constructors returns a family for each constructor of the calculus: n of it.
func Constructors() []Family {
	return []Family{
		repeated("unary symbols", "n unary symbols", "sin %[1]s"),
		repeated("binary symbols", "n binary symbols", "max %[1]s x"),
		repeated("products", "n products", "%[1]s * x"),
		repeated("sums", "n sums", "%[1]s + x"),
		repeated("numerals", "n sums with a numeral", "%[1]s + 2"),
		repeated("λ and application", "n applications of a λ", "(fun y -> y) %[1]s"),
		repeated("pairs", "n pairs that are opened", "(let (a, b) = (%[1]s, x) in a + b)"),
		repeated("conditionals", "n conditionals", "(if %[1]s < x then %[1]s else x)"),
		written(Family{Name: "a vector", Text: "a vector of n components, opened",
			Source: func(n int) string {
				return fmt.Sprintf("input x = 0.5\nlet v = vec i < %d -> x in\nsum i < %d -> v.(i)\n", n, n)
			}}),
		written(Family{Name: "a list", Text: "a list of n elements, folded",
			Source: func(n int) string {
				return fmt.Sprintf("input x = 0.5\nfold (fun a s -> s + a) 0 (list i < %d -> x)\n", n)
			}}),
		looped(Family{Name: "a numeral", Text: "a Church numeral n, applied",
			Source: func(n int) string { return fmt.Sprintf("input x = 0.5\niter #%d (fun s -> s + x) 0\n", n) }}),
	}
}

// repeated is n lets of one form of the one before.
func repeated(name, text, form string) Family {
	return written(Family{Name: name, Text: text, Source: func(n int) string {
		return lets("x", n, func(i int) string { return fmt.Sprintf(form, fmt.Sprintf("z%d", i-1)) })
	}})
}

// EveryRule is n rounds of lets in which each rule of β fires.
var EveryRule = sized(1, 10, 50, Family{Name: "every rule", Text: "n rounds of lets in which each rule of β fires",
	Source: func(n int) string {
		s := "input x = 0.5\nlet z = x in\n"
		for range n {
			s += "let a = z + 3 in let b = a * 4 in let c = max (b - 1) 2 in let (p, q) = (c, a) in\n" +
				"let f = fun y -> y in let e = f p in let z = (if e < q then e else q) in\n"
		}
		return s + "z\n"
	}})
