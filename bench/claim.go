package bench

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Claim is one cost claim of the paper, or of gram about it, with the measurements that decide it. A claim is data: one
// more is one more value in a table.
type Claim struct {
	Number int    `json:"number,omitempty"` // its number on the page
	Title  string `json:"title"`            // what the paper says, in one line
	Source string `json:"source,omitempty"` // where it says so, or, of a claim of gram's own, what that is about
	Own    bool   `json:"own,omitempty"`    // the sentence is gram's, not the paper's
	Family string `json:"-"`                // the programs, in one sentence
	// Series are what is measured; all of role Evidence must follow their laws for the claim to hold.
	Series []Series `json:"-"`
	// Correction is the corrected sentence that holds; "" if the claim holds as it is printed. A claim that has one has
	// series of role Printed, whose law fails.
	Correction string `json:"correction,omitempty"`
	Meaning    string `json:"-"` // what the figures mean, a few sentences for the page
	// Depends is what the measurements depend on besides the program that takes them: a
	// hash of the file that a family is read from. "" for families in Go.
	Depends string `json:"-"`
}

// Name is the claim's name for people: "claim 9", or its title if it has no number.
func (c *Claim) Name() string {
	if c.Number == 0 {
		return c.Title
	}
	return fmt.Sprintf("claim %d", c.Number)
}

// Role is what a series is to its claim.
type Role string

// The roles.
const (
	Evidence Role = "evidence"   // decides the verdict
	Printed  Role = "as printed" // breaks the sentence as the paper prints it, where the claim has a correction
	Stronger Role = "stronger"   // breaks a sentence of gram's own that says more than the paper's, and does not decide
	// Contrast is an ablation or a rival that the claim is held against; it has its own law, and does not decide.
	Contrast Role = "contrast"
	Aside    Role = "aside" // is measured in addition, with its own law, and does not decide
)

// Law is how a quantity y is to grow with a quantity x.
type Law struct {
	Kind LawKind
	// Power is the exponent of a power law, 1 for a linear one.
	Power float64
	// Logs is the exponent of a logarithm that multiplies it: 1 for x·log x.
	Logs int
}

// LawKind is the kind of a law.
type LawKind string

// The kinds of laws.
const (
	Power       LawKind = "power"       // y = Θ(x^Power): 1 is linear
	AtMost      LawKind = "at most"     // y = O(x^Power): the largest ratio y / x^Power does not grow; 0 is a constant
	Exponential LawKind = "exponential" // y = 2^Θ(x)
	Equal       LawKind = "equal"       // y = x, exactly, at each point
	Below       LawKind = "below"       // y ≤ x at each point
)

// exact reports whether the law compares y with x at each point, so that nothing is fitted.
func (l Law) exact() bool { return l.Kind == Equal || l.Kind == Below }

// Series is one curve of a claim: how y grows with x over programs of growing size.
type Series struct {
	Name string `json:"name"` // of the family's member, unique in its claim
	Role Role   `json:"role"`
	// Without is what an ablation takes away, as in "without rule (11)"; "" for all other series.
	Without string `json:"without,omitempty"`
	Law     Law    `json:"-"`
	X       string `json:"x"` // the quantities, as axes are labelled: "|G|", "steps", "time (ns)"
	Y       string `json:"y"`
	// If is the condition under which the law is claimed, which is printed with it; "" if there is none.
	If string `json:"-"`
	// Timed says that y is a time: it is taken several times, and is a property of the
	// computer. Counts are taken once.
	Timed bool `json:"-"`
	// Quick and Full are the sizes, in ascending order; sizes for a full run include
	// those for a quick one.
	Quick []int `json:"-"`
	Full  []int `json:"-"`
	// Measure takes one point. It is deterministic, but for times. It ends early with the
	// context's error when the context ends. The series of one claim are measured one after the
	// other, those of several claims at once.
	Measure func(ctx context.Context, size int) (Point, error) `json:"-"`
}

// Point is one measurement.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"` // of a time, the median
	// More has further quantities of the same run by name, exact counts: "m", "|G|",
	// "steps", "overhead", "search". A point of evidence that has the first four enters the
	// bound of Theorem 1, which is of one gradient: a Jacobian leaves "m" out.
	More map[string]float64 `json:"more,omitempty"`
}

// claimsText has the sentence of each claim, where it stands in the paper, its programs, its corrected form if it has
// one, and what its figures mean.
//
//go:embed claims.md
var claimsText string

// Claims returns the cost claims of the paper, in order.
func Claims() (out []Claim) {
	for number, series := range claimSeries {
		if series != nil {
			c := describe(number)
			c.Series = slices.Clone(series)
			out = append(out, c)
		}
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
