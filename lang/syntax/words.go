package syntax

import "slices"

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
