package load

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
)

// FuzzLoad loads any program: it must end with a program or a known error.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"param n = 3\ninput E : R^n^n = vec i < n -> vec j < n -> sin (i*n + j)\n",
		"data xs : List R = list i < 5 -> i\ninput m = foldl (+) 0 (rev (map sin xs)) / size xs\n",
		"def f (x, y) [| a, b |] = (x + a, y - b)\ninput p = f (1, 2) [| 3, 4 |]\n",
		"input x = #3 (fun g x -> g (g x)) (fun x -> x * 2) 1\n",
		"data l : List R^2 = fun f x -> f [| 1, 2 |] x\ninput y = dot (matvec [| [| 1 |] |] [| 2 |]) [| 3 |]\n",
		"input z = let f a (b : R) = if a < b then pow a else min b in (f 1 2 3 : R)^2\n",
		"data d = csv \"f.csv\" \"a\" \"b\"\ninput v = fold (fun r s -> r.(0) * r.(1) + s) 0 d\n",
		"data e : List R = []\ninput o = (e (fun a s -> a) 1, [] 1 2, (vec i < 2 -> fun x -> x + i).(1) 2)\n",
	} {
		f.Add(seed)
	}
	stop := errors.New("stop")
	f.Fuzz(func(t *testing.T, src string) {
		file, diags, err := syntax.Parse("fuzz", []byte(src), syntax.Options{NoBody: true})
		if err != nil || len(diags) > 0 {
			return
		}
		opt := given{files: files{"f.csv": "a,b\n1,2\n3,4\n"}}.options(t)
		checks, reserved := 0, int64(0)
		opt.Check = func() error {
			if checks++; checks > 20 {
				return stop
			}
			return nil
		}
		opt.Reserve = func(bytes int64) error {
			if reserved += bytes; reserved > 1<<26 {
				return stop
			}
			return nil
		}
		p, err := Load(file, opt)
		var e *Error
		switch {
		case errors.Is(err, stop):
			return
		case err != nil:
			require.ErrorAs(t, err, &e)
			for _, item := range e.Items {
				require.NotEmpty(t, item.Headline)
				require.LessOrEqual(t, int(item.Span.End), len(item.File.Src))
			}
		}
		for _, x := range append(p.Inputs, p.Data...) {
			if !x.Bad {
				require.Len(t, x.Value.Data, x.Value.Rows*x.Shape.Width())
			}
		}
	})
}
