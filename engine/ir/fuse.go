package ir

import "slices"

// fuse makes one loop of two that stand one behind the other, where both have as many iterations and make vectors
// element by element: what the second reads of a vector of the first stays in a register. The code between them runs in
// front of both. Steps are those of the blocks.
func fuse(p *Program, f *Func) {
	if p.Placed { // a profile is of each run
		return
	}
	u := &fuser{p: p, f: f, ends: loopEnds(f.Code), targets: map[uint32]int{}, uses: make([][]int, f.Regs)}
	u.sets, u.by = make([]int, f.Regs), make([]int, f.Regs)
	for i := range f.Code {
		in := &f.Code[i]
		for _, n := range in.Targets() {
			u.targets[n]++
		}
		in.Uses(func(r *Reg) { u.uses[*r] = append(u.uses[*r], i) })
		if in.Op != SumAdd {
			for r := range in.Sets() {
				u.sets[int(in.D)+r]++
				u.by[int(in.D)+r] = i
			}
		}
	}
	var open []int // the loops around an instruction
	for i := 0; i < len(f.Code); i++ {
		if end, ok := u.ends[i]; ok {
			if b := u.elementwise(i, end); b != nil {
				if b.around = -1; len(open) > 0 {
					b.around = open[len(open)-1]
				}
				i = u.loop(b)
				continue
			}
			open, u.last = append(open, i), nil
		}
		if n := len(open); n > 0 && u.ends[open[n-1]] == i {
			open, u.last = open[:n-1], nil
		}
		u.out = append(u.out, f.Code[i])
	}
	f.Code = u.out
}

// fuser makes the code of a function anew.
type fuser struct {
	p       *Program
	f       *Func
	ends    map[int]int
	targets map[uint32]int // how many instructions lead to a label
	uses    [][]int        // of a register: the instructions that read it
	sets    []int
	by      []int
	out     []Instr
	last    *elementwise // the last loop of out
}

// elementwise is a loop that counts up, without loops or branches in it, and makes vectors element by element.
type elementwise struct {
	start, end int // in the old code
	around     int // the head of the loop around it there, or −1
	index      Reg
	size       Instr // its Next
	body       []Instr
	indices    []Reg // those of the loops that it is made of
	made       []Reg // the vectors that it stores to
	sets       map[Reg]bool
	sums       bool
	at, behind int // in the new code: its label, and what is behind it
}

// elementwise is the loop that begins at a label, nil if it is no such loop.
func (u *fuser) elementwise(start, end int) *elementwise {
	code := u.f.Code
	b := &elementwise{start: start, end: end, index: code[end].D, size: code[end], body: code[start+1 : end],
		sets: map[Reg]bool{}}
	init := u.f.setBefore(start, b.index)
	if code[end].Op != Next || init < 0 || code[init].Op != Const || code[init].Val != 0 || u.sets[b.index] != 2 ||
		u.targets[code[start].N] != 1 || len(b.body) > mostFused {
		return nil
	}
	b.indices = []Reg{b.index}
	for i := range b.body {
		in := &b.body[i]
		for r := range in.Sets() {
			b.sets[in.D+Reg(r)] = true
		}
		if in.Op == StoreX {
			b.made = append(b.made, in.D)
		}
		b.sums = b.sums || in.Op == SumAdd
	}
	if !straight(b.body) || slices.ContainsFunc(b.body, func(in Instr) bool { return in.Op == StoreX && in.B != b.index }) {
		return nil
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

// loop adds a loop to the new code, or makes it part of the one in front of it. It returns where the loop ends.
func (u *fuser) loop(b *elementwise) int {
	if a := u.last; a != nil && u.join(a, b) {
		b = a
	} else {
		b.at = len(u.out)
		u.out = append(append(u.out, u.f.Code[b.start]), b.body...)
	}
	end := b.end
	u.out = append(u.out, b.size)
	b.behind = len(u.out)
	u.last = b
	return end
}

// join makes loop b, which is not in the new code yet, part of loop a, if that is possible.
func (u *fuser) join(a, b *elementwise) bool {
	if a.sums || a.around != b.around || len(a.body)+len(b.body) > mostFused || !u.equal(a.size.A, b.size.A) {
		return false
	}
	between := u.out[a.behind:]
	init := -1
	for i := range between {
		in := &between[i]
		ok := in.Op == Count || in.Op == Alloc || in.pure() || in.operation() ||
			in.Op == Label && i == 0 && u.targets[in.N] == 0
		in.Uses(func(r *Reg) { ok = ok && !a.sets[*r] })
		if in.Sets() == 1 && in.D == b.index {
			init = i
		} else if in.Sets() > 0 && u.sets[in.D] != 1 {
			ok = false
		}
		if !ok {
			return false
		}
	}
	indices := append(slices.Clone(a.indices), b.index)
	if slices.ContainsFunc(b.made, func(x Reg) bool { return slices.Contains(a.made, x) }) {
		return false
	}
	if b.sums || u.f.Code[u.by[a.size.A]].Val > maxRegion { // it is to be a nest, which has one result
		results := len(b.made)
		if b.sums {
			results++
		}
		for _, x := range a.made {
			if last := len(u.uses[x]) - 1; u.uses[x][last] > b.end {
				results++
			}
		}
		if results > 1 {
			return false
		}
	}
	for _, x := range slices.Concat(a.made, b.made) {
		if u.sets[x] != 1 || u.f.Code[u.by[x]].Op != Alloc || u.by[x] < a.around || !u.elements(x, b.end, indices) {
			return false
		}
	}
	names := map[Reg]Reg{b.index: a.index}
	body := slices.Clone(a.body)
	for _, in := range b.body {
		ok := true
		in.Uses(func(r *Reg) { ok = ok && !a.sets[*r] })
		if !ok {
			return false
		}
		if in.Op == LoadX && slices.Contains(a.made, in.A) {
			i := slices.IndexFunc(a.body, func(s Instr) bool {
				return s.Op == StoreX && s.D == in.A && s.M == in.M && s.N == in.N
			})
			if i < 0 || u.sets[in.D] != 1 || u.sets[a.body[i].A] != 1 ||
				slices.ContainsFunc(u.uses[in.D], func(i int) bool { return i < b.start || i > b.end }) {
				return false
			}
			names[in.D] = a.body[i].A
			continue
		}
		if in.Op == Count && body[0].Op == Count {
			one, other := &u.p.Blocks[body[0].N], &u.p.Blocks[in.N]
			both := Block{Steps: one.Steps, Total: one.Total + other.Total}
			both.Steps.AddTimes(&other.Steps, 1)
			body[0] = u.p.block(in.Pos)
			u.p.Blocks[body[0].N] = both
			continue
		}
		body = append(body, renamed(in, names))
	}
	front := slices.Clone(between)
	if init >= 0 {
		front = slices.Delete(front, init, init+1)
	}
	if len(front) > 0 && front[0].Op == Label {
		front = front[1:]
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

// equal reports whether two registers have the same number.
func (u *fuser) equal(a, b Reg) bool {
	if u.sets[a] != 1 || u.sets[b] != 1 {
		return false
	}
	x, y := &u.f.Code[u.by[a]], &u.f.Code[u.by[b]]
	return a == b || x.Op == Const && y.Op == Const && x.Val == y.Val
}

// elements reports whether the code up to an instruction only stores and reads elements of a vector, at indices of
// loops.
func (u *fuser) elements(x Reg, to int, indices []Reg) bool {
	for _, i := range u.uses[x] {
		in := &u.f.Code[i]
		if i < u.by[x] || i > to {
			continue
		}
		if !(in.Op == StoreX && in.D == x && in.A != x || in.Op == LoadX && in.A == x) || !slices.Contains(indices, in.B) {
			return false
		}
	}
	return true
}
