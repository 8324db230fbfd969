package family

// Constructors returns a family for each constructor of the calculus: n of it. Most are n lets of one form of the one
// before.
func Constructors() []Family {
	return []Family{
		written("unary symbols", lets("x", "sin z{i-1}")),
		written("binary symbols", lets("x", "max z{i-1} x")),
		written("products", lets("x", "z{i-1} * x")),
		written("sums", lets("x", "z{i-1} + x")),
		written("numerals", lets("x", "z{i-1} + 2")),
		written("λ and application", lets("x", "(fun y -> y) z{i-1}")),
		written("pairs", lets("x", "(let (a, b) = (z{i-1}, x) in a + b)")),
		written("conditionals", lets("x", "(if z{i-1} < x then z{i-1} else x)")),
		written("a vector", text("input x = 0.5\nlet v = vec i < {n} -> x in\nsum i < {n} -> v.(i)\n")),
		written("a list", text("input x = 0.5\nfold (fun a s -> s + a) 0 (list i < {n} -> x)\n")),
		looped("a numeral", text("input x = 0.5\niter #{n} (fun s -> s + x) 0\n")),
	}
}

// EveryRule is n rounds of lets in which each rule of β fires.
var EveryRule = sized(1, 10, 50, "every rule", program("input x = 0.5\nlet z = x in\n",
	"let a = z + 3 in let b = a * 4 in let c = max (b - 1) 2 in let (p, q) = (c, a) in\n"+
		"let f = fun y -> y in let e = f p in let z = (if e < q then e else q) in\n", "z\n"))
