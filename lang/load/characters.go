package load

import (
	"bufio"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// readCharacters reads a text in UTF-8 as the code points of its characters, in rows of as many as the part says, or of
// one. What makes no whole row at the end is left out.
func (s *Source) readCharacters(f *File) (*content, *fileError) {
	wrong := &fileError{kind: f.format.kind, path: f.path, part: -1}
	width := 1
	if len(f.parts) > 0 {
		p := f.parts[0]
		if width = p.index; width < 0 { // a name, perhaps a number of the command line
			width, _ = strconv.Atoi(p.name)
		}
		if width < 1 || width > MaxWidth {
			wrong.part, wrong.msg = 0, "the length of a row is expected, a natural number from 1 on"
			return nil, wrong
		}
	}
	in, size, err := s.openFile(f.format.kind, f.path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text := bufio.NewReaderSize(checkedReader{in, s}, 1<<16)
	skipMark(text)
	data := syntax.Room[float64](s.Guard, nil, int(min(size, MaxWidth)))
	for line, col := 1, 1; ; col++ {
		c, n, err := text.ReadRune()
		switch {
		case err == io.EOF:
			rows := len(data) / width
			return &content{rows: rows, width: width, data: data[:rows*width]}, nil
		case err != nil:
			wrong.msg = systemError(err)
			return nil, wrong
		case c == utf8.RuneError && n == 1:
			wrong.line, wrong.col, wrong.msg = line, col, "this is no UTF-8"
			return nil, wrong
		case c == '\n':
			line, col = line+1, 0
		}
		data = append(syntax.Room(s.Guard, data, 1), float64(c))
	}
}
