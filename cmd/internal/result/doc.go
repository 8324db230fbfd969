// Package result prints values, derivatives and costs: as text for people, as JSON, as files of numbers, and as a page.
//
// [WritePage] writes the report of a gradient as one page of HTML: nothing is loaded from elsewhere, and there is no
// script.
//
// # Numbers
//
// Scalars and vectors are bars that start at zero, scalars all at one scale. Of more than
// [mostBars], those of largest magnitude are shown. Matrices are heat maps on a scale that
// is the same to both sides of zero; arrays of more dimensions are a series of them. Above
// [mostSquares] rows or columns, a square stands for several components, and shows the one
// of largest magnitude. A Jacobian of k outputs is a heat map of a row for each scalar
// input and a column for each output; by an array, a heat map for each output. What isn't
// shown is said.
//
// # Colours
//
// Colours are variables of the page's style, for light and dark. Those of a heat map are a
// hue laid over the colour of zero, which is white or black, in as many hundredths as the
// magnitude is of the largest one.
//
// # The page
//
// The page is well-formed XML too, which tests rely on. All texts are escaped by
// html/template, where control characters are replaced. Only the drawing of the graph is
// taken as it is.
package result
