package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
)

// stream receives a long answer while it is computed. It is standard output, or a file that
// is written whole or not at all.
type stream struct {
	*bufio.Writer
	to   *sink
	file *outputFile // nil for standard output
}

// stream opens standard output, or the file at path.
func (a *app) stream(path string) (*stream, error) {
	s := &stream{to: &sink{Writer: a.stdout}}
	if path != "" {
		f, err := newOutputFile(path)
		if err != nil {
			return nil, outputError(path, err)
		}
		s.file, s.to.Writer = f, f
	}
	s.Writer = bufio.NewWriterSize(s.to, 1<<16)
	return s, nil
}

// finish ends the answer and returns the error of the command. err, if not nil, has cut
// the answer short. What is on standard output already stays there. A closed pipe is not
// an error.
func (s *stream) finish(err error) error {
	s.Flush()
	failed := s.to.err
	if s.file != nil {
		defer s.file.discard()
		if failed == nil && err == nil {
			failed = s.file.keep()
		}
		if failed != nil {
			return outputError(s.file.path, failed)
		}
		return err
	}
	switch {
	case failed == nil:
		return err
	case readerGone(failed):
		return nil
	}
	return resultError(failed)
}

// resultError describes a system error on standard output.
func resultError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot write the result: %w", err)
}
