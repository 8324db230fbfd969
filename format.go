package gram

import "github.com/gram-machine/gram/lang/syntax"

// Format returns the canonical text of a program: the same program with the same
// comments. The error is an [*Error] if src has syntax errors; name stands in it.
func Format(name string, src []byte) ([]byte, error) {
	f, diags, err := syntax.Parse(name, src, syntax.Options{})
	if err != nil {
		return nil, err
	}
	if len(diags) > 0 {
		return nil, wrap(syntax.NewErrors(f, diags))
	}
	return syntax.Format(f), nil
}
