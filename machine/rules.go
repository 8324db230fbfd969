package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// reduce takes redexes off the worklist and makes the moves until it is empty, and then lets the jobs go on. It has the
// table of the rules, and of the units that stand on the worklist. (9) and (10) never fire at a point.
//
// The table is made of comparisons, the most frequent first. Each rule has a call of its own, so there is no indirect call;
// a switch with constant cases would be compiled to an indirect jump.
func (m run[M]) reduce() error {
	for {
		last := m.depth - 1
		if last < 0 {
			if !m.empty() {
				return m.err
			}
			continue
		}
		if m.rng != nil {
			i := m.rng.IntN(last + 1)
			m.work[i], m.work[last] = m.work[last], m.work[i]
		}
		redex := m.work[last]
		m.depth = last
		move, p := Move(redex), Place(redex>>32)
		if m.fuel--; m.fuel < 0 || m.measures() {
			if err := m.before(move, p); err != nil {
				return err
			}
		}
		if last+maxPushes > len(m.work) {
			m.room(0)
		}
		m.fired[move&moveMask]++
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
		case move == turn:
			m.takeTurn(p)
			continue
		case by == rule.Branch: // (13) if r < q then t else u → t or u
			m.fireBranch(p)
		case by == rule.PlusPair: // (7) ⟨t1,t2⟩α + ⟨u1,u2⟩β → ⟨t1+u1, t2+u2⟩αβ
			m.firePlusPair(p)
		}

		if m.measures() {
			m.book(move, p)
		}
		if m.more {
			m.goOn()
			if m.err != nil {
				return m.err
			}
		}
	}
}

// readyMoves are the moves of nodes that are redexes when they have their operands.
var readyMoves = [256]Move{literal.Fun1: Move(rule.Function), literal.Fun2: Move(rule.Function), literal.Mul: Move(rule.Times),
	literal.Open: Move(rule.Pair), literal.Linear: Move(rule.Lin), literal.Iter: Move(rule.Count) + Move(Instantiate)}
