// Package eval computes the default values of inputs and data.
//
// Such a value is elaborated like the rest of a program, and then translated to
// [Code]: Go closures over frames of slots. Code can be run in three ways: for a
// number, for a value, or to write numbers straight into a slice of the shape that
// its context expects. The body of a comprehension is run in the first or the last
// way, so a computed list of ten million numbers is one slice and no garbage.
//
// Code comes from an expression that has a type, so no message of this package is
// about types. Where an error has been reported elsewhere the types may be wrong;
// such code fails with [ErrReported].
//
// Nothing here can run away: nesting and calls are bounded, the machine looks at
// its Check at least every 2^16 steps and at Reserve before every large slice.
package eval
