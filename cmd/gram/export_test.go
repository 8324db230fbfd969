package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// exported are programs with what the examples that are exported without FULL_SIZE lack.
var exported = map[string]string{
	"recursion": `type tree = Leaf of R | Node of tree * tree
def rec total t = match t with | Leaf x -> sin x | Node (l, r) -> total l * total r + total l
def rec grow d x = if d <= 0 then Leaf x else Node (grow (d - 1) (x + 0.1), grow (d - 1) (x * 0.9))
input x = 0.7
total (grow 4 x)`,
	"partial": `input x = 0.5
input y = 2
def three f = f 1 x
let g = fun a b c -> a * b + c * y in
let fs = [g 2; g x; fun b c -> b / c] in
fold (fun f s -> s + f x y + three f) 0 fs`,
	"closures": `input x : R^3 = [| 0.2, 0.4, 0.8 |]
def compose f g z = f (g z)
let h = iter #5 (fun k -> compose k (fun z -> z * x.(1) + x.(0))) (fun z -> max z x.(2)) in
[| h 1, pow (h 2) 1.5, softplus (h (0 - 1)) |]`,
	"symbols": `symbol swish x = x * sigmoid x with sigmoid x * (1 + x * (1 - sigmoid x))
symbol mix x y z = x * y - sin z with y, x, 0 - cos z
input x = 0.5
input y = 1.5
swish x * mix x (swish y) y * mix 1 x 2 +
  erf x * lgamma y + atan (x - y) + tan x + sqrt y / abs x + asin x * sinh y - cosh x + floor y * relu x + min x y * same x x`,
	"tables": `data xs : List (R * List R) = [(1, [2; 3; 4; 5; 6; 7]); (3, [1; 2; 3; 4; 5]); (0.1, []); (2, [1; 2; 3; 4; 5; 6; 7])]
input a = 0.5
fold (fun (w, l) s -> w * fold (fun x s -> sin (s + x * a)) s l) 1 xs`,
	"products": `input p : R * R^2 = (1, [| 2, 3 |])
let (a, v) = p in (a * v.(0), ([| v.(1), a |], sum i < 20 -> v.(0) * i))`,
	"deep": `input x = 1
def rec count n = if n <= 0 then 0 else 1 + count (n - 1)
count (x * 3000000)`,
}

// mostSource bounds the source in Go, in bytes, of the programs that are compiled.
const mostSource = 1 << 19

// TestExport: source in Go and in C, compiled, has the value and the gradient of gram, to rounding; what is refused
// says why.
func TestExport(t *testing.T) {
	if testing.Short() {
		t.Skip("runs compilers")
	}
	dir := t.TempDir()
	files := map[string]string{} // by the name of the package
	for name, src := range exported {
		files[name] = filepath.Join(dir, name+".gram")
		require.NoError(t, os.WriteFile(files[name], []byte(src), 0o666))
	}
	examples, err := filepath.Glob("../../examples/*.gram")
	require.NoError(t, err)
	small := []string{"figure1", "huber", "rnn", "mlp"}
	for _, path := range examples {
		if name := identifier(strings.TrimSuffix(filepath.Base(path), ".gram")); os.Getenv("FULL_SIZE") != "" || slices.Contains(small, name) {
			files[name] = path
		}
	}
	refused := map[string]string{"backpropagators": "no code for linear functions", "deep": ""}
	want := map[string]*gram.Result{}
	for name, path := range files {
		for _, lang := range []string{"go", "c"} {
			var out, errs bytes.Buffer
			status := run(context.Background(), []string{"export", path, "--lang", lang, "-o", filepath.Join(dir, lang, name)},
				strings.NewReader(""), &out, &errs)
			if why := refused[name]; why != "" {
				require.Equal(t, 1, status)
				require.Contains(t, errs.String(), why)
				continue
			}
			require.Zero(t, status, errs.String())
		}
		if refused[name] != "" {
			continue
		}
		src, err := os.ReadFile(filepath.Join(dir, "go", name, name+".go"))
		require.NoError(t, err)
		if len(src) > mostSource {
			t.Logf("%s has %d bytes of source, which compilers take minutes for: it is not compiled", name, len(src))
			continue
		}
		formatted, err := format.Source(src)
		require.NoError(t, err)
		require.True(t, bytes.Equal(formatted, src), "%s is formatted", name)
		if _, ok := refused[name]; ok {
			want[name] = nil
			continue
		}
		p, err := gram.LoadFile(context.Background(), path, gram.Options{})
		require.NoError(t, err)
		if strings.Contains(string(src), "func Gradient") {
			want[name], err = p.Gradient(context.Background(), gram.EvalOptions{})
		} else {
			want[name], err = p.Value(context.Background(), gram.EvalOptions{})
		}
		require.NoError(t, err)
	}
	require.NotEmpty(t, want)
	t.Run("go", func(t *testing.T) { agree(t, want, inGo(t, filepath.Join(dir, "go"), want)) })
	t.Run("c", func(t *testing.T) {
		cc, err := exec.LookPath("cc")
		if err != nil {
			t.Skip("no C compiler")
		}
		agree(t, want, inC(t, cc, filepath.Join(dir, "c"), want))
	})
}

// numbers are what a program prints: values, then derivatives, or an error.
type numbers struct {
	Values, Jacobian []float64
	Err              string
}

// agree compares numbers with those of gram. Of nil, an error is wanted.
func agree(t *testing.T, want map[string]*gram.Result, got map[string]numbers) {
	close := func(name string, want, got []float64) {
		require.Len(t, got, len(want), name)
		most := 0.0
		for _, x := range want {
			most = max(most, math.Abs(x))
		}
		for i := range want {
			require.InDelta(t, want[i], got[i], 1e-10*most, "%s, number %d", name, i)
		}
	}
	for name, w := range want {
		g := got[name]
		if w == nil {
			require.Contains(t, g.Err, "depth")
			continue
		}
		require.Empty(t, g.Err, name)
		close(name, w.Values, g.Values)
		close(name, w.Jacobian, g.Jacobian)
	}
}

// inGo runs packages in Go.
func inGo(t *testing.T, dir string, want map[string]*gram.Result) map[string]numbers {
	var imports, calls strings.Builder
	for name, w := range want {
		fmt.Fprintf(&imports, "\t%q\n", "export/"+name)
		if w != nil && w.Jacobian == nil || w == nil {
			fmt.Fprintf(&calls, "\t{\n\t\tv, err := %s.Value(%s.Point[:])\n\t\tshow(%q, v, nil, err)\n\t}\n", name, name, name)
		} else {
			fmt.Fprintf(&calls, "\t{\n\t\tv, j, err := %s.Gradient(%s.Point[:])\n\t\tshow(%q, v, j, err)\n\t}\n", name, name, name)
		}
	}
	src := `package main

import (
	"encoding/json"
	"os"

` + imports.String() + `)

func show(name string, v, j []float64, err error) {
	out := map[string]any{"Name": name, "Values": v, "Jacobian": j}
	if err != nil {
		out["Err"] = "depth: " + err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}

func main() {
` + calls.String() + "}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module export\n\ngo 1.26\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o666))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	return output(t, cmd)
}

// inC runs a program in C.
func inC(t *testing.T, cc, dir string, want map[string]*gram.Result) map[string]numbers {
	src := `#include <stdio.h>
#include <stdlib.h>
#define SHOW(name, upper, f) do { \
	double *v = calloc(upper##_OUTPUTS + 1, 8), *j = calloc(upper##_OUTPUTS * upper##_INPUTS + 1, 8); \
	int failed = f; \
	printf("{\"Name\": \"%s\", \"Err\": \"%s\", \"Values\": [", #name, failed == upper##_DEPTH ? "depth" : failed ? "memory" : ""); \
	for (long i = 0; i < upper##_OUTPUTS; i++) printf("%s%.17g", i ? ", " : "", v[i]); \
	printf("], \"Jacobian\": ["); \
	for (long i = 0; i < jacobian * upper##_OUTPUTS * upper##_INPUTS; i++) printf("%s%.17g", i ? ", " : "", j[i]); \
	printf("]}\n"); \
} while (0)
`
	var includes, calls strings.Builder
	args := []string{"-O1", "-Wall", "-Werror", "-o", filepath.Join(dir, "all"), filepath.Join(dir, "main.c")}
	for name, w := range want {
		args = append(args, filepath.Join(dir, name, name+".c"))
		fmt.Fprintf(&includes, "#include \"%s/%s.h\"\n", name, name)
		call, jacobian := fmt.Sprintf("%s_gradient(%s_point, v, j)", name, name), 1
		if w == nil || w.Jacobian == nil {
			call, jacobian = fmt.Sprintf("%s_value(%s_point, v)", name, name), 0
		}
		fmt.Fprintf(&calls, "\tjacobian = %d;\n\tSHOW(%s, %s, %s);\n", jacobian, name, strings.ToUpper(name), call)
	}
	src += includes.String() + "int main(void) {\n\tint jacobian;\n" + calls.String() + "\treturn 0;\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.c"), []byte(src), 0o666))
	made, err := exec.Command(cc, append(args, "-lm")...).CombinedOutput()
	require.NoError(t, err, "%s", made)
	return output(t, exec.Command(filepath.Join(dir, "all")))
}

// output runs a command that prints numbers, an object a line.
func output(t *testing.T, cmd *exec.Cmd) map[string]numbers {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, errs.String())
	all := map[string]numbers{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var one struct {
			Name string
			numbers
		}
		require.NoError(t, dec.Decode(&one))
		all[one.Name] = one.numbers
	}
	return all
}
