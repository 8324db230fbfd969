package bench

import (
	_ "embed"
	"fmt"
	"strings"
)

// claimsText has the sentence of each claim, where it stands in the paper, its programs, its corrected form if it has
// one, and what its figures mean.
//
//go:embed claims.md
var claimsText string

// Claims returns the cost claims of the paper, in order.
func Claims() []Claim {
	var out []Claim
	for i, series := range []func() []Series{
		claimEvaluation, claimForward, claimReverse, claimBackpropSize, claimReverseSize,
		claimShrinking, claimBackpropSteps, claimCommutation, claimMainLemma, claimTheorem,
		claimParameter, claimReadback, claimUnicity, claimModular, claimPure,
		claimEditing, claimSearch, claimTime, claimHigherTypes, claimCopies,
		claimParallel, claimNormalising, claimHessian,
	} {
		out = append(out, describe(i+1))
		out[i].Series = series()
	}
	return out
}

// describe is the claim with the number as [claimsText] has it, without series.
func describe(number int) Claim {
	c := Claim{Number: number}
	_, text, _ := strings.Cut(claimsText, fmt.Sprintf("# %d. ", number))
	text, _, _ = strings.Cut(text, "\n# ")
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		paragraph = strings.ReplaceAll(paragraph, "\n", " ")
		field := &c.Meaning
		if i == 0 {
			field = &c.Title
		} else if name, rest, _ := strings.Cut(paragraph, ": "); name == "paper" || name == "gram" {
			c.Own, field, paragraph = name == "gram", &c.Source, rest
		} else if name == "programs" {
			field, paragraph = &c.Family, rest
		} else if name == "corrected" {
			field, paragraph = &c.Correction, rest
		}
		*field = paragraph
	}
	return c
}
