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

// Slope adds ∂i f(p1,…,pk), where operand adds an occurrence of pi.
func (t *Term) Slope(p Pos, partial *Partial, k int, operand func(i int) Ref) Ref {
	return Interpret(partial, k, func(r float64) Ref { return t.Num(p, r) }, operand, func(f Symbol, args ...Ref) Ref {
		if f == NoSymbol {
			return t.Add(p, args[0], args[1])
		}
		return t.Fun(p, f, args...)
	})
}

// ReverseFun adds D(f(t1,…,tk)), given D(t1), …, D(tk). f has partial derivatives.
func (t *Term) ReverseFun(p Pos, f Symbol, parts ...Ref) Ref {
	k := len(parts)
	xs, stars := make([]Var, k), make([]Var, k)
	for i := range parts {
		xs[i], stars[i] = t.ReverseOpen(p)
	}
	variables := func() []Ref {
		out := make([]Ref, k)
		for i, x := range xs {
			out[i] = t.Variable(p, x)
		}
		return out
	}
	primal := t.Fun(p, f, variables()...)
	dual := t.Dual(p, func(a Var) Ref {
		var sum Ref
		for i := k - 1; i >= 0; i-- {
			slope := t.Slope(p, &f.Info().Partials[i], k, func(i int) Ref { return t.Variable(p, xs[i]) })
			summand := t.App(p, t.Variable(p, stars[i]), t.Fun(p, Mul, slope, t.Variable(p, a)))
			if sum == 0 {
				sum = summand
			} else {
				sum = t.Add(p, summand, sum)
			}
		}
		return sum
	})
	out := t.Pair(p, primal, dual)
	for i, part := range parts {
		out = t.Unpair(p, xs[i], stars[i], part, out)
	}
	return out
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
