package syntax

import (
	"slices"
)

// Token is a lexical token's kind.
type Token uint8

const (
	EOF Token = iota
	BadTok
	IdentTok
	NumberTok
	StringTok

	ParamTok // keywords
	InputTok
	DataTok
	DefTok
	FunTok
	LinTok
	LetTok
	InTok
	IfTok
	ThenTok
	ElseTok
	VecTok
	SumTok
	ListTok
	SizeTok
	CsvTok

	ImportTok // import before a file name in quotes; elsewhere a name

	TypeTok // words that are names in a file that binds them, see [words]
	MatchTok
	WithTok
	RecTok
	SymbolTok
	AndTok

	PlusTok // operators
	MinusTok
	StarTok
	SlashTok
	CaretTok
	LessTok
	LessEqTok
	GreaterTok
	GreaterEqTok
	EqTok
	ArrowTok // ->
	LolliTok // -o, ⊸ (in types only)
	HashTok
	DotParenTok // .(
	LParenTok
	RParenTok
	LBrackTok
	RBrackTok
	LVecTok // [|
	RVecTok // |]
	CommaTok
	SemiTok
	ColonTok
	UnderTok   // _
	BarTok     // |
	TypeVarTok // 'a, in types only

	// Spellings of other languages, scanned so that the parser can say what to
	// write instead. They never reach the tree.
	fatArrowTok  // =>
	eqEqTok      // ==
	notEqTok     // !=, <>
	colonEqTok   // :=
	backslashTok // \
	dotTok       // . that is not .(
	dotBrackTok  // .[
	logicTok     // &&, ||
	numTokens
)

// spellings holds the words and symbols; the kinds without one spelling have a description.
var spellings = [numTokens]string{
	EOF: "the end of the file", BadTok: "an unknown character", IdentTok: "a name",
	NumberTok: "a number", StringTok: "a string",
	ParamTok: "param", InputTok: "input", DataTok: "data", DefTok: "def", FunTok: "fun",
	LinTok: "lin", LetTok: "let", InTok: "in", IfTok: "if", ThenTok: "then", ElseTok: "else",
	VecTok: "vec", SumTok: "sum", ListTok: "list", SizeTok: "size", CsvTok: "csv",
	ImportTok: "import", TypeTok: "type", MatchTok: "match", WithTok: "with", RecTok: "rec", SymbolTok: "symbol",
	AndTok:  "and",
	PlusTok: "+", MinusTok: "-", StarTok: "*", SlashTok: "/", CaretTok: "^", LessTok: "<",
	LessEqTok: "<=", GreaterTok: ">", GreaterEqTok: ">=", EqTok: "=", ArrowTok: "->",
	LolliTok: "-o", HashTok: "#", DotParenTok: ".(", LParenTok: "(", RParenTok: ")",
	LBrackTok: "[", RBrackTok: "]", LVecTok: "[|", RVecTok: "|]", CommaTok: ",", SemiTok: ";",
	ColonTok: ":", UnderTok: "_", BarTok: "|", TypeVarTok: "a type variable",
	fatArrowTok: "=>", eqEqTok: "==", notEqTok: "<>", colonEqTok: ":=", backslashTok: `\`,
	dotTok: ".", dotBrackTok: ".[", logicTok: "&&",
}

// String returns the token as it is written in a program, or what it is ("a name").
func (t Token) String() string { return spellings[t] }

// IsKeyword reports whether t is a reserved word, or one that is reserved where a file does not bind it.
func (t Token) IsKeyword() bool { return ParamTok <= t && t <= AndTok }

// IsContextual reports whether t is a word that is a name in a file that binds it.
func (t Token) IsContextual() bool { return TypeTok <= t && t <= AndTok }

// startsDecl reports whether t is the keyword of a declaration.
func (t Token) startsDecl() bool {
	return ParamTok <= t && t <= DefTok || t == ImportTok || t == TypeTok || t == SymbolTok
}

// startsAtom reports whether t can start an argument.
func (t Token) startsAtom() bool {
	return t == IdentTok || t == NumberTok || t == HashTok || t == LParenTok || t == LBrackTok || t == LVecTok
}

// startsPat reports whether t can start a pattern.
func (t Token) startsPat() bool {
	return t == IdentTok || t == UnderTok || t == LParenTok || t == LVecTok
}

// startsPrefix reports whether t starts a form that reaches as far right as it can.
func (t Token) startsPrefix() bool {
	return FunTok <= t && t <= LetTok || t == IfTok || VecTok <= t && t <= ListTok || t == MatchTok
}

func (t Token) isCompare() bool { return LessTok <= t && t <= GreaterEqTok }

// keywords maps a reserved or contextual word to its token.
var keywords = func() map[string]Token {
	m := make(map[string]Token)
	for t := ParamTok; t.IsKeyword(); t++ {
		if t != ImportTok {
			m[spellings[t]] = t
		}
	}
	return m
}()

// Contextual returns the words that have a meaning in some places only, beside those of [Token.IsContextual].
func Contextual() []string {
	return slices.Concat([]string{"scan", "or", "not", "of", "onehot", "uniform", "normal", "skip", "fill",
		"separator"}, fileFormats[1:])
}

// words says which words a file binds as names. A contextual word that it binds is a name everywhere.
type words struct{ bound map[string]bool }

// binds reports whether the file of s binds a word as a name. The first time, it looks through the file.
func (w *words) binds(s *scanner, word string) bool {
	if w == nil {
		return true
	}
	if w.bound == nil {
		w.bound = map[string]bool{}
		w.look(&scanner{src: s.src, off: s.from, mute: true})
	}
	return w.bound[word]
}

// look finds the names behind def, let, fun and the like, up to = or ->, and those of indices. Of words that are not
// contextual, it also finds those in the patterns of match and scan. s takes all contextual words for names. In
// def rec f and let rec f, rec is none.
func (w *words) look(s *scanner) {
	var head, pattern, index, scan bool // what stands before
	var rec, before Token               // rec waits for what follows it
	for t := s.scan(); t.kind != EOF; t = s.scan() {
		if rec != EOF && t.kind != IdentTok && t.kind != SumTok {
			w.bound[rec.String()] = true
		}
		rec = EOF
		word := string(s.src[t.start:t.end])
		k := keywords[word]
		switch contextual := k.IsContextual(); {
		case k == RecTok && (before == DefTok || before == LetTok):
			rec = k
		case contextual && (head || index || ParamTok <= before && before <= DataTok),
			!contextual && t.kind == IdentTok && (pattern || index || scan):
			w.bound[word] = true
		}
		before = t.kind
		switch {
		case before == FunTok || before == LinTok || before == LetTok || before == DefTok:
			head, pattern = true, true
		case before == ArrowTok || before == EqTok:
			head, pattern = false, false
		case before == LessTok:
			pattern = false
		case before.startsDecl() || k.startsDecl() || before == BarTok || k == WithTok:
			pattern = true
		}
		index, scan = before == VecTok || before == SumTok || before == ListTok, word == "scan"
	}
}
