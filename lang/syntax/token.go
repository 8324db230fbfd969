package syntax

// Token is a lexical token's kind.
type Token uint8

// The tokens.
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
	UnderTok // _
)
