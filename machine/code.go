package machine

import (
	"github.com/gram-machine/gram/term"
)

// opcode says what an instruction of a template makes.
type opcode uint8

const (
	makeNumber   opcode = iota // a numeral in its place
	makeInput                  // the numeral of input x
	makeZero                   // the zero tuple
	makeVariable               // an occurrence of x
	makeNode                   // a node of the given kind that waits for its operands
	makeSub                    // [x:=…]
	makeOpen                   // [⟨x,y⟩:=…]
	makeLam                    // λx.t, or a list literal: code and captures
	makeIf                     // a conditional
	makeNat                    // #n
	makeData                   // a list of data
)

// instr makes one node of the body of a λ: the place of its parent is known, for parents
// come before children.
type instr struct {
	op    opcode
	kind  Kind
	slot  uint8 // the operand of the parent
	arity uint8 // how many operands it waits for
	sym   term.Symbol
	cmp   term.Compare
	// up is the frame index of the parent; 0 is the place that waits for the body.
	up   uint32
	x, y uint32 // frame indices of variables; x of a makeData in D(t): an instruction that makes λa.0⃗
	// n is of makeSub: occurrences; of makeNat: the count; of makeData: the index; of a List: 1 if
	// its elements are numerals; of a λ: 1 if its body is one; of an App: see spine.
	n       uint64
	val     float64
	closure *closure // of a λ, a conditional or a list
	pos     term.Pos
	name    term.Var // the variable that is bound, or that occurs
}

// closure is what a λ, a conditional or a list captures, and its code.
type closure struct {
	captures []uint32 // frame indices
	bodies   []uint32 // templates: of a λ one, of a conditional two, of a list its elements
}

// template is the body of a λ, of a branch or of an element of a list. Its frame holds the
// place that waits for the body, the parameter, the nodes that it makes, and behind these
// what it captures.
type template struct {
	from, to uint32   // its instructions
	locals   uint32   // where the captures begin in the frame
	uses     []uint32 // how often it mentions each capture
	param    uint64   // how often it mentions the parameter
	linear   bool     // the λ is a dual
	name     term.Var // the parameter
	index    uint32   // in Program.templates
}

// Program is a term that has been made ready for the machine: immutable.
type Program struct {
	term      *term.Term
	code      []instr
	templates []template
	frame     int // the largest frame
	inputs    int
	outputs   int // of a gradient; 0 for a value
	free      int // free dual variables
	start     uint32
	zero      uint32           // the template of λa.0⃗
	cons      uint32           // that of λa.λr.⟨a,r⟩, which reads lists
	pos       term.Pos         // where the term stands
	around    map[term.Var]int // the variables of the start term: their inputs; -1: of the seeds
}

// Outputs returns how many numbers a gradient is of, and 0 for the program of a value.
func (p *Program) Outputs() int { return p.outputs }

const paramIndex = 1

// noCode is the instruction of nodes that no instruction has made.
const noCode = 1<<32 - 1

// captured marks the frame index of a capture while code is made.
const captured = 1 << 31

// coder makes the code of a term: parents before children, and of these first what is evaluated last. So LIFO
// evaluates a substitution before what stands in its scope, and operands from left to right.
type coder struct {
	stack     []term.Ref // nodes that have a place, and no code yet
	t         *term.Term
	p         *Program
	nodes     []spot // of each node of the term, once its parent has been seen
	homes     []home // of each variable
	templates []*building
	inputs    map[term.Ref]int // the numerals of the inputs
	outputs   map[term.Var]int // the z of each output
	seeds     term.Ref         // the vector of the seeds
}

// spot is where a node of the term stands.
type spot struct {
	in   uint32 // its template, plus one
	up   uint32
	slot uint8
	// flat says that it is a summand of the body of a dual, whose place is the job's; named
	// that it is a dual λ which a variable is bound to.
	flat, named bool
	// Of the function of an application f a1 … an: how many arguments follow, of how many, and
	// where the whole application stands.
	after, args uint32
	whole       term.Pos
}

// home is where a variable is bound.
type home struct {
	in    uint32 // the template, plus one
	index uint32
	instr int32 // the instruction that counts its occurrences; -1: it is the parameter, or free
}

// building is a template that is being made.
type building struct {
	template
	code  []instr
	outer uint32 // the template in whose code the λ stands
	seen  *captures
}

// captures are the variables that a λ, a conditional or a list captures. The templates of
// the branches or elements share them.
type captures struct {
	index map[term.Var]uint32
	from  []uint32 // frame indices in the outer template
}

func (c *coder) newTemplate(outer uint32, seen *captures) uint32 {
	if seen == nil {
		seen = &captures{index: map[term.Var]uint32{}}
	}
	c.templates = append(c.templates, &building{template: template{locals: paramIndex + 1}, outer: outer, seen: seen})
	return uint32(len(c.templates) - 1)
}

// put appends an instruction, and returns its frame index.
func (c *coder) put(in uint32, i instr) uint32 {
	b := c.templates[in]
	b.code = append(b.code, i)
	b.locals++
	return b.locals - 1
}

// add appends an instruction that makes no node which others refer to.
func (c *coder) add(in uint32, i instr) {
	c.templates[in].code = append(c.templates[in].code, i)
}

// place puts the child r of a node at the operand.
func (c *coder) place(r term.Ref, in, up uint32, slot uint8) {
	c.pass(r, spot{in: in + 1, up: up, slot: slot})
}

// pass puts the child r where its parent stands.
func (c *coder) pass(r term.Ref, s spot) {
	c.nodes[r] = s
	c.stack = append(c.stack, r)
}

// bind makes the substitution of x, and returns its frame index.
func (c *coder) bind(in uint32, x term.Var, kind Kind, pos term.Pos) uint32 {
	b := c.templates[in]
	i := c.put(in, instr{op: makeSub, kind: kind, pos: pos, name: x})
	c.homes[x] = home{in: in + 1, index: i, instr: int32(len(b.code) - 1)}
	return i
}

// bindParam makes x the parameter of the template.
func (c *coder) bindParam(in uint32, x term.Var) {
	c.templates[in].name = x
	c.homes[x] = home{in: in + 1, index: paramIndex, instr: -1}
}

// find returns the frame index of x in the template, which mentions it once more. What is bound
// further out is captured by each λ between.
func (c *coder) find(in uint32, x term.Var) uint32 {
	h := &c.homes[x]
	var chain []uint32
	at := in
	for at+1 != h.in {
		if _, ok := c.templates[at].seen.index[x]; ok {
			break
		}
		chain = append(chain, at)
		at = c.templates[at].outer
	}
	index := c.mention(at, x)
	for i := len(chain) - 1; i >= 0; i-- {
		s := c.templates[chain[i]].seen
		s.index[x] = uint32(len(s.from))
		s.from = append(s.from, index)
		index = c.mention(chain[i], x)
	}
	return index
}

// mention counts an occurrence of x, which the template binds or captures.
func (c *coder) mention(in uint32, x term.Var) uint32 {
	b, h := c.templates[in], &c.homes[x]
	if in+1 == h.in {
		switch {
		case h.instr >= 0:
			b.code[h.instr].n++
		case h.index == paramIndex:
			b.param++
		}
		return h.index
	}
	i := b.seen.index[x]
	for len(b.uses) <= int(i) {
		b.uses = append(b.uses, 0)
	}
	b.uses[i]++
	return captured | i
}

// finish lays the templates out: captures get their frame indices.
func (c *coder) finish() {
	p := c.p
	p.templates = make([]template, len(c.templates))
	for i, b := range c.templates {
		index := func(x *uint32) {
			if *x&captured != 0 {
				*x = b.locals + *x&^captured
			}
		}
		for k := range b.code {
			in := &b.code[k]
			index(&in.x)
			index(&in.y)
			if f := in.closure; f != nil && len(f.bodies) > 0 {
				f.captures = c.templates[f.bodies[0]].seen.from
				for j := range f.captures {
					index(&f.captures[j])
				}
			}
		}
		for len(b.uses) < len(b.seen.from) {
			b.uses = append(b.uses, 0)
		}
		b.from = uint32(len(p.code))
		p.code = append(p.code, b.code...)
		b.to = uint32(len(p.code))
		b.index = uint32(i)
		p.templates[i] = b.template
		p.frame = max(p.frame, int(b.locals)+len(b.uses))
	}
	for i := range p.code {
		if in := &p.code[i]; in.op == makeData && in.x != 0 {
			in.x = uint32(len(p.code))
			p.code = append(p.code, instr{op: makeLam, kind: Lam, closure: &closure{bodies: []uint32{p.zero}}, pos: in.pos})
		}
	}
}
