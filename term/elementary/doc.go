// Package elementary evaluates exp, log, sin, cos, tanh and the sigmoid function. Each
// rounds every product by itself, so the results have the same bits on every platform.
// The error bounds are in units in the last place; tests measure them.
package elementary
