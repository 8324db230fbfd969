// Package elementary evaluates exp, log, sin, cos, tanh, sigmoid, softplus, sinh, cosh, asin, erf, lgamma and digamma.
// Each rounds every product by itself, so the results have the same bits on every platform. The error bounds are in
// units in the last place; tests measure them.
package elementary
