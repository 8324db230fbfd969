package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexeme is a token with its place.
type lexeme struct {
	kind       Token
	start, end uint32
	col1       bool // at column 1
	first      bool // the first of its line
	num        float64
}

// scanner reads tokens from left to right. It is copied to look ahead.
type scanner struct {
	src       []byte
	from      uint32 // where the file begins in src
	off       uint32
	lineStart uint32
	seen      bool // whether the line has a token before off
	mute      bool // whether errors are dropped
	words     *words
	comments  []Span
	diags     []Diagnostic
}

// newScanner returns a scanner for the file that begins at from and ends with src.
func newScanner(src []byte, from uint32) scanner {
	start := uint32(len(src) - len(bytes.TrimPrefix(src[from:], bom)))
	return scanner{src: src, from: from, off: start, lineStart: start, words: &words{}}
}

func (s *scanner) errorf(start, end uint32, label, format string, args ...any) {
	if s.mute {
		return
	}
	s.diags = append(s.diags, Diagnostic{
		Span: Span{start, end}, Headline: fmt.Sprintf(format, args...), Label: label,
	})
}

// at returns the byte at off, or 0 after the end.
func (s *scanner) at(off uint32) byte {
	if int(off) < len(s.src) {
		return s.src[off]
	}
	return 0
}

// scan returns the next token. It reports characters that start no token and skips them.
func (s *scanner) scan() lexeme {
	var skipped lexeme // on this line, at its start
	for {
		line := s.lineStart
		s.space()
		t := lexeme{start: s.off, col1: s.off == s.lineStart, first: !s.seen}
		if line == s.lineStart {
			t.col1, t.first = t.col1 || skipped.col1, t.first || skipped.first
		}
		if int(s.off) >= len(s.src) {
			t.end = s.off
			return t
		}
		s.seen = true
		if s.token(&t); t.kind != BadTok {
			t.end = s.off
			return t
		}
		skipped = t
	}
}

// space passes over white space and comments.
func (s *scanner) space() {
	for int(s.off) < len(s.src) {
		switch c := s.src[s.off]; {
		case c == '\n':
			s.off++
			s.lineStart, s.seen = s.off, false
		case isSpace(c):
			s.off++
		case c == '-' && s.at(s.off+1) == '-':
			s.comment()
		case c == '/' && s.at(s.off+1) == '/':
			s.foreignComment(2)
		case c == '#' && !s.seen && (s.at(s.off+1) == '#' || s.at(s.off+1) == '!'),
			c == '#' && s.at(s.off+1) == ' ' && isLetter(s.at(s.off+2)) && !s.takes():
			s.foreignComment(1)
		default:
			return
		}
	}
}

// foreignComment reports a comment as other languages write it, whose sign has n bytes, and passes over it.
func (s *scanner) foreignComment(n uint32) {
	start := s.off
	s.errorf(start, start+n, "a comment starts with `-- `", "`%s` does not start a comment", s.src[start:start+n])
	s.off = s.lineEnd()
}

// lineEnd returns where the current line ends, without its line break.
func (s *scanner) lineEnd() uint32 {
	line, _, _ := bytes.Cut(s.src[s.off:], []byte{'\n'})
	return s.off + uint32(len(line))
}

// takes reports whether what stands before on the line could be applied to a numeral.
func (s *scanner) takes() bool {
	before := bytes.TrimRight(s.src[s.lineStart:s.off], " \t")
	i := len(before)
	for i > 0 && inName(before[i-1]) {
		i--
	}
	if i == len(before) {
		return i > 0 && !bytes.ContainsRune([]byte("])}\""), rune(before[i-1]))
	}
	return !isDigit(before[i])
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// inName reports whether an ASCII character may stand in a name.
func inName(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '\'' }

// comment passes over a comment, to the end of its line.
func (s *scanner) comment() {
	start, end := s.off, s.lineEnd()
	s.off = end
	if s.src[end-1] == '\r' {
		end--
	}
	if start != s.lineStart && !isSpace(s.src[start-1]) {
		s.errorf(start, start+2, "a comment needs a space before it; so do two minus signs between them",
			"`--` right after a token")
	}
	s.comments = append(s.comments, Span{start, end})
	s.checkUTF8(start, end)
}

// checkUTF8 reports the first byte of [start, end) that is not UTF-8.
func (s *scanner) checkUTF8(start, end uint32) {
	for i, n := start, 0; i < end; i += uint32(n) {
		var r rune
		if r, n = utf8.DecodeRune(s.src[i:end]); r == utf8.RuneError && n <= 1 {
			s.errorf(i, i+1, "a program is UTF-8 text", "the byte 0x%02x is not UTF-8", s.src[i])
			return
		}
	}
}

// token scans what starts at off; BadTok means that there is none, and an error.
func (s *scanner) token(t *lexeme) {
	c := s.src[s.off]
	switch {
	case isDigit(c):
		s.number(t)
	case c == '_' || isLetter(c):
		s.ident(t)
	case c == '"':
		s.stringLit(t)
	case c >= utf8.RuneSelf:
		s.wide(t)
	default:
		s.symbol(t)
	}
}

// ident scans a name, a keyword or the wildcard.
func (s *scanner) ident(t *lexeme) {
	start := s.off
	s.off = s.identEnd(start)
	word := s.src[start:s.off]
	t.kind = IdentTok
	if k, ok := keywords[string(word)]; ok && !(k.IsContextual() && s.words.binds(s, string(word))) {
		t.kind = k
	} else if len(word) == 1 && word[0] == '_' {
		t.kind = UnderTok
	} else if string(word) == "import" && namesFile(s.src[s.off:]) {
		t.kind = ImportTok
	}
}

// namesFile reports whether a string comes next, or the rest of the line is a file name without quotes.
func namesFile(next []byte) bool {
	line, _, _ := bytes.Cut(next, []byte{'\n'})
	line = bytes.TrimSpace(line)
	return bytes.HasPrefix(line, []byte{'"'}) || bytes.HasSuffix(line, []byte(".gram")) && !bytes.ContainsAny(line, " \t")
}

// identEnd returns where the letters, digits, _ and ' from off on end.
func (s *scanner) identEnd(off uint32) uint32 {
	for int(off) < len(s.src) {
		if inName(s.src[off]) {
			off++
			continue
		}
		r, n := utf8.DecodeRune(s.src[off:])
		if r < utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		off += uint32(n)
	}
	return off
}

// typeVar passes over a type variable, if one starts here. A name in quotes is none.
func (s *scanner) typeVar() bool {
	end := s.identEnd(s.off + 1)
	if end == s.off+1 || isDigit(s.at(s.off+1)) || s.at(end-1) == '\'' || s.at(end) == '.' || s.at(end) == '/' {
		return false
	}
	s.off = end
	return true
}

// number scans a numeral. A malformed one is reported and still a numeral.
func (s *scanner) number(t *lexeme) {
	start := s.off
	t.kind = NumberTok
	digits := func() {
		for isDigit(s.at(s.off)) {
			s.off++
		}
	}
	digits()
	hint := ""
	if c := s.at(s.off + 1); s.at(s.off) == '.' && c != '(' && c != '[' && c != '.' {
		s.off++
		if !isDigit(s.at(s.off)) {
			hint = "a digit must follow the decimal point"
		}
		digits()
	}
	if c := s.at(s.off); hint == "" && (c == 'e' || c == 'E') {
		next := s.off + 1
		if d := s.at(next); d == '+' || d == '-' {
			next++
		}
		if isDigit(s.at(next)) {
			s.off = next
			digits()
		} else if end := s.identEnd(s.off); end <= next {
			s.off, hint = next, "digits must follow the exponent's e"
		}
	}
	mantissaEnd := s.off
	if end := s.identEnd(s.off); end > s.off && hint == "" {
		hint = fmt.Sprintf("a number is decimal, like 0.5 or 1e-3; a product is written `%s * %s`",
			clip(string(s.src[start:s.off])), clip(string(s.src[s.off:end])))
		if c := s.src[s.off]; c == '_' || start+1 == s.off && s.src[start] == '0' && (c == 'x' || c == 'X') {
			hint = "a number is decimal, like 0.5 or 1e-3, without underscores"
		}
		s.off = end
	} else if hint == "" && s.at(s.off) == '.' && isDigit(s.at(s.off+1)) {
		hint = "a number has one decimal point"
		s.off++
		digits()
	}
	text := string(s.src[start:s.off])
	if hint != "" {
		s.errorf(start, s.off, hint, "`%s` is not a number", clip(text))
		text = string(s.src[start:mantissaEnd])
	}
	v, err := ParseNumber(text)
	if err != nil && hint == "" {
		s.errorf(start, s.off, "the largest number is about 1.8e308", "the number %s is not finite", clip(text))
	}
	t.num = v
}

// symbol is an operator as it is written.
type symbol struct {
	text string
	tok  Token
}

// symbols lists the operators of ASCII characters, longer ones before their prefixes.
var symbols = func() []symbol {
	all := []symbol{{"!=", notEqTok}, {"||", logicTok}}
	for t := PlusTok; t < logicTok; t++ {
		if t != LolliTok && t != UnderTok && t != TypeVarTok {
			all = append(all, symbol{spellings[t], t})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return len(all[i].text) > len(all[j].text) })
	return all
}()

// symbol scans an operator of ASCII characters.
func (s *scanner) symbol(t *lexeme) {
	for i := range symbols {
		x := &symbols[i]
		if s.src[s.off] == x.text[0] && (len(x.text) == 1 || s.at(s.off+1) == x.text[1]) {
			t.kind = x.tok
			s.off += uint32(len(x.text))
			return
		}
	}
	start, c := s.off, s.src[s.off]
	if c == '\'' && s.typeVar() {
		t.kind = TypeVarTok
		return
	}
	for s.off++; s.at(s.off) == c && c != 0; s.off++ {
	}
	t.kind = BadTok
	text := string(s.src[start:s.off])
	switch {
	case c < ' ' || c == 0x7f:
		s.errorf(start, s.off, "a program is text", "the control character U+%04X", c)
	case c == '&' || c == '|':
		t.kind = logicTok
	case c == '{' || c == '}':
		s.errorf(start, s.off, "group with ( )", "`%s` is not part of the language", clip(text))
	case c == '\'':
		s.errorf(start, s.off, "a name starts with a letter or _; a file name stands in double quotes",
			"`%s` does not start a name", clip(text))
	default:
		s.errorf(start, s.off, Elsewhere[text], "`%s` is not part of the language", clip(text))
	}
}

// lookalikes are the characters of papers and word processors, with what stands for them here.
var lookalikes = map[rune]Token{
	'→': ArrowTok, '⇒': ArrowTok, '↦': ArrowTok, '−': MinusTok, '–': MinusTok, '—': MinusTok,
	'×': StarTok, '·': StarTok, '⋅': StarTok, '∗': StarTok, '÷': SlashTok, '≤': LessEqTok, '≥': GreaterEqTok,
	'⟦': LVecTok, '⟧': RVecTok, '⟨': LParenTok, '⟩': RParenTok,
}

// wide scans what starts with a rune beyond ASCII.
func (s *scanner) wide(t *lexeme) {
	start := s.off
	r, n := utf8.DecodeRune(s.src[start:])
	t.kind = BadTok
	if r == utf8.RuneError && n <= 1 {
		s.checkUTF8(start, start+1)
		for int(s.off) < len(s.src) { // one error for a run of such bytes
			if r, n := utf8.DecodeRune(s.src[s.off:]); r != utf8.RuneError || n > 1 {
				break
			}
			s.off++
		}
		return
	}
	if unicode.IsLetter(r) {
		s.ident(t)
		return
	}
	s.off += uint32(n)
	if r == '⊸' {
		t.kind = LolliTok
		return
	}
	if k, ok := lookalikes[r]; ok {
		t.kind = k
		s.errorf(start, s.off, fmt.Sprintf("write `%s`", k), "`%c` is not part of the language", r)
		return
	}
	switch {
	case unicode.IsSpace(r) || !unicode.IsPrint(r):
		s.errorf(start, s.off, "use plain spaces", "the invisible character U+%04X", r)
	case unicode.IsDigit(r):
		s.errorf(start, s.off, "the digits of a number are 0 to 9", "`%c` does not start a number", r)
	case unicode.IsMark(r):
		s.errorf(start, s.off, "a name is made of letters, digits, _ and '",
			"the combining character U+%04X", r)
	case r == '“' || r == '”':
		s.curlyString(t, start)
	default:
		s.errorf(start, s.off, "", "`%c` is not part of the language", r)
	}
}

// lolli turns the minus sign t into -o, if an o follows it.
func (s *scanner) lolli(t *lexeme) {
	if t.kind == MinusTok && t.end == t.start+1 && s.at(t.end) == 'o' && s.identEnd(t.end) == t.end+1 {
		s.off = t.end + 1
		t.kind, t.end = LolliTok, s.off
	}
}

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
	line := s.src[s.off:s.lineEnd()]
	if i := bytes.IndexAny(line, "“”\""); i >= 0 {
		_, n := utf8.DecodeRune(line[i:])
		s.off += uint32(i + n)
		t.kind = StringTok
	}
	s.errorf(start, s.off, "quotes are straight: \"", "`%s` is not a string", clip(string(s.src[start:s.off])))
}

// ErrNotNumber is wrapped by the errors of [ParseNumber] for text that is no number.
var ErrNotNumber = errors.New("not a number")

// ErrNotFinite is wrapped by the errors of [ParseNumber] for a number that no float64 holds.
var ErrNotFinite = errors.New("too large for a float64")

// ParseNumber reads a decimal number with an optional sign and an optional exponent, as data files and the command line
// give it. Hexadecimal numbers, underscores, NaN and infinities are not numbers.
func ParseNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch decimal := strings.Trim(text, "0123456789+-.eE") == ""; {
	case decimal && errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is %w", clip(text), ErrNotFinite)
	case !decimal || err != nil:
		return 0, fmt.Errorf("%q is %w", clip(text), ErrNotNumber)
	}
	return v, nil
}

// clip shortens text that an error message quotes.
func clip(s string) string { return Clip(s, 40) }

// Clip cuts text that has more runes than most, and marks the place.
func Clip(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
