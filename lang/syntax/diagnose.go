package syntax

// Diagnostic is an error at a place of the source. A place in another file (a
// CSV file, say) has File set and a line and column of its own instead of a Span.
type Diagnostic struct {
	Span     Span
	Headline string // "type mismatch"
	Label    string // at the carets: "this is R * R, but sigmoid takes R"; may be empty
	Notes    []Note // further places and hints
}

// Note is a remark under a diagnostic; with a Span other than {0,0} it shows that line too.
type Note struct {
	Span Span
	Text string
}
