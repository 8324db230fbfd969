package adversary

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/load"
)

// File is where the repository keeps the result that its pages print.
const File = "bench/adversary/found.json"

//go:embed found.json
var found []byte

// Stored is the result that the repository keeps.
func Stored() (*Result, error) {
	r := &Result{}
	return r, json.Unmarshal(found, r)
}

// JSON is the result as an object.
func (r *Result) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", " ")
	return append(text, '\n'), err
}

// UnmarshalJSON reads a finding.
func (f *Finding) UnmarshalJSON(text []byte) error {
	type plain Finding
	if err := json.Unmarshal(text, (*plain)(f)); err != nil {
		return err
	}
	for i := range Objectives {
		if Objectives[i].Name == f.Of {
			f.Objective = &Objectives[i]
			return nil
		}
	}
	return fmt.Errorf("adversary: no ratio %q", f.Of)
}

// Searched says in a sentence how much was searched.
func (r *Result) Searched() string {
	return fmt.Sprintf("%s, seed %d; %s of them exceeded a limit at some scale", load.Counted(r.Measured, "program"),
		r.Seed, load.Grouped(uint64(r.TooLarge)))
}

// Says tells in a sentence what was found.
func (f *Finding) Says(r *Result) string {
	number := strconv.FormatFloat(f.Ratio, 'g', 4, 64)
	switch {
	case f.Grows:
		return fmt.Sprintf("%s grows with the scale of a program: to %s at scale %d. This breaks the bound.", f.Of, number,
			f.Figures[len(f.Figures)-1].Scale)
	case f.Ratio > f.Bound:
		return fmt.Sprintf("%s comes to %s: more than %g, the constant of the claim.", f.Of, number, f.Bound)
	}
	return fmt.Sprintf("%s: nothing greater than %g was found in %s, seed %d; the most is %s.", f.Of, f.Bound,
		load.Counted(r.Measured, "program"), r.Seed, number)
}

// Text prints the result.
func (r *Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Searched())
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\nclaim %d: %s\n\n%s\n%s", f.Claim, f.Says(r), f.Text, f.table())
	}
	return b.String()
}

// table is the figures at each scale, in columns. Those of programs with dual λs have no m and |G|.
func (f *Finding) table() string {
	var b strings.Builder
	head, format := "%6s %8s %6s %8s %8s %9s %9s %9s\n", "%6d %8d %6d %8d %8d %9d %9d %9.4g\n"
	fmt.Fprintf(&b, head, "scale", "|t| + n", "n", "m", "|G|", "steps", "units", "ratio")
	for _, x := range f.Figures {
		fmt.Fprintf(&b, format, x.Scale, x.Symbols, x.Inputs, x.M, x.Graph, x.Steps, x.Units, f.of(x))
	}
	return b.String()
}

// Worst are the findings for a claim, as its page prints them.
func (r *Result) Worst(claim int) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Claim == claim {
			out = append(out, fmt.Sprintf("%s\n\n```\n%s\n%s```", f.Says(r), strings.TrimRight(f.Text, "\n")+"\n", f.table()))
		}
	}
	return out
}
