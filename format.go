package gram

import (
	"context"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
)

// Format returns the canonical text of a program: the same program with the same
// comments. name stands in errors. The error is an [*Error] if src has syntax errors, or
// a [*LimitError] if ctx is done or the memory of the process passes the default of
// [Options.MaxMemory].
func Format(ctx context.Context, name string, src []byte) ([]byte, error) {
	meter := limits.New(ctx, 0)
	opt := syntax.Options{Check: meter.Check, Reserve: meter.Reserve}
	f, diags, err := syntax.Parse(name, src, opt)
	if err != nil {
		return nil, wrapLimit(err, "formatting")
	}
	if len(diags) > 0 {
		return nil, wrap(syntax.NewErrors(f, diags))
	}
	text, err := syntax.Format(f, opt)
	if err != nil {
		return nil, wrapLimit(err, "formatting")
	}
	return text, nil
}
