package gram

import (
	"context"

	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/lang/syntax"
)

// Format returns the canonical text of a program: the same program with the same
// comments. name stands in errors. The error is an [*Error] if src has syntax errors, or
// a [*LimitError] if ctx is done or the memory of the process passes the default of
// [Options.MaxMemory].
func Format(ctx context.Context, name string, src []byte) ([]byte, error) {
	check := limits.New(ctx, 0).Check
	f, diags, err := syntax.Parse(name, src, syntax.Options{Check: check})
	if err != nil {
		return nil, wrapLimit(err, "formatting")
	}
	if len(diags) > 0 {
		return nil, wrap(syntax.NewErrors(f, diags))
	}
	text, err := syntax.Format(f, check)
	if err != nil {
		return nil, wrapLimit(err, "formatting")
	}
	return text, nil
}
