package machine

import "github.com/gram-machine/gram/rule"

// fire makes a move: it is the table of the rules and of the units that stand on the worklist, those that are most
// frequent first. Package rule has their numbers and names. (9) and (10) never fire at a point.
//
// These are comparisons, and not a table of functions, because a processor that doesn't predict the targets of
// indirect calls loses some 20 cycles with each. A switch with constant cases would be compiled to an indirect jump.
func (m *Machine) fire(move Move, p Place) {
	switch by := rule.Rule(move); {
	case by == rule.GC: // (4) t[x:=vα] → tα
		m.fireGC(p)
	case by == rule.Subst: // (3) C{x}[x:=vα] → C{v}[x:=v]α
		m.fireSubst(p)
	case by == rule.SubstNumeral: // (3n) C{x}[x:=rα] → C{r}[x:=r]α
		m.fireSubst(p)
	case by == rule.Pair: // (2) s[⟨x,y⟩:=⟨t,u⟩α] → s[x:=t][y:=u]α
		m.firePair(p)
	case move == Wake.Move():
		m.wake(p)
	case by == rule.Lambda: // (1) (λx.t)α u → t[x:=u]α
		m.fireLambda(p)
	case by == rule.Times: // (8) r α · q β → (rq)αβ
		m.fireTimes(p)
	case by == rule.Lin: // (5) t[x:=vα] → t{v/x}α
		m.fireLin(p)
	case by == rule.Factor: // (11) (x α t)β + (x α' t')β' → x(t+t')αβα'β'
		m.fireFactor(p)
	case by == rule.Plus: // (6) r α + q β → (r+q)αβ
		m.firePlus(p)
	case by == rule.Function: // (12) f(r1 α1, …, rk αk) → ⟦f⟧(r1,…,rk) α1…αk
		m.fireFunction(p)
	case move == Instantiate.Move():
		m.iterate(p)
	case move == FreeUnit.Move():
		m.freeValue(p)
	case move == Search.Move():
		m.unfold(p)
	case by == rule.Branch: // (13) if r < q then t else u → t or u
		m.fireBranch(p)
	case by == rule.PlusPair: // (7) ⟨t1,t2⟩α + ⟨u1,u2⟩β → ⟨t1+u1, t2+u2⟩αβ
		m.firePlusPair(p)
	}
}
