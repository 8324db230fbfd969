package machine

import "github.com/gram-machine/gram/rule"

// tableRow is a rewriting rule of the calculus: its number, its name, its picture, and the function that
// makes the rewrite at a place.
type tableRow[M meter] struct {
	number, name, picture string
	fire                  func(m *core[M], p Place)
}

// ruleTable is the table of the rules, and behind them of the units that stand on the worklist. (9) and (10)
// never fire at a point.
func ruleTable[M meter]() *[NumMoves]tableRow[M] {
	t := &[NumMoves]tableRow[M]{
		rule.Lambda:       {"1", "lambda", "(λx.t)α u → t[x:=u]α", (*core[M]).fireLambda},
		rule.Pair:         {"2", "pair", "s[⟨x,y⟩:=⟨t,u⟩α] → s[x:=t][y:=u]α", (*core[M]).firePair},
		rule.Subst:        {"3", "subst", "C{x}[x:=vα] → C{v}[x:=v]α", (*core[M]).fireSubst},
		rule.SubstNumeral: {"3n", "substNumeral", "C{x}[x:=rα] → C{r}[x:=r]α", (*core[M]).fireSubst},
		rule.GC:           {"4", "gc", "t[x:=vα] → tα", (*core[M]).fireGC},
		rule.Lin:          {"5", "lin", "t[x:=vα] → t{v/x}α", (*core[M]).fireLin},
		rule.Plus:         {"6", "plus", "r α + q β → (r+q)αβ", (*core[M]).firePlus},
		rule.PlusPair:     {"7", "plusPair", "⟨t1,t2⟩α + ⟨u1,u2⟩β → ⟨t1+u1, t2+u2⟩αβ", (*core[M]).firePlusPair},
		rule.Times:        {"8", "times", "r α · q β → (rq)αβ", (*core[M]).fireTimes},
		rule.Factor:       {"11", "factor", "(x α t)β + (x α' t')β' → x(t+t')αβα'β'", (*core[M]).fireFactor},
		rule.Function:     {"12", "function", "f(r1 α1, …, rk αk) → ⟦f⟧(r1,…,rk) α1…αk", (*core[M]).fireFunction},
		rule.Branch:       {"13", "branch", "if r < q then t else u → t or u", (*core[M]).fireBranch},
	}
	t[Instantiate.Move()] = tableRow[M]{name: "instantiate", fire: (*core[M]).iterate}
	t[Wake.Move()] = tableRow[M]{name: "wake", fire: (*core[M]).wake}
	t[FreeUnit.Move()] = tableRow[M]{name: "free", fire: (*core[M]).freeValue}
	t[Search.Move()] = tableRow[M]{name: "search", fire: (*core[M]).unfold}
	return t
}

// fireTable has the functions of the table alone, for the loop.
func fireTable[M meter]() *[moveMask + 1]func(m *core[M], p Place) {
	t := &[moveMask + 1]func(m *core[M], p Place){}
	for i, r := range ruleTable[M]() {
		t[i] = r.fire
	}
	return t
}
