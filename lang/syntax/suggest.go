package syntax

import (
	"slices"
	"strings"
)

// Elsewhere says how to write what names and signs of other languages stand for.
var Elsewhere = map[string]string{
	"mean":    "the mean of a vector v is `sum v / size v`, and that of a data list xs `foldl (+) 0 xs / size xs`",
	"average": "the mean of a vector v is `sum v / size v`, and that of a data list xs `foldl (+) 0 xs / size xs`",
	"matmul":  "the product of matrices is `map (matvec (transpose B)) A`, and that of a matrix and a vector `matvec M v`",
	"@":       "the product of matrices is `map (matvec (transpose B)) A`, and that of a matrix and a vector `matvec M v`",
	"log10":   "the logarithm to the base 10 is `log x / log 10`",
	"log2":    "the logarithm to the base 2 is `log x / log 2`",
	"ln":      "the natural logarithm is `log x`",
	"%":       "the remainder is `x - y * floor (x / y)`",
	"mod":     "the remainder is `x - y * floor (x / y)`",
	"lambda":  "a function is written `fun x -> …`",
	"append":  "vectors are joined by `concat u v`",
	"sqr":     "the square is `x^2`",
}

// Suggest returns the known name that is closest to a misspelt one, or "" if none is
// close. A name that differs in upper and lower case alone is closest. Otherwise it
// takes as many edits as a third of the letters, or one for a short name, where an edit
// inserts, deletes or replaces a letter or swaps two neighbours. Of several names the
// first in the order of known is returned.
func Suggest(name string, known []string) string {
	for _, k := range known {
		if strings.EqualFold(name, k) && name != k {
			return k
		}
	}
	a := []rune(name)
	best, most := "", max(1, len(a)/3)
	if len(a) == 1 || len(a) > 100 {
		return ""
	}
	for _, k := range known {
		b := []rune(k)
		if k == name || len(b) < 2 || len(b)-len(a) > most || len(a)-len(b) > most {
			continue
		}
		if d := distance(a, b); d <= most {
			best, most = k, d-1
			if most == 0 {
				break
			}
		}
	}
	return best
}

// distance is the restricted Damerau-Levenshtein distance.
func distance(a, b []rune) int {
	var before []int
	prev, cur := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range a {
		cur[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j+1]+1, cur[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cur[j+1] = min(cur[j+1], before[j-1]+1)
			}
		}
		before, prev = prev, slices.Clone(cur)
	}
	return prev[len(b)]
}
