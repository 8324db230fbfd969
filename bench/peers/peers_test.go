package peers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
)

var small = Task{"w3", 1000, 0}

// script is a peer that is a shell script.
func script(t *testing.T, text string) Peer {
	if runtime.GOOS == "windows" {
		t.Skip("it takes a shell")
	}
	path := filepath.Join(t.TempDir(), "peer.sh")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	p := Program("fake", "a shell", func(context.Context, string) ([]string, error) { return []string{"/bin/sh", path}, nil })
	p.Timeout = 5 * time.Second
	return p
}

// named is the peer with the name.
func named(t *testing.T, name string) Peer {
	at := slices.IndexFunc(All(), func(p Peer) bool { return p.Name == name })
	require.GreaterOrEqual(t, at, 0, name)
	return All()[at]
}

// beside runs a peer with the machine, and returns its times, if it has any, and what is wrong.
func beside(t *testing.T, task Task, p Peer) (*Times, string) {
	dir := t.TempDir()
	found, faults, err := Find(context.Background(), []Peer{named(t, Direct), p}, dir)
	require.NoError(t, err)
	require.Empty(t, faults)
	times, faults, err := task.Contest(context.Background(), found, 2, dir)
	require.NoError(t, err)
	require.Equal(t, Direct, times[0].Peer.Name, "the machine runs whatever the peer does")
	require.Len(t, times[0].Samples, 2)
	require.Equal(t, 57_017.0, times[0].Steps)
	if len(times) == 1 {
		require.Len(t, faults, 1)
		return nil, faults[0].Error()
	}
	require.Empty(t, faults)
	return &times[1], ""
}

const good = `{"runs":10,"seconds":0.02,"value":-0.00099084538434535152,"gradient":[6.7976453583668469e-06]}`

func TestProgram(t *testing.T) {
	times, _ := beside(t, small, script(t, `[ "$*" = "w3 1000 0" ] || exit 1; echo '{"ready":true}'; while read line; do echo '`+good+`'; done`))
	require.Equal(t, []float64{2e6, 2e6}, times.Samples)
	require.Zero(t, times.Steps)
}

// TestMemory: a program's bytes are what its peak memory grows by after it is ready, if that is much.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell")
	}
	serve := "while read line; do %s echo '" + good + "'; done"
	times, _ := beside(t, small, script(t, "echo '{\"ready\":true}'; "+fmt.Sprintf(serve, "x=$(head -c 4000000 /dev/zero | tr '\\000' a);")))
	require.Greater(t, times.Bytes, 3e6)
	times, _ = beside(t, small, script(t, "x=$(head -c 4000000 /dev/zero | tr '\\000' a); echo '{\"ready\":true}'; "+fmt.Sprintf(serve, "")))
	require.Zero(t, times.Bytes, "what it had when it was ready does not count")
}

// TestBadPrograms: a peer that hangs, lies, prints nonsense or ends is left out, and told.
func TestBadPrograms(t *testing.T) {
	ready := "echo '{\"ready\":true}'\nread line\n"
	for name, c := range map[string]struct{ text, want string }{
		"ends at once":      {"echo 'no such library' >&2; exit 3", "fake is left out of w3, n = 1000: it ended: \"no such library\""},
		"ends silently":     {ready, "fake is left out of w3, n = 1000: it ended"},
		"prints nonsense":   {ready + "echo Segmentation fault; sleep 100", `it printed "Segmentation fault": invalid character 'S'`},
		"prints too much":   {"yes no", `it printed "no`},
		"prints NaN":        {ready + `echo '{"runs":1,"seconds":1,"value":NaN}'; sleep 100`, "invalid character 'N'"},
		"leaves things out": {ready + `echo '{"runs":1,"seconds":1}'; sleep 100`, "without runs, seconds or a value"},
		"has a wrong value": {ready + `echo '{"runs":1,"seconds":1,"value":2,"gradient":[6.7976453583668469e-06]}'; sleep 100`, "its value is 2, not -0.00099"},
		"has a wrong gradient": {ready + `echo '{"runs":1,"seconds":1,"value":-0.00099084538434535152,"gradient":[6.7976453683668469e-06]}'; sleep 100`,
			"number 1 of its gradient is 6.797645368366847e-06, not 6.79764535836"},
		"has too long a gradient": {ready + `echo '{"runs":1,"seconds":1,"value":-0.00099084538434535152,"gradient":[1,2]}'; sleep 100`,
			"its gradient has 2 numbers, not 1"},
		"takes no time":      {ready + `echo '{"runs":1,"seconds":0,"value":-0.00099084538434535152,"gradient":[6.7976453583668469e-06]}'; sleep 100`, "a run took 0s"},
		"lies a second time": {ready + "echo '" + good + "'; read line; echo later; sleep 100", `it printed "later"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			times, fault := beside(t, small, script(t, c.text))
			require.Nil(t, times)
			require.Contains(t, fault, c.want)
		})
	}
	p := script(t, ready+"sleep 100")
	p.Timeout = 100 * time.Millisecond
	start := time.Now()
	times, fault := beside(t, small, p)
	require.Nil(t, times)
	require.Contains(t, fault, "it did not answer in 100ms")
	require.Less(t, time.Since(start), 50*time.Second, "it does not wait for what hangs")
	p = Program("fake", "", func(context.Context, string) ([]string, error) {
		return []string{filepath.Join(t.TempDir(), "absent")}, nil
	})
	_, fault = beside(t, small, p)
	require.Contains(t, fault, "no such file")
}

// TestInterrupted: the end of the context ends a contest, also one that waits for a program.
func TestInterrupted(t *testing.T) {
	found, _, err := Find(context.Background(), []Peer{named(t, Direct), script(t, "sleep 100")}, t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, _, err = small.Contest(ctx, found, 2, t.TempDir())
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestNothingInstalled: without a path there are the peers of this process, and of each other one is
// told what it needs.
func TestNothingInstalled(t *testing.T) {
	t.Setenv("PATH", "")
	found, faults, err := Find(context.Background(), All(), t.TempDir())
	require.NoError(t, err)
	var told []string
	for _, f := range faults {
		told = append(told, f.Error())
		require.ErrorIs(t, f, ErrMissing)
	}
	require.Len(t, found, 11)
	require.Equal(t, []string{
		"C by hand: not found: needs a C compiler, cc, gcc or clang (Debian: gcc)",
		"BLAS in C: not found: needs a C compiler, cc, gcc or clang, and OpenBLAS with cblas.h (Debian: gcc libopenblas-dev)",
		"BLAS in C, gradients multiplied at the end: not found: needs a C compiler, cc, gcc or clang, and OpenBLAS with cblas.h (Debian: gcc libopenblas-dev)",
		"ADOL-C: not found: needs g++ and adolc/adolc.h (Debian: g++ libadolc-dev)",
		"ADOL-C, replaying: not found: needs g++ and adolc/adolc.h (Debian: g++ libadolc-dev)",
		"CoDiPack: not found: needs g++ and codi.hpp (the folder include of CoDiPack 2, in CPATH)",
		"CoDiPack, replaying: not found: needs g++ and codi.hpp (the folder include of CoDiPack 2, in CPATH)",
		"PyTorch: not found: needs python3 with torch (Debian: python3-torch)",
		"Maude: not found: needs maude (Debian: maude)",
	}, told)
}

// TestBrokenPyTorch: a Python without torch is passed over, one whose torch fails is told.
func TestBrokenPyTorch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it takes a shell")
	}
	path, second := t.TempDir(), t.TempDir()
	t.Setenv("PATH", path+string(os.PathListSeparator)+second)
	write := func(dir, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\n"+text), 0o777))
	}
	write(path, "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1")
	write(second, "echo Traceback >&2; echo 'ImportError: libtorch.so' >&2; exit 1")
	_, faults, err := Find(context.Background(), []Peer{Program("PyTorch", "", findPyTorch)}, t.TempDir())
	require.NoError(t, err)
	require.EqualError(t, faults[0], `PyTorch is left out: import torch: exit status 1: "ImportError: libtorch.so"`)
	write(second, "exit 0")
	found, _, err := Find(context.Background(), []Peer{Program("PyTorch", "", findPyTorch)}, t.TempDir())
	require.NoError(t, err)
	require.Equal(t, filepath.Join(second, "python3"), found[0].command[0])
}

// TestCompilers: of a compiler without the library the peer is missing, of one that fails it is broken.
func TestCompilers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it takes a shell")
	}
	path := t.TempDir()
	t.Setenv("PATH", path)
	for _, c := range []struct{ peer, compiler, text, want string }{
		{"ADOL-C", "g++", "adolc.cpp:5:10: fatal error: adolc/adolc.h: No such file or directory", "ADOL-C: not found: needs g++"},
		{"ADOL-C", "g++", "internal error", `ADOL-C is left out: adolc.cpp does not compile: exit status 4: "internal error"`},
		{"CoDiPack", "g++", "codipack.cpp:3:10: fatal error: codi.hpp: No such file or directory", "CoDiPack: not found: needs g++"},
		{BLAS, "gcc", "blas.c:5:10: fatal error: cblas.h: No such file or directory", "BLAS in C: not found: needs a C compiler"},
		{BLASEnd, "clang", "/usr/bin/ld: cannot find -lopenblas", "BLAS in C, gradients multiplied at the end: not found: needs a C compiler"},
	} {
		file := filepath.Join(path, c.compiler)
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\necho '"+c.text+"' >&2\nexit 4\n"), 0o777))
		_, faults, err := Find(context.Background(), []Peer{named(t, c.peer)}, t.TempDir())
		require.NoError(t, err)
		require.Len(t, faults, 1)
		require.Contains(t, faults[0].Error(), c.want)
		require.NoError(t, os.Remove(file))
	}
}

// TestPeersAgree runs every peer that is installed here on every workload that it takes.
func TestPeersAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles, and starts interpreters")
	}
	dir := t.TempDir()
	found, faults, err := Find(context.Background(), All(), dir)
	require.NoError(t, err)
	for _, f := range faults {
		require.ErrorIs(t, f, ErrMissing)
		t.Log(f)
	}
	tasks := []Task{{"w1", 500, 0}, {"w2", 20, 3}, {"w3", 1000, 0}, {"w4", property.Size(100_000), 0}, {"w5", 10, 3}}
	if property.Full() {
		tasks = append(tasks, Task{"w5", 100, 256})
	}
	for _, task := range tasks {
		times, faults, err := task.Contest(context.Background(), found, 1, dir)
		require.NoError(t, err)
		for _, f := range faults {
			t.Error(f)
		}
		for _, e := range times {
			require.Len(t, e.Samples, 1, e.Peer.Name)
			require.Equal(t, e.Peer.Steps || e.Peer.Name == "Maude", e.Steps > 0, e.Peer.Name)
		}
	}
}

func TestParse(t *testing.T) {
	a, err := parseMaude([]string{"reduce in GRADIENT : run(7) .", "rewrites: 800004 in 99ms cpu (141ms real) (8000760 rewrites/second)",
		"result Answer: answer(1.1e+3, 1.25e+6, -2.0)"})
	require.NoError(t, err)
	require.Equal(t, Answer{Value: 1100, Gradient: []float64{1.25e6, -2}, Time: 141 * time.Millisecond, Steps: 800004}, a)
	for text, want := range map[string]string{
		"result Answer: run(7)":                "it printed",
		"rewrites: many":                       "it printed",
		"result Answer: answer(1, x, 2)":       "invalid syntax",
		"result Answer: answer(1.0, 2.0, 3.0)": "a run took 0s",
	} {
		_, err := parseMaude([]string{text})
		require.ErrorContains(t, err, want)
	}
	a, err = parseJSON([]string{good})
	require.NoError(t, err)
	require.Equal(t, 2*time.Millisecond, a.Time)
	bad := Answer{Value: math.Inf(1), Time: 1}
	require.EqualError(t, bad.check(), "a number is +Inf")
}

func TestAgrees(t *testing.T) {
	want := &Answer{Value: 2, Gradient: []float64{0, -3}}
	for _, c := range []struct {
		a    Answer
		good bool
	}{
		{Answer{Value: 2 + 1e-9, Gradient: []float64{0, -3 - 1e-9}}, true},
		{Answer{Value: 2 + 3e-9, Gradient: []float64{0, -3}}, false},
		{Answer{Value: 2, Gradient: []float64{1e-300, -3}}, false},
		{Answer{Value: 2, Gradient: []float64{0, 3}}, false},
		{Answer{Value: 2, Gradient: []float64{0}}, false},
		{Answer{Value: math.NaN(), Gradient: []float64{0, -3}}, false},
	} {
		require.Equal(t, c.good, c.a.Agrees(want) == nil, fmt.Sprint(c.a))
	}
	want = &Answer{Value: 2, Gradient: []float64{1e-8, -3}}
	require.NoError(t, (&Answer{Value: 2, Gradient: []float64{1e-8 + 2e-14, -3}}).Agrees(want), "where terms cancel")
	require.Error(t, (&Answer{Value: 2, Gradient: []float64{1e-8 + 4e-14, -3}}).Agrees(want))
	require.Error(t, (&Answer{Value: 2, Gradient: []float64{math.NaN(), -3}}).Agrees(want))
}

func TestFault(t *testing.T) {
	f := &Fault{Peer: "X", Err: exec.ErrNotFound}
	require.EqualError(t, f, "X is left out: "+exec.ErrNotFound.Error())
	require.True(t, errors.Is(f, exec.ErrNotFound))
	require.Equal(t, "w2, n = 1, k = 2", Task{"w2", 1, 2}.Name())
}
