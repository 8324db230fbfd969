// Package prelude has the definitions that every program can use.
package prelude

import (
	_ "embed" // for the prelude
	"sync"

	"github.com/gram-machine/gram/lang/syntax"
)

//go:embed prelude.gram
var source []byte

// File returns the prelude, parsed.
var File = sync.OnceValue(func() *syntax.File {
	f, diags, err := syntax.Parse("prelude.gram", source, syntax.Options{NoBody: true})
	if err != nil || len(diags) > 0 {
		panic("lang: the prelude does not parse")
	}
	return f
})

// Names returns the names that the prelude defines.
func Names() []string {
	var names []string
	for _, d := range File().Decls {
		names = append(names, d.Name)
	}
	return names
}

// Has reports whether the prelude has a definition of the name.
func Has(name string) bool { return names()[name] }

var names = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, name := range Names() {
		names[name] = true
	}
	return names
})
