package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// opener is the note that shows where something that is not closed starts.
func (p *parser) opener(k Token, at uint32) Note {
	return Note{Span{at, at + uint32(len(k.String()))}, fmt.Sprintf("this `%s` is still open", k)}
}

// noOperand reports that an expression is missing, and returns a bad one. The expression
// is a part of the form fr if that isn't nil.
func (p *parser) noOperand(fr *form) operand {
	what, hint := "an expression", p.strayHint()
	var notes []Note
	if fr == nil {
		fr = &form{}
	} else {
		notes = []Note{p.opener(fr.op, fr.start)}
	}
	switch k := p.tok.kind; {
	case p.startsDecl() && k != EOF:
		p.endHere()
	case k == RParenTok && fr.kind == parenForm && fr.parts == nil:
		hint, notes = "there is no empty tuple", nil
	case k == RVecTok && fr.kind == vecForm && fr.parts == nil:
		hint, notes = "a vector has at least one element", nil
	case k == RBrackTok && fr.kind == listForm, (k == RParenTok || k == RVecTok) && fr.parts != nil:
		hint, notes = "no separator stands after the last element", nil
	case k == StarTok && fr.kind == parenForm && p.tok.start == fr.start+1:
		hint, notes = "a comment starts with `-- `", nil
	case k == dotTok:
		hint = "a number starts with a digit: 0.5"
	}
	p.expected(what, hint, notes...)
	switch p.tok.kind {
	case RParenTok, RBrackTok, RVecTok, CommaTok, SemiTok, InTok, ThenTok, ElseTok, WithTok, BarTok, AndTok, EOF:
		return p.bad(Span{p.prevEnd, p.prevEnd}) // these close something
	}
	return p.recover()
}

// notArgument reports a token after the operand f that is not the start of an
// argument. It reports whether to go on as if it were.
func (p *parser) notArgument(f operand) bool {
	k, what := p.tok.kind, "an operator or an argument"
	hint := fmt.Sprintf("put parentheses around `%s` to make it an argument", k)
	var notes []Note
	switch {
	case p.startsScan():
		hint = "put parentheses around `scan` to make it an argument"
	case f.form == powForm:
		what, hint = "an operator", "put parentheses around the power to apply it"
	case f.form == sizeForm:
		what, hint = "an operator", "`size x` is a number; put parentheses around it to pass it on"
	case k == UnderTok || k == StringTok:
		p.expected(what, strayHints[k])
		return false
	case k == backslashTok:
		hint = "a function is written `fun x -> …`, in parentheses as an argument"
	case k == LetTok && p.inner != nil && p.inner.kind == letForm:
		what, hint, notes = "`in`", "", []Note{p.opener(LetTok, p.inner.start), p.inNote(p.inner.start)}
	case k == LetTok && p.inDecl && p.firstOnLine():
		hint = "this line belongs to the declaration above it, since it is indented; the body starts at column 1"
	}
	p.expected(what, hint, notes...)
	return true
}

// firstOnLine reports whether nothing stands before the token on its line.
func (p *parser) firstOnLine() bool {
	before := p.s.src[:p.tok.start]
	return len(bytes.TrimSpace(before[bytes.LastIndexByte(before, '\n')+1:])) == 0
}

// strayHints explain tokens that stand where they have no meaning.
var strayHints = map[Token]string{
	ArrowTok: "a function is written `fun x -> …`", fatArrowTok: "a function is written `fun x -> …`",
	EqTok:      "a name is bound by `let x = e in …`, or by `def x = e` at column 1",
	eqEqTok:    "a name is bound by `let x = e in …`, or by `def x = e` at column 1",
	colonEqTok: "a name is bound by `let x = e in …`, or by `def x = e` at column 1",
	logicTok:   "conditions are joined by the words and and or",
	BarTok:     "a case stands after `match e with`",
	AndTok:     "`and` joins functions after `let rec` and `def rec`, and types",
	TypeVarTok: "a type variable stands in types only",
	CommaTok:   "a tuple stands in parentheses",
	SemiTok:    "a semicolon separates the elements of a list, in brackets",
	ColonTok:   "an annotation stands in parentheses: (e : T)",
	LolliTok:   "`-o` stands in types only",
	dotTok:     "a projection is written v.(0)",
	UnderTok:   "`_` is a pattern, not a value",
	CsvTok:     "`csv` stands only as the value of an `input` or `data` declaration",
	StringTok: "a string stands only after `csv`, `npy`, `npz`, `json`, `parquet` and `text`, in an `input` or `data` " +
		"declaration",
}

// strayHint explains a token that stands where it has no meaning.
func (p *parser) strayHint() string {
	if name := p.lambda(); name != "" && (p.at(ArrowTok) || p.at(fatArrowTok) || p.at(dotTok)) {
		return fmt.Sprintf("`%s` is a name like any other; a function is written `fun x -> …`", name)
	}
	switch k, src := p.tok.kind, p.s.src; {
	case p.inner != nil && p.inner.kind == thenForm && bytes.Contains(src[p.inner.start:p.tok.start], []byte(" elif ")):
		return "another condition follows else: if a then b else if c then d else e"
	case p.inner != nil && p.inner.kind == condForm && (k.isCompare() || k == EqTok):
		return "comparisons are joined by and and or: if a < b and b < c then …"
	case k.isCompare() || k == notEqTok:
		return "a comparison stands only in a condition, as in `if a < b then 1 else 0`"
	case k == InTok && !p.waiting(k):
		return "there is no `let` for it"
	case (k == ThenTok || k == ElseTok) && !p.waiting(ThenTok) && !p.waiting(ElseTok):
		return "there is no `if` for it"
	case k == WithTok && !p.waiting(k):
		return "there is no `match` for it"
	case k == CommaTok && p.prevEnd == p.tok.start && p.prevEnd > 0 && isDigit(src[p.prevEnd-1]) &&
		isDigit(p.s.at(p.tok.end)):
		return "a number has a decimal point: 0.5; and a tuple stands in parentheses"
	case ParamTok <= k && k <= DefTok:
		return p.reservedHint()
	}
	return strayHints[p.tok.kind]
}

// lambda returns the name at the head of the last application, if it is what other languages call fun.
func (p *parser) lambda() string {
	_, e := p.f.Spine(p.last, AppExpr)
	name := p.f.exprs[e].Text
	if r, n := utf8.DecodeRuneInString(name); r == 'λ' {
		return name[:n]
	}
	switch strings.ToLower(name) {
	case "lambda", "function", "fn", "func":
		return name
	}
	return ""
}

// recover goes on after an error: it skips to a token that an open form waits for, or
// to the end of the expression, and lets all forms further in end there.
func (p *parser) recover() operand {
	var nest [numTokens]int // by token, how many of it belong to what is passed over; of brackets in nest[RParenTok]
	nest[RParenTok] = p.open
	p.open = 0
	waits := map[Token]bool{}
	for _, a := range awaited {
		waits[a.token] = p.waiting(a.token)
	}
	unmute := p.silently()
	for !p.at(EOF) && !p.stopsRecovery(&nest, waits) {
		p.next()
	}
	unmute()
	if !p.at(EOF) {
		p.quiet = max(p.quiet, p.tok.start+1)
	}
	p.unwinding = true
	return p.bad(p.span())
}

// stopsRecovery reports whether the current token is one that an open form waits
// for and that nothing passed over does, and counts what it opens or closes.
func (p *parser) stopsRecovery(nest *[numTokens]int, waits map[Token]bool) bool {
	if p.startsDecl() {
		p.endHere()
		return true
	}
	k := p.tok.kind
	for _, a := range awaited {
		if a.opens == k {
			nest[a.token]++
		}
	}
	closes := k
	switch k {
	case LParenTok, LBrackTok, LVecTok, DotParenTok, dotBrackTok:
		nest[RParenTok]++
	case RBrackTok, RVecTok:
		closes = RParenTok
	}
	if nest[closes] > 0 {
		nest[closes]--
		return false
	}
	return waits[k]
}

// closeOpen moves past the parentheses that a static expression left open when it failed, silently.
func (p *parser) closeOpen() {
	defer p.silently()()
	for p.open > 0 && !p.at(EOF) {
		switch p.tok.kind {
		case LParenTok, DotParenTok:
			p.open++
		case RParenTok:
			p.open--
		}
		p.next()
	}
	p.open = 0
}

// skipTo moves on to one of the tokens, silently, after an error in a part with brackets of its own. It fails at a
// closing bracket or keyword that belongs to something further out.
func (p *parser) skipTo(stop ...Token) bool {
	inner, nest := p.open, p.open
	p.open = 0
	defer p.silently()()
	for ; !p.at(EOF); p.next() {
		k := p.tok.kind
		if slices.Contains(stop, k) && (nest <= 0 || nest <= inner && k != RParenTok) {
			p.quiet = max(p.quiet, p.tok.start+1)
			return true
		}
		switch k {
		case LParenTok, LBrackTok, LVecTok, DotParenTok, dotBrackTok:
			nest++
		case RParenTok, RBrackTok, RVecTok:
			if nest == 0 {
				return false
			}
			nest--
		case InTok, ThenTok, ElseTok, WithTok:
			return false
		}
		if p.startsDecl() || k.startsPrefix() {
			return false
		}
	}
	return false
}

// inNote says what a let without its in needs.
func (p *parser) inNote(start uint32) Note {
	text := "`let x = e in b` needs its `in`"
	if start == 0 || p.s.src[start-1] == '\n' {
		text += "; a declaration for the whole program is `def x = e`"
	}
	return Note{Text: text}
}
