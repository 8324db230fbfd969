package syntax

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mustParse parses a program without errors.
func mustParse(t testing.TB, src string) *File {
	t.Helper()
	f, ds, err := Parse("t.gram", []byte(src), Options{})
	require.NoError(t, err)
	require.Empty(t, ds, "%s", src)
	return f
}

func TestParseExpressions(t *testing.T) {
	tests := []struct{ src, want string }{
		{"x", "x"},
		{"ε'", "ε'"},
		{"1e-3", "1e-3"},
		{"a + b - c", "(- (+ a b) c)"},
		{"a - (b - c)", "(- a (- b c))"},
		{"a + b * c / d", "(+ a (/ (* b c) d))"},
		{"-x^2", "(neg (^ x 2))"},
		{"if a = b then 1 else 2", "(if = a b 1 2)"},
		{"if a < b and c + 1 > d or not e = f x then 1 else 2", "(if (or (and (< a b) (> (+ c 1) d)) (not (= e (f x)))) 1 2)"},
		{"if (a < b or b < c) and (sum i < 2 -> x) < 3 then 1 else 2", "(if (and (or (< a b) (< b c)) (< (sum i < 2 x) 3)) 1 2)"},
		{"if not (not a < b) then 1 else 2", "(if (not (not (< a b))) 1 2)"},
		{"if ((a < b)) then 1 else 2", "(if < a b 1 2)"},
		{"if ((a < b) or (b < c)) and not ((c = d)) then 1 else 2", "(if (and (or (< a b) (< b c)) (not (= c d))) 1 2)"},
		{"if ((a + b)) < ((let x = c in x)) then 1 else 2", "(if < (+ a b) (let x = c in x) 1 2)"},
		{"if ((sum i < 3 -> a) < b) then 1 else 2", "(if < (sum i < 3 a) b 1 2)"},
		{"if (if a < b then c else d) < (e) and (f x) > 1 then 1 else 2", "(if (and (< (if < a b c d) e) (> (f x) 1)) 1 2)"},
		{"(fun and -> if f and < 1 then and else 2)", "(fun and -> (if < (f and) 1 and 2))"},
		{"let not x = x in if not a < 1 then 1 else 2", "(let not x = x in (if < (not a) 1 1 2))"},
		{"match (if not (a < b) then c else d) with | e -> 1", "(match (if (not (< a b)) c d) | e -> 1)"},
		{"if sum v > 1 or maximum v < 2 then 1 else 2", "(if (or (> (sum v) 1) (< (maximum v) 2)) 1 2)"},
		{"if a < b then x or y else or", "(if < a b ((x or) y) or)"},
		{"1 + scan i < n + 1 with (a, _) = f 0 -> a + i", "(+ 1 (scan i < (+ n 1) with <a, _> = (f 0) -> (+ a i)))"},
		{"scan i < size v with x = 1 -> scan j < 2 with y = x -> y", "(scan i < (size v) with x = 1 -> (scan j < 2 with y = x -> y))"},
		{"if scan x < w then scan else scan w x", "(if < (scan x) w scan ((scan w) x))"},
		{"-x * y", "(* (neg x) y)"},
		{"a * -b", "(* a (neg b))"},
		{"- -x", "(neg (neg x))"},
		{"a - -b", "(- a (neg b))"},
		{"f -1", "(- f 1)"},
		{"f (-1)", "(f (neg 1))"},
		{"f x y", "((f x) y)"},
		{"f x^2", "(^ (f x) 2)"},
		{"f (x^2)", "(f (^ x 2))"},
		{"(x^2)^3", "(^ (^ x 2) 3)"},
		{"x^n * y^(n + 1)", "(* (^ x n) (^ y (+ n 1)))"},
		{"E.(i).(j + 1)", "(.(.E i) (+ j 1))"},
		{"f x.(0) y", "((f (.x 0)) y)"},
		{"(f x).(0)", "(.(f x) 0)"},
		{"[|1, 2|].(0)", "(.[|1, 2|] 0)"},
		{"3.(0)", "(.3 0)"},
		{"iter #n f x", "(((iter #n) f) x)"},
		{"#(n - 1 * 2)", "#(- n (* 1 2))"},
		{"#3 f", "(#3 f)"},
		{"fold (+) 0 [1; 2]", "(((fold (+)) 0) [1; 2])"},
		{"f (-) ( * ) (*) (/)", "((((f (-)) (*)) (*)) (/))"},
		{"fun x (y, _) [| z |] -> x + y", "(fun x <y, _> [|z|] -> (+ x y))"},
		{"fun (x : R^n) -> x", "(fun (x : (R^n)) -> x)"},
		{"1 + fun x -> x + 2", "(+ 1 (fun x -> (+ x 2)))"},
		{"-fun x -> x * 2", "(neg (fun x -> (* x 2)))"},
		{"2 * let x = 1 in x + x", "(* 2 (let x = 1 in (+ x x)))"},
		{"lin a -> 2 * a", "(lin a -> (* 2 a))"},
		{"let x : R = 1 in x", "(let (x : R) = 1 in x)"},
		{"let (x, y) = p in x", "(let <x, y> = p in x)"},
		{"let f x y = x in f", "(let f x y = x in f)"},
		{"let f x : R = x in f", "(let f x = (x : R) in f)"},
		{"let f = fun x -> x in f 1", "(let f = (fun x -> x) in (f 1))"},
		{"if a < b then 1 else 2 + 3", "(if < a b 1 (+ 2 3))"},
		{"if a + 1 >= b then 1 else if c <= d then 2 else 3", "(if >= (+ a 1) b 1 (if <= c d 2 3))"},
		{"if a > b then if c < d then 1 else 2 else 3", "(if > a b (if < c d 1 2) 3)"},
		{"if let x = 1 in x < 2 then 1 else 2", "(if < (let x = 1 in x) 2 1 2)"},
		{"vec i < n -> sum j < 2 * (n - 1) -> E.(i).(j)", "(vec i < n (sum j < (* 2 (- n 1)) (.(.E i) j)))"},
		{"list _ < size xs -> 0", "(list _ < (size xs) 0)"},
		{"0.1 * size xs", "(* 0.1 (size xs))"},
		{"(a)", "a"},
		{"((a + b)) * c", "(* (+ a b) c)"},
		{"(a, b, c)", "<a, b, c>"},
		{"(a, (b, c))", "<a, <b, c>>"},
		{"[]", "[]"},
		{"[(1, 2); f x]", "[<1, 2>; (f x)]"},
		{"[| 1 |]", "[|1|]"},
		{"(x : R -> R -> R)", "(x : (R -> (R -> R)))"},
		{"(x : R * R^2^3 -> List R^k * Nat)", "(x : ((R * ((R^2)^3)) -> ((List (R^k)) * Nat)))"},
		{"(x : (List R)^2)", "(x : ((List R)^2))"},
		{"(x : List List R)", "(x : (List (List R)))"},
		{"(x : R * R * R)", "(x : (R * (R * R)))"},
		{"(x : R -o R^(n+1))", "(x : (R -o (R^(+ n 1))))"},
		{"(x : R ⊸ R)", "(x : (R -o R))"},
		{"(x : R -> R -o R)", "(x : (R -> (R -o R)))"},
		{"a -o", "(- a o)"},
		{"a\n+ b", "(+ a b)"},
		{"a -- comment\n-- another\n + b", "(+ a b)"},
		{"\ufeffx", "x"},
		{"f\r\n x\r\n", "(f x)"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, sexprs{mustParse(t, tt.src)}.file(), "%s", tt.src)
	}
}

func TestParseDeclarations(t *testing.T) {
	src := `
-- a comment
param n = 2 * (m + 1)
input eps = 0.7
input E : R^16^16 =
  vec i < 16 ->
  vec j < 16 -> 0.1
data xs : List R^2 = csv "a \"b\".csv" "x" "y"
data ys : List R = list i < n -> sin i
def cell x (h, _) : R = sigmoid (eps * x + h)
data zs = csv "f.csv" 0 3 fill - 1.5
  separator ";" skip
input w = npz "f.npz" "w"
fold cell 0
xs
`
	want := `(param n = (* 2 (+ m 1)))
(input eps = 0.7)
(input E : ((R^16)^16) = (vec i < 16 (vec j < 16 0.1)))
(data xs : (List (R^2)) = (csv "a \"b\".csv" "x" "y"))
(data ys : (List R) = (list i < n (sin i)))
(def cell x <h, _> : R = (sigmoid (+ (* eps x) h)))
(data zs = (csv "f.csv" 0 3 fill -1.5 separator ";" skip))
(input w = (npz "f.npz" "w"))
(((fold cell) 0) xs)`
	f := mustParse(t, src)
	assert.Equal(t, want, sexprs{f}.file())
	assert.Equal(t, "-- a comment", f.Text(f.Comments[0]))
	assert.Equal(t, "def cell x (h, _) : R = sigmoid (eps * x + h)", f.Text(f.Decls[5].Span))
	assert.Equal(t, "cell", f.Text(f.Decls[5].NameSpan))
}

// TestSpans checks that compound expressions cover the parentheses of their parts.
func TestSpans(t *testing.T) {
	tests := []struct {
		src, want string
		kind      ExprKind
	}{
		{"  -- c\n(a + b) * (c)", "(a + b) * (c)", BinExpr},
		{"((f) (x))", "(f) (x)", AppExpr},
		{"((v)).(0)", "((v)).(0)", ProjExpr},
		{"(x)^(2)", "(x)^(2)", PowExpr},
		{"#(2)", "#(2)", ChurchExpr},
		{"((1, 2))", "(1, 2)", TupleExpr},
		{"((1 : (R)))", "(1 : (R))", AnnotExpr},
		{"-(x)", "-(x)", NegExpr},
		{"(fun x -> (x))", "fun x -> (x)", FunExpr},
		{"let x = 1 in (x)", "let x = 1 in (x)", LetExpr},
		{"( + )", "( + )", OpExpr},
		{"(if a < b then 1 else (2))", "if a < b then 1 else (2)", IfExpr},
		{"(sum i < (n) -> (1))", "sum i < (n) -> (1)", CompExpr},
	}
	for _, tt := range tests {
		f := mustParse(t, tt.src)
		n := f.Expr(f.Body)
		assert.Equal(t, tt.kind, n.Kind, "%s", tt.src)
		assert.Equal(t, tt.want, f.Text(n.Span), "%s", tt.src)
	}
}

func TestPosition(t *testing.T) {
	f := NewFile("t", []byte("\ufeffαβ\r\nxy\n"+strings.Repeat("é", 1000)+"z"))
	for _, tt := range []struct {
		off       uint32
		line, col int
	}{{0, 1, 1}, {3, 1, 1}, {5, 1, 2}, {7, 1, 3}, {9, 2, 1}, {11, 2, 3}, {12, 3, 1}, {12 + 2000, 3, 1001}, {1 << 20, 3, 1002}} {
		line, col := f.Position(tt.off)
		assert.Equal(t, [2]int{tt.line, tt.col}, [2]int{line, col}, "offset %d", tt.off)
	}
	assert.Equal(t, "αβ", f.Line(1))
	assert.Equal(t, "xy", f.Line(2))
	assert.Equal(t, "", f.Line(9))
	assert.Equal(t, 3, f.NumLines())
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"1": 1, "-0.5": -0.5, "+1e3": 1000, ".5": .5, "5.": 5, "1E-2": .01, "1e-400": 0,
	} {
		v, err := ParseNumber(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, v, text)
	}
	for _, text := range []string{"", ".", "e1", "1e", "1e+", "0x10", "1_000", "NaN", "Inf", "-inf", " 1", "1 ", "1e400", "--1", "1.2.3"} {
		_, err := ParseNumber(text)
		assert.Error(t, err, text)
	}
	_, err := ParseNumber("-1e999")
	assert.ErrorIs(t, err, ErrNotFinite)
	_, err = ParseNumber("abc")
	assert.ErrorIs(t, err, ErrNotNumber)
}
