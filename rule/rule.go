// Package rule names the rewriting rules of the calculus and counts their steps.
package rule

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Rule is a rewriting rule of the calculus, under the numbers and names of the
// paper's tables and of the machine's counters.
type Rule uint8

// The rules, in the order of the counters.
const (
	Lambda Rule = iota
	Pair
	Subst
	SubstNumeral
	GC
	Lin
	Plus
	PlusPair
	Times
	EtaLambda
	EtaPair
	Factor
	Function
	Branch
	Case
	Unfold
	Count // the number of rules
)

// Info describes a rule.
type Info struct {
	Number string `json:"number"` // "11"; "3n" for the instance of (3) at a numeral
	Name   string `json:"name"`   // "factor": the name in counters, traces and profiles
	Text   string `json:"text"`   // the rewrite
	Says   string `json:"says"`   // what it does, in a sentence
}

// Table is the table of the rules. (5') linGc is counted with (5).
var Table = [Count]Info{
	Lambda: {"1", "lambda", "(λx.t)α u → t[x:=u]α",
		"A function meets its argument."},
	Pair: {"2", "pair", "s[⟨x,y⟩:=⟨t,u⟩α] → s[x:=t][y:=u]α",
		"A pair is opened."},
	Subst: {"3", "subst", "C{x}[x:=vα] → C{v}[x:=v]α",
		"An occurrence of a variable receives its value."},
	SubstNumeral: {"3n", "substNumeral", "C{x}[x:=rα] → C{r}[x:=r]α",
		"An occurrence of a variable receives its number."},
	GC: {"4", "gc", "t[x:=vα] → tα",
		"A variable that has no occurrence left goes away."},
	Lin: {"5", "lin", "t[x:=vα] → t{v/x}α",
		"A linear variable receives its argument: a derivative arrives."},
	Plus: {"6", "plus", "r α + q β → (r+q)αβ",
		"Two numbers are added."},
	PlusPair: {"7", "plusPair", "⟨t1,t2⟩α + ⟨u1,u2⟩β → ⟨t1+u1, t2+u2⟩αβ",
		"Two tuples are added."},
	Times: {"8", "times", "r α · q β → (rq)αβ",
		"Two numbers are multiplied."},
	EtaLambda: {"9", "etaLambda", "t → λy.t y",
		"A function is written out."},
	EtaPair: {"10", "etaPair", "t[x:=⟨u,u'⟩] → t[x:=⟨y,y'⟩][⟨y,y'⟩:=⟨u,u'⟩]",
		"A pair is written out."},
	Factor: {"11", "factor", "(x α t)β + (x α' t')β' → x(t+t')αβα'β'",
		"Linear factoring: two calls of one backpropagator become one, of the sum."},
	Function: {"12", "function", "f(r1 α1, …, rk αk) → ⟦f⟧(r1,…,rk) α1…αk",
		"A function symbol is computed."},
	Branch: {"13", "branch", "if r < q then t else u → t or u",
		"An if is decided."},
	Case: {"14", "case", "match C v with … C p → u … → u[p:=v]",
		"A match takes the branch of its constructor."},
	Unfold: {"15", "unfold", "(fix f.v) u → v[f:=fix f.v] u",
		"A recursive function is replaced by its definition."},
}

// Find returns the rule with a number or a name.
func Find(text string) (r Rule, ok bool) {
	for r, info := range Table {
		if text == info.Number || text == info.Name {
			return Rule(r), true
		}
	}
	return 0, false
}

// String returns the rule's name.
func (r Rule) String() string { return Table[r].Name }

// Counts holds a number of steps for each rule. In JSON it is an object: for each rule, in the order of the
// rules, its name and its steps, and their sum under "total".
type Counts [Count]uint64

// Total returns the number of steps of all rules.
func (c Counts) Total() uint64 {
	var sum uint64
	for _, n := range c {
		sum += n
	}
	return sum
}

// AddTimes adds n times d to c.
func (c *Counts) AddTimes(d *Counts, n uint64) {
	if n == 0 {
		return
	}
	for r := range d {
		c[r] += n * d[r]
	}
}

// MarshalJSON implements [json.Marshaler].
func (c Counts) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for r, n := range c {
		out.WriteString(strconv.Quote(Table[r].Name) + ":" + strconv.FormatUint(n, 10) + ",")
	}
	out.WriteString(`"total":` + strconv.FormatUint(c.Total(), 10) + "}")
	return out.Bytes(), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. A rule without a number has no steps, and the total is not read.
func (c *Counts) UnmarshalJSON(data []byte) error {
	var byName map[string]uint64
	if err := json.Unmarshal(data, &byName); err != nil {
		return err
	}
	for r := range c {
		c[r] = byName[Table[r].Name]
	}
	return nil
}

// Names returns the names of the rules, in their order.
func Names() []string {
	names := make([]string, Count)
	for r := range names {
		names[r] = Table[r].Name
	}
	return names
}
