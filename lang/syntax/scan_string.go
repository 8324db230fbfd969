package syntax

import (
	"bytes"
	"unicode/utf8"
)

// stringLit scans a string up to its closing quote.
func (s *scanner) stringLit(t *lexeme) {
	start := s.off
	t.kind = StringTok
	for s.off++; ; s.off++ {
		switch c := s.at(s.off); {
		case int(s.off) >= len(s.src) || c == '\n' || c == '\r' && s.at(s.off+1) == '\n':
			s.errorf(start, s.off, "a string ends with a quote on the line where it starts", "unclosed string")
			return
		case c == '"':
			s.off++
			s.checkUTF8(start, s.off)
			return
		case c == '\\':
			e := s.at(s.off + 1)
			if e == '"' || e == '\\' || e == 'n' || e == 't' {
				s.off++
			} else {
				s.errorf(s.off, s.off+1, `a string knows \\, \", \n and \t`, "unknown escape in a string")
			}
		}
	}
}

// curlyString passes over a string in curly quotes, which is reported.
func (s *scanner) curlyString(t *lexeme, start uint32) {
	line := s.src[s.off:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if i := bytes.IndexAny(line, "“”\""); i >= 0 {
		_, n := utf8.DecodeRune(line[i:])
		s.off += uint32(i + n)
		t.kind = StringTok
	}
	s.errorf(start, s.off, "quotes are straight: \"", "`%s` is not a string", clip(string(s.src[start:s.off])))
}
