package ir

import "slices"

// distribute divides a loop in two where the beginning of its body has loops, but reads nothing that iterations carry:
// all iterations of the beginning run first, and leave their numbers in a vector. So it can be a vector statement, and
// what is left a loop of numbers. Steps are those of the blocks, which stay what they are.
func distribute(p *Program, f *Func) {
	if p.Placed { // a profile is of each run
		return
	}
	w := newVectorizer(p, f)
	if len(w.ends)*len(f.Code) > mostSearched {
		return
	}
	for i := 0; i < len(f.Code); i++ {
		blocks := len(p.Blocks)
		if out, first := w.divide(i); out != nil && !isVector(p, f, i) && isVector(p, out, first) {
			f.Code, f.Regs = out.Code, out.Regs
			w = newVectorizer(p, f)
		} else {
			p.Blocks = p.Blocks[:blocks]
		}
	}
}

// isVector reports whether the loop that begins at a label is a vector statement.
func isVector(p *Program, f *Func, start int) bool {
	blocks, vectors := len(p.Blocks), len(p.Vectors)
	w := newVectorizer(p, &Func{Args: f.Args, Regs: f.Regs, Code: slices.Clone(f.Code)})
	if end, ok := w.ends[start]; ok {
		w.nest(start, end)
	}
	p.Blocks, p.Vectors = p.Blocks[:blocks], p.Vectors[:vectors]
	return len(w.edits) > 0
}

// divide divides the loop that begins at an instruction, and returns the code and where its first loop begins, nil if
// there is no loop, or if it is not divided.
func (w *vectorizer) divide(start int) (out *Func, first int) {
	f := w.f
	end, ok := w.ends[start]
	if !ok || !slices.ContainsFunc(f.Code[start+1:end], func(in Instr) bool { return in.Op == Next || in.Op == Prev }) {
		return nil, 0
	}
	index := f.Code[end].D
	w.begin(start, end)
	if w.sets[index] != 2 || !w.initial(start, index) {
		return nil, 0
	}
	size, ok := w.iterations(end)
	cut := w.independent(start, end)
	if !ok || cut < 0 {
		return nil, 0
	}
	numbers, again, ok := w.crossing(start, cut, end)
	if n := len(numbers); !ok || n == 0 || size > mostDistributed/n {
		return nil, 0
	}
	init := f.setBefore(start, index)
	pos, vector, j := f.Code[start].Pos, Reg(f.Regs), Reg(f.Regs+1)
	out = &Func{Args: f.Args, Regs: f.Regs + 2}
	code := slices.Concat(f.Code[:init], f.Code[init+1:start])
	add := func(in Instr) { code = appended(code, in) }
	slot := func(op Op, d, a, b Reg, k int) {
		add(Instr{Op: op, D: d, A: a, B: b, M: uint32(len(numbers)), N: uint32(k), Pos: pos})
	}
	add(Instr{Op: Alloc, D: vector, N: uint32(size * len(numbers)), Pos: pos})
	begin, next := f.Code[init], f.Code[end]
	begin.D, next.D, next.N = j, j, w.label+1
	add(begin)
	first = len(code)
	add(Instr{Op: Label, N: next.N, Pos: pos})
	for i := start + 1; i < cut; i++ {
		add(renamed(f.Code[i], map[Reg]Reg{index: j}))
	}
	for k, r := range numbers {
		slot(StoreX, vector, r, j, k)
	}
	add(next)
	add(Instr{Op: Label, N: next.N + 1, Pos: pos})
	add(w.p.block(pos))
	add(f.Code[init])
	add(f.Code[start])
	add(w.p.block(pos))
	names := map[Reg]Reg{}
	fresh := func(r Reg) Reg {
		names[r] = Reg(out.Regs)
		out.Regs++
		return names[r]
	}
	for k, r := range numbers {
		slot(LoadX, fresh(r), vector, index, k)
	}
	for _, i := range again {
		in := renamed(f.Code[i], names)
		in.D = fresh(in.D)
		add(in)
	}
	for i := cut; i < end; i++ {
		add(renamed(f.Code[i], names))
	}
	out.Code = append(code, f.Code[end:]...)
	return out, first
}

// renamed is an instruction that reads other registers.
func renamed(in Instr, names map[Reg]Reg) Instr {
	in.Args = slices.Clone(in.Args)
	in.Uses(func(r *Reg) {
		if to, ok := names[*r]; ok {
			*r = to
		}
	})
	return in
}

// independent is where the beginning of the body of a loop ends that has loops and reads nothing that iterations carry,
// −1 if there is none. It stores only to vectors that it makes, and reads none to which the body stores from outside.
func (w *vectorizer) independent(start, end int) (cut int) {
	code := w.f.Code
	carried, made := map[Reg]bool{}, map[Reg]bool{}
	read := w.f.ReadFrom(start)
	for i := start; i < end; i++ {
		for r := range code[i].Sets() {
			if r := code[i].D + Reg(r); read[r] {
				carried[r] = true
			}
		}
	}
	if len(carried) == 0 {
		return -1
	}
	for r := range w.stored { // vectors that the body changes
		carried[r] = carried[r] || read[r]
	}
	ok := func(in *Instr) bool {
		free := in.Op.laneable() && in.Op != Branch && in.Op != Jump
		in.Reads(func(r Reg) { free = free && !carried[r] })
		switch in.Op {
		case Alloc:
			made[in.D] = true
		case View, ViewX:
			made[in.D] = made[in.A]
		case Store, StoreX, Copy, CopyX:
			free = free && made[in.D]
		}
		return free
	}
	cut, loops := -1, false
	for i := start + 1; i < end; i++ {
		last := i
		if e, is := w.ends[i]; is {
			last, loops = e, true
		}
		for ; i <= last; i++ {
			if !ok(&code[i]) {
				return cut
			}
		}
		if i = last; loops {
			cut = i + 1
		}
	}
	return -1 // nothing is left
}

// crossing finds what the beginning of a loop's body, up to an instruction, leaves for the rest: the registers with
// numbers, and the instructions that the rest can make again. ok is false if there is more.
func (w *vectorizer) crossing(start, cut, end int) (numbers []Reg, again []int, ok bool) {
	code := w.f.Code
	set, needed := map[Reg]int{}, map[Reg]bool{}
	sets := map[Reg]int{}
	for i := start + 1; i < cut; i++ {
		for r := range code[i].Sets() {
			r := code[i].D + Reg(r)
			set[r], sets[r] = i, sets[r]+1
		}
	}
	for r, n := range sets {
		if !w.summed[r] && w.sets[r] != n {
			return nil, nil, false
		}
	}
	ok = true
	for i := range code {
		inside := i >= cut && i < end
		if i > start && i < cut {
			continue
		}
		code[i].Reads(func(r Reg) {
			if _, is := set[r]; is {
				needed[r], ok = true, ok && inside
			}
		})
	}
	for i := cut - 1; i > start && ok; i-- {
		in := &code[i]
		if in.Sets() != 1 || !needed[in.D] {
			continue
		}
		if ok = w.sets[in.D] == 1 && !w.summed[in.D]; !ok {
			break
		}
		switch {
		case in.Op == Add || in.Op == Mul || in.Op == Fun1 || in.Op == Fun2:
			numbers = append(numbers, in.D)
		case in.pure() && in.Op != Move:
			again = append(again, i)
			in.Uses(func(r *Reg) {
				if k, is := set[*r]; is && code[k].Op == Alloc {
					ok = false
				} else if is {
					needed[*r] = true
				}
			})
		default:
			ok = false
		}
	}
	slices.Reverse(numbers)
	slices.Reverse(again)
	return numbers, again, ok
}
