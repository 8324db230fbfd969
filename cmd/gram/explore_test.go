package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func visitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || signals[args[0]] == nil {
		ts.Fatalf("usage: visit INT|TERM N PATH program args…")
	}
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	cmd := exec.Command(path, args[4:]...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = ts.MkAbs("."), append(os.Environ(), "PATH="+ts.Getenv("PATH")), &errs
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	out := bufio.NewReader(stdout)
	url, err := out.ReadString('\n')
	var answer []byte
	if err == nil {
		answer, err = fetch(strings.TrimSpace(url) + args[2])
	}
	ts.Check(cmd.Process.Signal(signals[args[0]]))
	rest, _ := io.ReadAll(out)
	exit := cmd.Wait()
	ts.Logf("[stderr]\n%s", errs.String())
	ts.Check(err)
	checkStatus(ts, args[1], exit)
	for name, text := range map[string]string{"answer": string(answer), "out": url + string(rest), "err": errs.String()} {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}

// fetch asks a server, and keeps no connection.
func fetch(url string) ([]byte, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}
