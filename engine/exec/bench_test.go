package exec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
)

func cpu() time.Duration {
	var ts [2]int64
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts[0]*1e9 + ts[1])
}

func TestSpeed(t *testing.T) {
	for _, c := range []struct{ file, param string }{
		{"../../gradbench/det.gram", "ell=7"}, {"../../gradbench/ode.gram", "s=100"}, {"../../gradbench/ba.gram", ""}, {"../../gradbench/ht.gram", "n=100"},
		{"../../examples/w1.gram", "n=1e6"}, {"../../examples/w3.gram", "n=1e6"}, {"../../examples/w4.gram", "n=1e6"}, {"../../gradbench/lse.gram", ""}, {"../../gradbench/gmm.gram", ""}, {"../../examples/newton.gram", ""}, {"../../examples/phylogeny.gram", ""}, {"../../examples/molecules.gram", ""},
	} {
		src, _ := os.ReadFile(c.file)
		o := lang.Options{Dir: filepath.Dir(c.file)}
		if c.param != "" {
			p, err := load.ParseParam(c.param)
			if err != nil {
				t.Fatal(err)
			}
			o.Params = append(o.Params, p)
		}
		l, err := lang.Load(c.file, src, o)
		if err != nil {
			t.Log(err)
			continue
		}
		start := time.Now()
		prog := compiled(t, l, true)
		comp := time.Since(start)
		m := prog.NewMachine(limits.Bounds{})
		k := 1
		if s := l.Shape; s.Kind == load.Vector {
			k = s.Width()
		} else if s.Kind != load.Real {
			continue
		}
		values, jac := make([]float64, k), make([]float64, k*len(l.Point))
		best := time.Hour
		runtime.LockOSThread()
		for range 5 {
			start = time.Now()
			if err := m.Gradient(l.Point, values, jac); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(start))
		}
		s := m.Stats()
		fmt.Println(filepath.Base(c.file), c.param, "compile", comp, "gradient", best, "statements", s.Statements, "ns/stmt", float64(best.Nanoseconds())/float64(s.Statements), "steps", s.Counts.Total(), "bytes", s.Bytes)
	}
}
