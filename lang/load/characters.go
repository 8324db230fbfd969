package load

import (
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// characters reads a text in UTF-8 as the code points of its characters, in rows of as many as the part says, or of
// one. What makes no whole row at the end is left out.
func (o *opened) characters() (*content, error) {
	width := 1
	if len(o.parts) > 0 {
		p := o.parts[0]
		if width = p.index; width < 0 { // a name, perhaps a number of the command line
			width, _ = strconv.Atoi(p.name)
		}
		if width < 1 || width > MaxWidth {
			return nil, o.wrong(0, errors.New("the length of a row is expected, a natural number from 1 on"))
		}
	}
	text := o.text()
	data := syntax.Room[float64](o.s.Guard, nil, int(min(o.size, MaxWidth)))
	for line, col := 1, 1; ; col++ {
		c, n, err := text.ReadRune()
		switch {
		case err == io.EOF:
			rows := len(data) / width
			return &content{rows: rows, width: width, data: data[:rows*width]}, nil
		case err != nil:
			return nil, err
		case c == utf8.RuneError && n == 1:
			wrong := o.wrong(-1, errors.New("this is no UTF-8"))
			wrong.line, wrong.col = line, col
			return nil, wrong
		case c == '\n':
			line, col = line+1, 0
		}
		data = append(syntax.Room(o.s.Guard, data, 1), float64(c))
	}
}
