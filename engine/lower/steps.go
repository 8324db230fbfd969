package lower

import (
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// This file has the steps that a node of the source term stands for, by D's equations (Table 3) and calculus of values
// (section 4). Those of the backward phase are in package exec.

// occurrence counts an occurrence of a variable: (3), of a number at a point (3n). In D(t) a variable of type R is a
// pair. A vector of one component is this.
func (c *compiler) occurrence(t term.Type, generated bool) { c.occurrences(c.at(), t, generated, 1) }

// occurrences counts n occurrences at a place.
func (c *compiler) occurrences(at ir.Place, t term.Type, generated bool, n int) {
	for c.t.Types.Kind(t) == term.VecKind && c.t.Types.Len(t) == 1 {
		t = c.t.Types.Left(t)
	}
	by := rule.Subst
	if t == term.R && !c.out.Taped {
		by = rule.SubstNumeral
	}
	c.countAt(at, generated, by, n)
}

// opened counts the opening of a tuple, with a variable for each component. One variable is that of a let.
func (c *compiler) opened(xs ...term.Var) {
	at, last := c.at(), len(xs)-1
	for from := 0; from <= last; {
		generated, to := c.t.Generated(xs[from]), from+1
		for to <= last && c.t.Generated(xs[to]) == generated {
			to++
		}
		c.countAt(at, generated, rule.Pair, min(to, last)-from)
		c.countAt(at, generated, rule.GC, to-from)
		from = to
	}
}

// operation counts n operations of k operands. D opens each operand, ⟨xi,xi*⟩, mentions xi once, and names the dual.
func (c *compiler) operation(by rule.Rule, k, n int) {
	c.count(by, n)
	if c.out.Taped {
		c.operands(k, n)
		c.generated(rule.GC, n)
	}
}

// operands counts, n times, that D opens k pairs ⟨xi,xi*⟩ and mentions xi once.
func (c *compiler) operands(k, n int) {
	c.generated(rule.Pair, k*n)
	c.generated(rule.SubstNumeral, k*n)
	c.generated(rule.GC, 2*k*n)
}

// unfolded counts the unfolding of a fix: (15), where one of its functions is applied, and (4) of their names.
func (c *compiler) unfolded(names []term.Var) {
	c.countAt(ir.Place{Pos: ir.AtCall}, false, rule.Unfold, 1)
	for _, f := range names {
		c.countAt(c.at(), c.t.Generated(f), rule.GC, 1)
	}
}

// ruleOf is the rule of a symbol: NoSymbol is +.
func ruleOf(f term.Symbol) rule.Rule {
	switch f {
	case term.NoSymbol:
		return rule.Plus
	case term.Mul:
		return rule.Times
	}
	return rule.Function
}

// start counts the steps of the start term: of the value t[x1:=r1]…, of the gradient those of Corollary gradient.
func start(inputs, outputs int, gradient bool) (s rule.Counts) {
	s[rule.GC] = uint64(inputs)
	if gradient {
		s[rule.GC] = uint64(3 * inputs)
		s[rule.SubstNumeral] = uint64(inputs)
		if outputs > 0 { // ⟦p0,…⟧, and each pi
			s[rule.Pair] += uint64(outputs - 1)
			s[rule.Subst] += uint64(outputs)
			s[rule.GC] += uint64(outputs)
		}
		k := uint64(max(1, outputs)) // ⟨z,z*⟩, and z* in z* 1
		s[rule.Pair] += k
		s[rule.GC] += 2 * k
		s[rule.Subst] += k
	}
	return s
}
