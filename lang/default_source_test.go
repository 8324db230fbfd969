package lang

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// files are CSV files for tests, by path.
type files map[string]string

// given are the options of a test.
type given struct {
	params, sets []string
	files        files
}

func (g given) options(tb testing.TB) Options {
	tb.Helper()
	var opt Options
	fsys := fstest.MapFS{}
	for name, text := range g.files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	opt.Open = fsys.Open
	for _, text := range g.params {
		p, err := load.ParseParam(text)
		require.NoError(tb, err)
		opt.Params = append(opt.Params, p)
	}
	for _, text := range g.sets {
		s, err := load.ParseSet(text)
		require.NoError(tb, err)
		opt.Sets = append(opt.Sets, s)
	}
	return opt
}

// declared loads a program of declarations: its body is 0.
func declared(decls string, opt Options) (*Program, error) {
	return Load("t.gram", []byte(decls+"\n0"), opt)
}

// variable returns the value of the input or data called name.
func (p *Program) variable(name string) load.Value {
	for _, x := range p.Inputs {
		if x.Name == name {
			return load.Value{Shape: x.Shape, Rows: 1, Data: x.Values}
		}
	}
	for _, x := range p.Data {
		if x.Name == name {
			return x.Value
		}
	}
	return load.Value{}
}

// valueText prints a value: its shape and its numbers.
func valueText(v load.Value) string {
	return strings.TrimSuffix(fmt.Sprintf("%v %v", v.Shape, v.Data), "\n")
}

// FuzzDefault loads declarations: there is a program or an error with places.
func FuzzDefault(f *testing.F) {
	for _, seed := range []string{
		"param n = 3\ninput E : R^n^n = vec i < n -> vec j < n -> sin (i*n + j)\n",
		"data xs : List R = list i < 5 -> i\ninput m = foldl (+) 0 (rev (map sin xs)) / size xs\n",
		"def f (x, y) [| a, b |] = (x + a, y - b)\ninput p = f (1, 2) [| 3, 4 |]\n",
		"input x = #3 (fun g x -> g (g x)) (fun x -> x * 2) 1\n",
		"data l : List R^2 = fun f x -> f [| 1, 2 |] x\ninput y = dot (matvec [| [| 1 |] |] [| 2 |]) [| 3 |]\n",
		"input z = let f a (b : R) = if a < b then pow a else min b in (f 1 2 3 : R)^2\n",
		"data d = csv \"f.csv\" \"a\" \"b\"\ninput v = fold (fun r s -> r.(0) * r.(1) + s) 0 d\n",
		"data e : List R = []\ninput o = (e (fun a s -> a) 1, [] 1 2, (vec i < 2 -> fun x -> x + i).(1) 2)\n",
		"input t = vec i < 3 -> #i (fun v -> v + i^i) ((vec j < 3 -> [| j, i |]).(i).(0) + sum j < i + 1 -> j)\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		opt := given{files: files{"f.csv": "a,b\n1,2\n3,4\n"}}.options(t)
		checks, reserved := 0, int64(0)
		opt.MaxNodes = 20000
		opt.Check = func() error {
			if checks++; checks > 100 {
				return errSteps
			}
			return nil
		}
		opt.Reserve = func(bytes int64) error {
			if reserved += bytes; reserved > 1<<26 {
				return errSteps
			}
			return nil
		}
		p, err := declared(src, opt)
		if err != nil {
			var list *syntax.Errors
			if !errors.Is(err, errSteps) {
				require.ErrorAs(t, err, &list)
				require.NotEmpty(t, list.Error())
			}
			return
		}
		for _, x := range p.Inputs {
			require.Len(t, x.Values, x.Shape.Width())
		}
		for _, x := range p.Data {
			if !x.Shape.Tagged() { // tags say how many numbers others have
				require.Len(t, x.Value.Data, x.Value.Rows*x.Shape.Width())
			}
		}
	})
}
