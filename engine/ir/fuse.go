package ir

import "slices"

// fuse makes one loop of two that stand one behind the other, where both have as many iterations and make vectors
// element by element: what the second reads of a vector of the first stays in a register. The code between them runs in
// front of both. Steps are those of the blocks.
func fuse(p *Program, f *Func) {
	if p.Placed { // a profile is of each run
		return
	}
	u := &fuser{vectorizer: newVectorizer(p, f), targets: map[uint32]int{}, uses: make([][]int, f.Regs)}
	if len(u.ends) < 2 {
		return
	}
	u.out = make([]Instr, 0, len(f.Code))
	for r := range f.Params() { // they are set where the function is called
		u.sets[r]++
	}
	for i := range f.Code {
		for _, n := range f.Code[i].Targets() {
			u.targets[n]++
		}
		f.Code[i].Uses(func(r *Reg) { u.uses[*r] = append(u.uses[*r], i) })
	}
	open := []int{-1} // the loops around an instruction
	for i := 0; i < len(f.Code); i++ {
		around := open[len(open)-1]
		if end, ok := u.ends[i]; ok {
			if b := u.elementwise(i, end); b != nil {
				b.around = around
				u.add(b)
				i = end
				continue
			}
			open = append(open, i)
		} else if around >= 0 && u.ends[around] == i {
			open = open[:len(open)-1]
		}
		u.out = append(u.out, f.Code[i])
	}
	f.Code = u.out
}

// fuser makes the code of a function anew.
type fuser struct {
	*vectorizer
	targets map[uint32]int // how many instructions lead to a label
	uses    [][]int        // of a register: the instructions that read it
	out     []Instr
	last    *elementwise // the last such loop of out
}

// elementwise is a loop that counts up, without loops or branches in it, and makes vectors element by element.
type elementwise struct {
	start, end int // in the old code
	around     int // the head of the loop around it there, or −1
	body       []Instr
	next       Instr
	indices    []Reg // of the loops that it is made of; the first is its own
	made       []Reg // the vectors that it stores to
	sets       map[Reg]bool
	sums       bool
	at, behind int // in the new code: its label, and what is behind it
}

// elementwise is the loop that begins at a label, nil if it is no such loop.
func (u *fuser) elementwise(start, end int) *elementwise {
	code := u.f.Code
	index := code[end].D
	b := &elementwise{start: start, end: end, body: code[start+1 : end], next: code[end], indices: []Reg{index},
		sets: map[Reg]bool{}}
	init := u.f.setBefore(start, index)
	if code[end].Op != Next || init < 0 || code[init].Op != Const || code[init].Val != 0 || u.sets[index] != 2 ||
		u.targets[code[start].N] != 1 || len(b.body) > mostFused || !straight(b.body) {
		return nil
	}
	for i := range b.body {
		in := &b.body[i]
		for r := range in.Sets() {
			b.sets[in.D+Reg(r)] = true
		}
		if b.sums = b.sums || in.Op == SumAdd; in.Op == StoreX {
			if b.made = append(b.made, in.D); in.B != index {
				return nil
			}
		}
	}
	return b
}

// straight reports whether the body of a loop has only arithmetic, loads and stores, and takes nothing from the
// iteration before but sums.
func straight(body []Instr) bool {
	later, ok := map[Reg]bool{}, true
	for i := range body {
		if in := &body[i]; in.Op != SumAdd && in.Sets() == 1 {
			later[in.D] = true
		}
	}
	for i := range body {
		in := &body[i]
		ok = ok && (in.Op == Count || in.Op == StoreX || in.Op == SumAdd || in.pure() || in.operation())
		in.Uses(func(r *Reg) { ok = ok && !later[*r] })
		if in.Sets() == 1 {
			delete(later, in.D)
		}
	}
	return ok
}

// operation reports whether the instruction is arithmetic of numbers.
func (in *Instr) operation() bool {
	return in.Op == Add || in.Op == Mul || in.Op == Fun1 || in.Op == Fun2 || in.Op == FunK
}

// add adds a loop to the new code, or makes it part of the one in front of it.
func (u *fuser) add(b *elementwise) {
	if u.last == nil || !u.join(u.last, b) {
		b.at = len(u.out)
		u.out = append(append(u.out, u.f.Code[b.start]), b.body...)
		u.last = b
	}
	u.out = append(u.out, u.last.next)
	u.last.behind = len(u.out)
}

// join makes loop b, which is not in the new code yet, part of loop a, if that is possible.
func (u *fuser) join(a, b *elementwise) bool {
	indices := append(slices.Clone(a.indices), b.indices...)
	if a.sums || a.around != b.around || len(a.body)+len(b.body) > mostFused || !u.equal(a.next.A, b.next.A) ||
		u.results(a, b) > 1 && (b.sums || u.f.Code[u.by[a.next.A]].Val > maxRegion) { // it is to be a nest
		return false
	}
	for _, x := range slices.Concat(a.made, b.made) {
		if u.sets[x] != 1 || u.f.Code[u.by[x]].Op != Alloc || u.by[x] < a.around || !u.elements(x, b.end, indices) ||
			slices.Contains(a.made, x) && slices.Contains(b.made, x) {
			return false
		}
	}
	var front []Instr
	for i, in := range u.out[a.behind:] {
		unread := in.Op == Label && i == 0 && u.targets[in.N] == 0 || in.Sets() == 1 && in.D == b.indices[0]
		ok := unread || in.Op == Count || in.Op == Alloc || in.pure() || in.operation()
		in.Uses(func(r *Reg) { ok = ok && !a.sets[*r] })
		if !ok || !unread && in.Sets() > 0 && u.sets[in.D] != 1 {
			return false
		}
		if !unread {
			front = append(front, in)
		}
	}
	body, names := slices.Clone(a.body), map[Reg]Reg{b.indices[0]: a.indices[0]}
	for _, in := range b.body {
		ok := true
		in.Uses(func(r *Reg) { ok = ok && !a.sets[*r] })
		switch {
		case !ok:
			return false
		case in.Op == LoadX && slices.Contains(a.made, in.A):
			i := slices.IndexFunc(a.body, func(s Instr) bool {
				return s.Op == StoreX && s.D == in.A && s.M == in.M && s.N == in.N
			})
			if i < 0 || u.sets[in.D] != 1 || u.sets[a.body[i].A] != 1 ||
				slices.ContainsFunc(u.uses[in.D], func(i int) bool { return i < b.start || i > b.end }) {
				return false
			}
			names[in.D] = a.body[i].A
		case in.Op == Count && body[0].Op == Count:
			both := u.p.Blocks[body[0].N]
			both.Steps.AddTimes(&u.p.Blocks[in.N].Steps, 1)
			both.Total += u.p.Blocks[in.N].Total
			body[0] = u.p.block(in.Pos)
			u.p.Blocks[body[0].N] = both
		default:
			body = append(body, renamed(in, names))
		}
	}
	head := u.out[a.at]
	u.out = append(append(append(u.out[:a.at], front...), head), body...)
	a.at += len(front)
	a.body, a.indices, a.made, a.sums, a.end = body, indices, append(a.made, b.made...), b.sums, b.end
	for r := range b.sets {
		a.sets[r] = true
	}
	return true
}

// results is how many sums and vectors two loops leave for what is behind them.
func (u *fuser) results(a, b *elementwise) int {
	n := len(b.made)
	if b.sums {
		n++
	}
	for _, x := range a.made {
		if last := len(u.uses[x]) - 1; u.uses[x][last] > b.end {
			n++
		}
	}
	return n
}

// equal reports whether two registers have the same number.
func (u *fuser) equal(a, b Reg) bool {
	x, y := &u.f.Code[u.by[a]], &u.f.Code[u.by[b]]
	return u.sets[a] == 1 && u.sets[b] == 1 && (a == b || x.Op == Const && y.Op == Const && x.Val == y.Val)
}

// elements reports whether the code up to an instruction only stores and reads elements of a vector, at indices of
// loops.
func (u *fuser) elements(x Reg, to int, indices []Reg) bool {
	return !slices.ContainsFunc(u.uses[x], func(i int) bool {
		in := &u.f.Code[i]
		return i >= u.by[x] && i <= to && !(slices.Contains(indices, in.B) &&
			(in.Op == StoreX && in.D == x && in.A != x || in.Op == LoadX && in.A == x))
	})
}
