package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
)

// limitPrograms returns programs that reach every limit. It is no variable: each process that a test starts would make it.
func limitPrograms() map[string]string {
	return map[string]string{
		// Closures without end, all of them live: for what reduces.
		"closures": "param n = 1000000000\ninput x = 0.5\n#n (fun k y -> k (y * x) * x) (fun y -> y) 1\n",
		// A loop that takes little memory as a loop, and much with symbolic inputs.
		"loop": "param n = 3000000\ninput x = 0.5\n#n (fun h -> sin (x * h)) x\n",
		// Much data: for what only loads.
		"data": "data xs : List R = list i < 100000000 -> sin i\nsize xs\n",
		// Much to be printed.
		"list": "input x = 0.5\ndata xs : List R = list i < 2000000 -> sin i\nfold (fun a h -> sin (a * x + h)) 0 xs\n",
		// A large term.
		"sum": "input x = 0.5\nsum i < 1000000 -> sin (x * i)\n",
		// One that runs as vector statements.
		"arrays": "input x = 0.5\nsum i < 20000 -> sum j < 40000 -> sin (x * 2)\n",
		// One whose products of 512 × 512 numbers run long, and whose rows fill the memory.
		"kernel": "param k = 512\ninput W : R^(k, k) = vec i < k -> vec j < k -> sin (i + 2 * j) / k\n" +
			"sum (#1000000 (fun h -> let s = matvec W h in vec i < k -> sin s.(i) + cos s.(i) + sigmoid s.(i) + tanh s.(i)) W.(0))\n",
		// Many redexes in a small term.
		"redexes": "sum i < 150 -> (fun y -> y * y) 2.5\n",
		// A small term with a long reduction.
		"powers": "#40 (fun f x -> f (f x)) (fun y -> y) 1\n",
		// Many operations that wait for one application.
		"waiters": "input x = 0.5\nlet g = fun f -> f x in let y = g (fun z -> z * x) in sum i < 1000000 -> y * i\n",
		// A large λ, which is normalised alone, and one of straight-line arithmetic.
		"lambda": "input x = 0.5\nlet f = fun g a -> sum i < 200000 -> g (a * i) in f (fun y -> y * x) x + f (fun y -> y + x) 1\n",
		"block":  "input x = 0.5\n#3 (fun a -> a" + strings.Repeat(" + a * 2", 300_000) + ") x\n",
		// Many inputs, and so a large gradient.
		"inputs": "input E : R^2500^2500 = vec i < 2500 -> vec j < 2500 -> sin (i + j)\n(fun x -> x * x) E.(3).(4)\n",
		// A large source.
		"source": "input x = 0.5\nlet f = fun a -> a * x in\n" + strings.Repeat("sin (x * 1.5) + f (x + 3) * (let y = x * 2 in y + 1) +\n  ", 100_000) + "x\n",
	}
}

// limitCases are the commands that read or run a program, with the limits that they have:
// memory, time, steps, nodes and the interrupt, early or late in the work.
var limitCases = []struct{ args, program, limits string }{
	{"check", "data", "mti"},
	{"check", "source", "mti"},
	{"grad", "source", "ti"},
	{"grad", "arrays", "til"},
	{"eval", "source", "m"},
	{"grad --json", "inputs", "mi"},
	{"grad --literal", "waiters", "til"},
	{"grad --strategy modular", "lambda", "til"},
	{"grad", "block", "til"},
	{"grad --html report.html", "inputs", "il"},
	{"show --stage reverse", "source", "ti"},
	{"trace -o out.txt", "closures", "i"},
	{"trace --json --of value -o out.txt", "closures", "i"},
	{"trace --calculus --max-size 1e5 -o out.txt", "redexes", "ti"},
	{"bench --counts --out counts --param n=1e9,2e9 --family", "closures", "i"},
	{"bench --out times --param n=10,1e9 --family", "closures", "i"},
	{"eval", "closures", "mtsni"},
	{"eval --schedule parallel --workers 2", "closures", "mt"},
	{"grad", "closures", "mtsni"},
	{"grad --no-fuse", "loop", "sn"},
	{"grad --literal", "loop", "msn"},
	{"eval --literal", "closures", "mtsni"},
	{"grad --bound", "loop", "mti"},
	{"grad --mode forward", "loop", "mtsni"},
	{"grad --mode tape", "loop", "mtsni"},
	{"grad --strategy unfold", "loop", "mtsni"},
	{"grad --strategy modular", "closures", "mtsni"},
	{"grad --html report.html", "closures", "mti"},
	{"grad --hessian", "closures", "mtsni"},
	{"grad --along along.json", "closures", "mtsni"},
	{"grad --kinks", "loop", "mtsni"},
	{"check-gradient", "loop", "mti"},
	{"fit", "closures", "mti"},
	{"fit --html report.html", "data", "mti"},
	{"show --stage term", "list", "mti"},
	{"show --stage reverse", "list", "mti"},
	{"show --stage reverse --format latex", "sum", "mti"},
	{"show --stage code", "sum", "mti"},
	{"show --stage ground", "loop", "mtsni"},
	{"show --stage forward", "loop", "mti"},
	{"show --stage bp", "loop", "mti"},
	{"show --stage normal", "loop", "mtsni"},
	{"show --stage graph", "loop", "mtsni"},
	{"show --stage graph --format dot", "loop", "mti"},
	{"show --stage ground --format dot --max-drawn 1e6", "loop", "mti"},
	{"trace", "closures", "tsni"},
	{"trace --svg --step 1e12", "closures", "mts"},
	{"profile -o profile.pb.gz", "closures", "mtsni"},
	{"reduce --order value", "powers", "ti"},
	{"reduce --graph dot --max-states 1e7", "redexes", "mti"},
	{"fmt", "source", "i"},
	{"explore", "data", "i"},
}

// The limits; less without FULL_SIZE. That of memory is more than this process has: Linux counts that for a process that it starts.
var (
	limitMemory = sizeOfTests(200_000_000, 2)
	limitTime   = sizeOfTests(200*time.Millisecond, 3)
)

func sizeOfTests[T ~int | ~int64](full, part T) T {
	if property.Full() {
		return full
	}
	return full / part
}

const (
	// limitSlack is how long after a limit the end may come on a computer that does nothing else: until
	// then its processors have worked for so long at most. What others do is none of this work, so a
	// loaded computer fails no test, and one of limitRuns in time is enough. limitWait bounds what a command waits for without working.
	limitSlack      = 200 * time.Millisecond
	limitWait       = 20 * time.Second
	limitRuns       = 3
	limitProcessors = 2 // that a command has
)

// TestLimits: whatever a command does, a limit ends it soon, with the status of a limit or of
// an interrupt, and without a result; and memory stays within 1.15 of what is allowed. Without FULL_SIZE each command
// has one of its limits.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes ten seconds")
	}
	forgetPeak()
	path, err := exec.LookPath("gram")
	require.NoError(t, err)
	dir := t.TempDir()
	for name, text := range limitPrograms() {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".gram"), []byte(text), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "along.json"), []byte(`{"x": 1}`), 0o644))
	for i, c := range limitCases {
		limits := []rune(c.limits)
		if k := i % len(limits); !property.Full() {
			limits = limits[k : k+1]
		}
		for _, limit := range limits {
			t.Run(fmt.Sprintf("%s %s %c", c.args, c.program, limit), func(t *testing.T) {
				t.Parallel()
				args := append(strings.Fields(c.args), c.program+".gram")
				cmd := exec.Cmd{Path: path, Args: slices.Concat([]string{"gram"}, args, limitFlags[limit]), Dir: dir}
				checkLimit(t, cmd, limit, limitTime)
			})
		}
	}
}

// TestLimitsInLongKernels: limits of time and of memory hold while a loop on vectors of 512 numbers runs.
func TestLimitsInLongKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes two seconds")
	}
	forgetPeak()
	path, err := exec.LookPath("gram")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "kernel.gram")
	require.NoError(t, os.WriteFile(file, []byte(limitPrograms()["kernel"]), 0o644))
	const late = 600 * time.Millisecond // it is loaded and compiled by then
	for _, c := range []struct {
		command string
		limit   rune
	}{{"eval", 't'}, {"grad", 't'}, {"grad", 'm'}} {
		t.Run(fmt.Sprintf("%s %c", c.command, c.limit), func(t *testing.T) {
			t.Parallel()
			flags := limitFlags[c.limit]
			if c.limit == 't' {
				flags = []string{"--timeout", late.String()}
			}
			cmd := exec.Cmd{Path: path, Args: append([]string{"gram", c.command, file}, flags...)}
			message := checkLimit(t, cmd, c.limit, late)
			if c.limit == 't' && !strings.Contains(message, "while reducing") {
				t.Skip("the computer is busy: the limit came before the loop")
			}
			require.Contains(t, message, "while reducing")
		})
	}
}

var limitFlags = map[rune][]string{
	'm': {"--max-memory", fmt.Sprint(limitMemory)},
	't': {"--timeout", limitTime.String()},
	's': {"--max-steps", "1e6"},
	'n': {"--max-nodes", "1e5"},
}

var limitMessages = map[rune]string{
	'm': "memory limit of " + limits.Size(uint64(limitMemory)) + " reached", 't': "time limit reached", 's': "limit of 1000000 steps reached",
	'n': "limit of 100000 nodes reached", 'i': "interrupted", 'l': "interrupted",
}

// interruptTimes are when interrupts come, in processor time.
var interruptTimes = map[rune]time.Duration{'i': limitTime, 'l': 600 * time.Millisecond}

// waitWorked waits until a process has taken so much processor time, as far as that is known, and for
// that time at least.
func waitWorked(pid int, worked time.Duration) {
	time.Sleep(worked)
	for range 1000 {
		if t := timeOfProcess(pid); t == 0 || t >= worked {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// checkLimit runs a command, which a limit is to end soon, that of time after so long. It returns what the command says.
func checkLimit(t *testing.T, cmd exec.Cmd, limit rune, timeout time.Duration) (message string) {
	cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", limitProcessors))
	late := limitSlack
	for run := 0; run < limitRuns && late >= limitSlack; run++ {
		again := cmd
		message, late = runLimited(t, &again, limit, timeout)
	}
	require.Less(t, late, limitSlack)
	return message
}

// runLimited runs a command, and returns what it says, and for how long its processors worked after a limit of time or an interrupt, as far
// as that is known.
func runLimited(t *testing.T, cmd *exec.Cmd, limit rune, timeout time.Duration) (message string, late time.Duration) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	start := time.Now()
	require.NoError(t, cmd.Start())
	status := command.StatusWrong
	// The time limit is over when each processor has worked for so long, at the latest.
	before, at := limitProcessors*timeout, timeout
	if after := interruptTimes[limit]; after > 0 {
		waitWorked(cmd.Process.Pid, after)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		before, at = timeOfProcess(cmd.Process.Pid), time.Since(start)
		status = command.StatusInterrupted
	}
	defer time.AfterFunc(4*limitWait, func() { _ = cmd.Process.Kill() }).Stop()
	_ = cmd.Wait()
	took, worked := time.Since(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if status == command.StatusInterrupted && cmd.ProcessState.ExitCode() < 0 {
		t.Skip("the interrupt came before the command was ready for it")
	}
	require.Equal(t, status, cmd.ProcessState.ExitCode(), errs.String())
	require.Contains(t, errs.String(), limitMessages[limit])
	if limit == 't' || status == command.StatusInterrupted {
		t.Logf("%v after the limit, %v of processor time", (took - at).Round(time.Millisecond), (worked - before).Round(time.Millisecond))
		require.Less(t, took, at+limitWait)
		if before > 0 {
			late = worked - before
		}
	}
	if used, ok := peakMemory(cmd.ProcessState); ok && limit == 'm' {
		t.Logf("%.2f of the limit", float64(used)/float64(limitMemory))
		require.LessOrEqual(t, used, uint64(limitMemory*115/100))
	}
	return errs.String(), late
}
