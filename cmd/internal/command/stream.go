package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Stream receives a long answer while it is computed. It is standard output, or a file that
// is written whole or not at all.
type Stream struct {
	*bufio.Writer
	to   *Sink
	file *OutFile // nil for standard output
}

// NewStream opens the file at path, or if path is "" writes to stdout.
func NewStream(path string, stdout io.Writer) (*Stream, error) {
	s := &Stream{to: &Sink{Writer: stdout}}
	if path != "" {
		f, err := CreateFile(path)
		if err != nil {
			return nil, err
		}
		s.file, s.to.Writer = f, f
	}
	s.Writer = bufio.NewWriterSize(s.to, 1<<16)
	return s, nil
}

// Finish ends the answer and returns the error of the command. err, if not nil, has cut
// the answer short. What is on standard output already stays there. A closed pipe is not
// an error.
func (s *Stream) Finish(err error) error {
	s.Flush()
	failed := s.to.Err
	if s.file != nil {
		defer s.file.Discard()
		switch {
		case failed != nil:
			return WriteError(s.file.Path, failed)
		case err != nil:
			return err
		}
		return s.file.Keep()
	}
	switch {
	case failed == nil:
		return err
	case ReaderGone(failed):
		return nil
	}
	return ResultError(failed)
}

// ResultError describes a system error on standard output.
func ResultError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot write the result: %w", err)
}
