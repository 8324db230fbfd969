// Package docs holds the pages that the command prints.
package docs

import _ "embed"

// Language is the reference of the language and the command, in Markdown.
//
//go:embed language.md
var Language []byte
