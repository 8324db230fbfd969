package term

// The parts of D(t) that a family may have to make, see package revgrad.

// Dual adds λa.body(a) for a fresh linear a.
func (t *Term) Dual(p Pos, body func(a Var) Ref) Ref {
	a := t.NewVar(VarInfo{Name: "a", Type: R, Linear: true, Generated: true, Pos: p})
	return t.Lam(p, a, body(a))
}

// ReverseNum adds D(r) = ⟨r, λa.0⃗⟩, given r.
func (t *Term) ReverseNum(p Pos, r Ref) Ref {
	return t.Pair(p, r, t.Dual(p, func(Var) Ref { return t.Zero(p) }))
}

// ReverseOpen adds fresh x : R and x* : R⊥.
func (t *Term) ReverseOpen(p Pos) (x, xs Var) {
	x = t.NewVar(VarInfo{Name: "x", Type: R, Generated: true, Pos: p})
	xs = t.NewVar(VarInfo{Name: "x*", Type: AbstractDual, Generated: true, Pos: p})
	return x, xs
}

// ReverseAdd adds D(t+u) = ⟨x+y, λa.(x* a + y* a)⟩[⟨x,x*⟩:=D(t)][⟨y,y*⟩:=D(u)], given D(t) and D(u).
func (t *Term) ReverseAdd(p Pos, left, right Ref) Ref {
	x, xs := t.ReverseOpen(p)
	y, ys := t.ReverseOpen(p)
	primal := t.Add(p, t.Variable(p, x), t.Variable(p, y))
	dual := t.Dual(p, func(a Var) Ref {
		return t.Add(p, t.App(p, t.Variable(p, xs), t.Variable(p, a)), t.App(p, t.Variable(p, ys), t.Variable(p, a)))
	})
	return t.Unpair(p, y, ys, right, t.Unpair(p, x, xs, left, t.Pair(p, primal, dual)))
}
