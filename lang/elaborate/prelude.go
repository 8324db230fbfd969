package elaborate

import (
	_ "embed" // for the prelude
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
func PreludeNames() []string {
	var names []string
	for _, d := range Prelude().Decls {
		names = append(names, d.Name)
	}
	return names
}

// InPrelude reports whether the prelude has a definition of the name.
func InPrelude(name string) bool { return inPrelude()[name] }

var inPrelude = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, name := range PreludeNames() {
		names[name] = true
	}
	return names
})
