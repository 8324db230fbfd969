package machine

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// reduce takes redexes off the worklist and makes the moves until it is empty, and then lets the jobs go on. It has
// the table of the rules, and of the units that stand on the worklist. (9) never fires at a point, and (10) where
// inputs are symbolic. Each function returns the redex that comes next under LIFO, the top of the worklist, or 0 if
// that is not known.
//
// The table is made of comparisons, the most frequent first. Each rule has a call of its own, so there is no indirect
// call; a switch with constant cases would be compiled to an indirect jump.
func (m run[M]) reduce() error {
	var next redex
	for {
		if next == 0 {
			last := len(m.work) - 1
			if last < 0 {
				if m.fuel < 0 && m.lookOutside() != nil || m.err != nil || !m.idle() {
					return m.err
				}
				m.running = m.job
				continue
			}
			next = m.work[last]
			m.work = m.work[:last]
		}
		if m.measures() && m.rng != nil {
			next = m.draw(next)
		}
		move, p := rule.Move(next), Place(next>>32)
		if m.fuel--; m.fuel < 0 {
			if err := m.look(move, p); err != nil {
				return err
			}
		}
		m.mark(p)
		if m.tells() && m.opt.Before != nil && move < rule.Instantiate {
			if err := m.opt.Before(m.event.N + 1); err != nil {
				return err
			}
		}
		m.fired[move&moveMask]++
		switch by := rule.Rule(move); {
		case by == rule.GC: // (4) t[x:=vα] → tα
			next = m.fireGC(p)
		case by == rule.Subst: // (3) C{x}[x:=vα] → C{v}[x:=v]α
			next = m.fireSubst(p)
		case by == rule.SubstNumeral: // (3n) C{x}[x:=rα] → C{r}[x:=r]α
			next = m.fireSubst(p)
		case by == rule.Pair: // (2) s[⟨x,y⟩:=⟨t,u⟩α] → s[x:=t][y:=u]α
			next = m.firePair(p)
		case move == rule.Wake:
			next = m.wake(p)
		case by == rule.Lambda: // (1) (λx.t)α u → t[x:=u]α
			next = m.fireLambda(p)
		case by == rule.Times: // (8) r α · q β → (rq)αβ
			next = m.fireTimes(p)
		case move == copyNext:
			next = m.copyBody()
			continue
		case by == rule.Lin: // (5) t[x:=vα] → t{v/x}α
			next = m.fireLin(p)
		case move == turn:
			next, move = m.takeTurn(p), rule.Wake
		case by == rule.Factor: // (11) (x α t)β + (x α' t')β' → x(t+t')αβα'β'
			next = m.fireFactor(p)
		case by == rule.Plus: // (6) r α + q β → (r+q)αβ
			next = m.firePlus(p)
		case by == rule.Function: // (12) f(r1 α1, …, rk αk) → ⟦f⟧(r1,…,rk) α1…αk
			next = m.fireFunction(p)
		case move == rule.Instantiate:
			next = m.iterate(p)
		case move == rule.FreeUnit:
			next = m.freeValue(p)
		case move == rule.Search:
			next = m.unfold(p)
		case by == rule.Branch: // (13) if r < q then t else u → t or u
			next = m.fireBranch(p)
		case by == rule.Case: // (14) match C v with … C p → u … → u[p:=v]
			next = m.fireCase(p)
		case by == rule.Unfold: // (15) (fix f.v) u → v[f:=fix f.v] u
			next = m.fireUnfold(p)
		case by == rule.EtaPair: // (10) t[x:=⟨u,u'⟩] → t[x:=⟨y,y'⟩][⟨y,y'⟩:=⟨u,u'⟩]
			next = m.fireEtaPair(p)
		case by == rule.PlusPair: // (7) ⟨t1,t2⟩α + ⟨u1,u2⟩β → ⟨t1+u1, t2+u2⟩αβ
			next = m.firePlusPair(p)
		}
		if m.measures() {
			m.book(move, p)
		}
	}
}

// draw puts a redex back and takes any one, each as likely as the others. But a body that is to be copied is copied
// at once, and a substitution that has lost its value is dropped at once: in the term, the variables that the value
// mentions would wait for that.
func (m run[M]) draw(next redex) redex {
	move, p := rule.Move(next), Place(next>>32)
	if move == copyNext || move == rule.Move(rule.GC) && m.arena.Node(p).Tag[0] == compile.Taken {
		return next
	}
	i := m.rng.IntN(len(m.work) + 1)
	if i < len(m.work) {
		next, m.work[i] = m.work[i], next
	}
	return next
}

// readyMoves are the moves of nodes that are redexes when they have their operands.
var readyMoves = [256]rule.Move{compile.Fun1: rule.Move(rule.Function), compile.Fun2: rule.Move(rule.Function),
	compile.Mul:  rule.Move(rule.Times),
	compile.Open: rule.Move(rule.Pair), compile.Linear: rule.Move(rule.Lin), compile.Iter: rule.Instantiate}
