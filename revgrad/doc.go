// Package revgrad is the reverse transformation D of section 5 (Table 3) and its case for conditionals, rule (13).
//
// # The equations
//
// On types:
//
//	D(R) = R × R⊥    D(A × B) = D(A) × D(B)    D(A → B) = D(A) → D(B)    D(A^s) = D(A)^s
//	D(μα.Σ Ci Ai) = μα.Σ Ci D(Ai)
//
// On terms, with fresh x, x*, y, y*, a:
//
//	D(x)              = x
//	D(λx.t)           = λx.D(t)
//	D(t u)            = D(t) D(u)
//	D(⟨t,u⟩)          = ⟨D(t), D(u)⟩
//	D(t[⟨x,y⟩:=u])    = D(t)[⟨x,y⟩:=D(u)]
//	D(t[x:=u])        = D(t)[x:=D(u)]
//	D(r)              = ⟨r, λa.0⃗⟩
//	D(t + u)          = ⟨x + y, λa.(x* a + y* a)⟩[⟨x,x*⟩:=D(t)][⟨y,y*⟩:=D(u)]
//	D(f(t1,…,tk))     = ⟨f(x1,…,xk), λa.Σ xi* (∂i f(x1,…,xk)·a)⟩[⟨x1,x1*⟩:=D(t1)]…[⟨xk,xk*⟩:=D(tk)]
//	D(if s c s' then t else u)
//	                  = (if x c y then D(t) else D(u))[⟨x,x*⟩:=D(s)][⟨y,y*⟩:=D(s')]
//	D(C t)            = C D(t)
//	D(match t with … C p → u …)
//	                  = match D(t) with … C p → D(u) …
//	D(fix f.v)        = fix f.D(v)
//
// and, for the nodes that stand for terms of the calculus, as follows from these:
//
//	D(⟦t0,…⟧) = ⟦D(t0),…⟧    D([t1;…;tn]) = [D(t1);…;D(tn)]    D(#n) = #n
//
// The dimension d of R⊥d stays abstract. D is not defined on a linear negation.
//
// The transformation is one loop over the arena of the source, which has children before parents: it takes time and
// space linear in the term (Lemma sizeReverse) and no stack.
package revgrad
