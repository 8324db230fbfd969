package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
)

// stream is where a long answer goes while it is made: standard output, or a file that is
// there whole or not at all.
type stream struct {
	*bufio.Writer
	to   *sink
	file *outputFile // nil for standard output
	path string
}

// sink keeps the first error of a writer.
type sink struct {
	io.Writer
	err error
}

func (s *sink) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.Writer.Write(b)
	s.err = err
	return n, err
}

// stream opens standard output, or the file at path.
func (a *app) stream(path string) (*stream, error) {
	s := &stream{to: &sink{Writer: a.stdout}, path: path}
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

// finish ends the answer, which err has cut short if it isn't nil, and returns the error
// of the command. What standard output has been given stays there; a reader of it that
// has gone away is no error.
func (s *stream) finish(err error) error {
	s.Flush()
	if s.file != nil {
		defer s.file.discard()
		if err == nil {
			err = s.to.err
		}
		if err == nil {
			err = s.file.keep()
		} else if s.to.err == nil {
			return err
		}
		if err != nil {
			return outputError(s.path, err)
		}
		return nil
	}
	switch failed := s.to.err; {
	case failed == nil:
		return err
	case errors.Is(failed, syscall.EPIPE) || errors.Is(failed, io.ErrClosedPipe):
		return nil
	default:
		return resultError(failed)
	}
}

// resultError words an error of the system about standard output.
func resultError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot write the result: %w", err)
}
