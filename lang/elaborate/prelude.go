package elaborate

import (
	_ "embed" // for the prelude
	"slices"
	"sync"

	"github.com/gram-machine/gram/lang/syntax"
)

//go:embed prelude.gram
var preludeSource []byte

// Prelude returns the definitions that every program can use, parsed.
var Prelude = sync.OnceValue(func() *syntax.File {
	f, diags, err := syntax.Parse("prelude.gram", preludeSource, syntax.Options{NoBody: true})
	if err != nil || len(diags) > 0 {
		panic("lang: the prelude does not parse")
	}
	return f
})

// PreludeNames returns the names that the prelude defines.
var PreludeNames = sync.OnceValue(func() (names []string) {
	for _, d := range Prelude().Decls {
		names = append(names, d.Name)
	}
	return slices.Clip(names)
})
