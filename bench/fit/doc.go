// Package fit tells how one quantity grows with another: the exponent of a power law with its 95 % interval,
// which form of growth leaves the least residuals, and the constants of a bound in two variables.
//
// All fits are scale-free: they minimise relative residuals, so that a series over five decades is not decided
// by its last point. An exponent is the slope of ln y on ln x over the upper two decades of x; its interval is
// that of Student's t, as if the deviations from the line were independent.
//
// Steps of a run are c·n + c0, and the c0 bends the line: ln y has slope less than 1 wherever c0 still counts. So
// the terms of lower order are fitted first and taken off, where they leave residuals that are far less than those
// of a power law with two free constants of its own: by Akaike's criterion, see [Correct].
//
// The package knows nothing of claims or programs.
package fit
