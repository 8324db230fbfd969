// Package gradbench is a tool for GradBench (github.com/gradbench/gradbench), a benchmark of automatic differentiation:
// it answers the messages of an eval, which asks for values and derivatives of programs. The programs are those of this
// folder.
package gradbench

import "embed"

// Programs has a program for each module, and more where a module needs several.
//
//go:embed *.gram
var Programs embed.FS
