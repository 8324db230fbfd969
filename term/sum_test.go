package term_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gram-machine/gram/term"
)

// TestSum checks the order in which summands are added.
func TestSum(t *testing.T) {
	for s, want := range map[int]string{
		1:  "0",
		2:  "(0+1)",
		3:  "(0+(1+2))",
		8:  "(0+(1+(2+(3+(4+(5+(6+7)))))))",
		9:  "((((0+8)+4)+(2+6))+((1+5)+(3+7)))",
		10: "((((0+8)+4)+(2+6))+(((1+9)+5)+(3+7)))",
		18: "(((((0+8)+16)+(4+12))+((2+10)+(6+14)))+((((1+9)+17)+(5+13))+((3+11)+(7+15))))",
	} {
		got := term.Sum(s, strconv.Itoa, func(a, b string) string { return fmt.Sprintf("(%s+%s)", a, b) })
		assert.Equal(t, want, got, "%d summands", s)
	}
}

// TestSumAddsEach checks that each summand is added once, by s − 1 additions.
func TestSumAddsEach(t *testing.T) {
	for s := 1; s < 100; s++ {
		additions := 0
		values := rand.Perm(s)
		sum := term.Sum(s, func(i int) int { return values[i] }, func(a, b int) int {
			additions++
			return a + b
		})
		assert.Equal(t, s*(s-1)/2, sum, "%d summands", s)
		assert.Equal(t, s-1, additions, "%d summands", s)
	}
}
