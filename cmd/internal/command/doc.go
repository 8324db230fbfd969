// Package command has what gram's programs share: the root of their commands with its help, how a command line is run
// and which status it ends with, the values of flags, the flags of programs that are loaded and run, errors, files that
// are read and files that are written whole or not at all, progress, and profiles of the process.
//
// # One run
//
// A run has one answer. The command that was asked for puts it in a buffer, and
// the buffer goes to standard output at the very end, in one write that is
// checked: a run that fails, reaches a limit or is interrupted leaves standard
// output empty. A search prints what it has found when it is interrupted. A trace is too
// long for a buffer: it is written as it is made, and what has been written stays; only a
// file that -o names is there whole or not at all. The address of the explorer's page is
// written when it is served. Everything else, errors and progress, goes to standard error.
// Who calls a run gives it the streams and a context:
//
//	Main  ─ signals → context ─→  Run  ─→  a command  ─→  package gram
//	                               │           └ buffer
//	                               └ error → message and exit status, or the buffer → standard output
//
// # Exit status
//
//	0    done, also when the reader of a pipe went away
//	1    the program is wrong, a file can't be read or written, a limit was reached
//	2    the command line is wrong
//	130  interrupted: SIGINT or SIGTERM
//
// An error decides its status by its type: what cobra and [UsageError] and
// [gram.UsageError] report is the command line; a [gram.LimitError] of the limit
// "interrupt" is an interruption; the rest is 1.
package command
