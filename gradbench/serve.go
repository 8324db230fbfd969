// Package gradbench is a tool for GradBench (github.com/gradbench/gradbench), a benchmark of automatic differentiation:
// it answers the messages of an eval, which asks for values and derivatives of programs. The programs are those of this
// folder.
package gradbench

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Programs has a program for each module, and more where a module needs several.
//
//go:embed *.gram
var Programs embed.FS

// message is a line that an eval sends.
type message struct {
	ID       json.RawMessage `json:"id"`
	Kind     string          `json:"kind"`
	Module   string          `json:"module"`
	Function string          `json:"function"`
	Input    json.RawMessage `json:"input"`
}

// response is the answer to a message.
type response struct {
	ID      json.RawMessage `json:"id"`
	Tool    string          `json:"tool,omitempty"`
	Success *bool           `json:"success,omitempty"` // of define and evaluate
	Output  any             `json:"output,omitempty"`
	Timings []timing        `json:"timings,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// timing is how long a part of the work has taken.
type timing struct {
	Name        string `json:"name"`
	Nanoseconds int64  `json:"nanoseconds"`
}

// Serve answers the messages of in, one a line, until it ends. An error in a message is said in the answer. The error
// of Serve is one of reading or writing, or that of ctx.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s := server{}
	defer s.close()
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := s.reply(ctx, line, out); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// reply answers a line.
func (s server) reply(ctx context.Context, line []byte, out io.Writer) error {
	var m message
	r := response{}
	if err := json.Unmarshal(line, &m); err != nil {
		r.fail(fmt.Errorf("wrong message: %w", err))
	}
	r.ID = m.ID
	switch {
	case r.Success != nil:
	case m.Kind == "start":
		r.Tool = "gram"
	case m.Kind == "define":
		r.result(s.define(ctx, m.Module))
	case m.Kind == "evaluate":
		r.result(s.evaluate(ctx, m.Module, m.Function, m.Input))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil { // NaN and infinities
		r.Output, r.Timings = nil, nil
		r.fail(fmt.Errorf("the output cannot be written: %w", err))
		if text, err = json.Marshal(r); err != nil {
			return err
		}
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

func (r *response) fail(err error) {
	r.Success, r.Error = new(bool), err.Error()
}

// result notes what a message has led to.
func (r *response) result(output any, timings []timing, err error) {
	if err != nil {
		r.fail(err)
		return
	}
	r.Success, r.Output, r.Timings = new(true), output, timings
}

// elapsed is a timing of what has been done since a time.
func elapsed(name string, since time.Time) timing {
	return timing{name, time.Since(since).Nanoseconds()}
}
