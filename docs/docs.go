// Package docs holds the reference of the language, which the command prints and editors show.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

// Language is the reference of the language and the command, in Markdown.
//
//go:embed language.md
var Language string

// Function is a line of the table of functions.
type Function struct {
	Name        string
	Use         string // applied to all its arguments: "pow x y"
	Type        string // "R -> R -> R"
	About       string // in Markdown
	Derivatives []string
}

// Functions returns the functions of the language, as the reference has them.
var Functions = sync.OnceValue(func() []Function {
	functionRow := regexp.MustCompile("(?m)^\\| `([a-z]+'?)( [^`|]*)?` \\| `([^`|]*)` \\| ([^|]*) \\| ?([^|]*) ?\\|$")
	code := regexp.MustCompile("`([^`]*)`")
	var out []Function
	_, section, _ := strings.Cut(Language, "\n## Functions\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range functionRow.FindAllStringSubmatch(section, -1) {
		f := Function{Name: row[1], Use: row[1] + row[2], Type: row[3], About: row[4]}
		for _, d := range code.FindAllStringSubmatch(row[5], -1) {
			f.Derivatives = append(f.Derivatives, d[1])
		}
		out = append(out, f)
	}
	return out
})
