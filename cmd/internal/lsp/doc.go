// Package lsp is a server of the Language Server Protocol, version 3.17, for programs of gram.
//
// The editor sends the whole text of a document after each change. The server parses it at once, and loads it in the
// background: a load that a later change makes useless is ended. Errors are published when the load has ended. A
// request waits for it.
//
//	didOpen, didChange ──▶ parse ──▶ load, bounded ──▶ diagnostics, types
//	gram.profile       ──▶ run, bounded ──▶ steps by line
//
// The names in scope come from the syntax tree. Types come from the last version of the document that had no syntax
// error, and costs from the version that was profiled. What stands outside of the part that has been edited since has
// the types and costs that it had: see [edits].
//
// A program reads the CSV files that it names. It writes nothing, and a run has limits of steps, nodes, memory and
// time.
package lsp
