package syntax

import "slices"

// Contextual returns the words that have a meaning in some places only, beside those of [Token.IsContextual].
func Contextual() []string {
	return slices.Concat([]string{"scan", "or", "not", "of", "onehot", "uniform", "normal", "skip", "fill",
		"separator"}, fileFormats[1:])
}

// words says which contextual words a file binds as names: there they are names everywhere.
type words struct {
	known bool
	bound [numTokens]bool
}

// bind reports whether the file of s binds the word k as a name. The first time, it looks through the file.
func (w *words) bind(s *scanner, k Token) bool {
	if w == nil {
		return true
	}
	if !w.known {
		w.known = true
		w.look(&scanner{src: s.src, off: s.from, mute: true})
	}
	return w.bound[k]
}

// look finds what stands behind def, let, fun and the like, up to = or ->. s takes all contextual words for names. In
// def rec f and let rec f, rec is none.
func (w *words) look(s *scanner) {
	binds := false
	var rec, before Token // rec waits for what follows it
	for t := s.scan(); t.kind != EOF; t = s.scan() {
		if rec != EOF && t.kind != IdentTok && t.kind != SumTok {
			w.bound[rec] = true
		}
		rec = EOF
		k := keywords[string(s.src[t.start:t.end])]
		switch {
		case !k.IsContextual():
		case k == RecTok && (before == DefTok || before == LetTok):
			rec = k
		case binds, ParamTok <= before && before <= DataTok, before == VecTok, before == SumTok, before == ListTok:
			w.bound[k] = true
		}
		switch before = t.kind; before {
		case FunTok, LinTok, LetTok, DefTok:
			binds = true
		case ArrowTok, EqTok:
			binds = false
		}
	}
}
