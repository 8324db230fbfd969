package machine

import (
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/term"
)

// codeInfo says what a profile has to know of the code of a program.
type codeInfo struct {
	reversed  bool
	pos       term.Pos // of the program
	sites     []site
	templates []templateInfo
}

// site is an instruction.
type site struct {
	pos       term.Pos // of an App that of the whole f a1 … an
	rest      uint8    // of an App: see spine
	generated bool     // D has put it there
	variable  bool
	cell      bool
	around    bool   // it is of the start term: of the seeds, or of an input
	input     int    // -1: of none
	elements  uint32 // of a list whose elements are code: the template that stands for them
}

// templateInfo is a template. λs of several parameters are one for the engine: the last.
type templateInfo struct {
	pos      term.Pos // of the outermost λ
	left     uint32   // how many parameters are bound behind this one
	last     uint32   // the template of the innermost λ
	branch   bool     // it is no λ's code, but stands in one
	elements uint32   // of an element of a list that is code: that of the first element
	from, to uint32   // instructions: of the elements of a list, those of all
}

// maxParams bounds the parameters of one λ of the engine.
const maxParams = 255

func describe(p *Program) codeInfo {
	c := codeInfo{reversed: p.outputs > 0, pos: p.pos, sites: make([]site, len(p.code)), templates: make([]templateInfo, len(p.templates))}
	for i := range p.templates {
		t := &p.templates[i]
		c.templates[i] = templateInfo{last: uint32(i), from: t.from, to: t.to}
	}
	c.templates[p.start].pos = p.pos
	for i := range p.templates {
		c.instructions(p, &p.templates[i])
	}
	inner := make([]bool, len(p.templates)) // λs in whose place an outer one stands
	for i := range p.code {
		in := &p.code[i]
		if in.op != makeLam || in.kind != Lam || inner[in.closure.bodies[0]] {
			continue
		}
		chain := []uint32{in.closure.bodies[0]}
		for l := in; l.n == 1 && len(chain) < maxParams; {
			l = &p.code[p.templates[l.closure.bodies[0]].from]
			chain = append(chain, l.closure.bodies[0])
			inner[l.closure.bodies[0]] = true
		}
		last := chain[len(chain)-1]
		for k, t := range chain {
			c.templates[t].left, c.templates[t].last = uint32(len(chain)-1-k), last
		}
		c.templates[last].pos = in.pos
	}
	return c
}

// instructions describes those of a template.
func (c *codeInfo) instructions(p *Program, t *template) {
	frame := make([]uint32, paramIndex+1, t.locals) // by frame index: the instruction
	if t.index == p.start {
		frame = append(frame, make([]uint32, p.free)...)
	}
	for i := t.from; i < t.to; i++ {
		in, s := &p.code[i], &c.sites[i]
		*s = site{pos: in.pos, input: -1}
		switch in.op {
		case makeVariable:
			s.variable = true
			c.binder(p, s, in.name)
		case makeSub:
			frame = append(frame, i)
			c.binder(p, s, in.name)
			if s.cell = in.kind == Cell; s.cell {
				s.generated = c.reversed
			}
		case makeOpen:
			frame = append(frame, i)
			c.binder(p, s, p.code[frame[in.x]].name)
		case makeNode:
			frame = append(frame, i)
			if in.kind == App {
				s.pos, s.rest = term.Pos(lo(in.n)), uint8(hi(in.n))
			}
		case makeIf:
			frame = append(frame, i)
			for _, b := range in.closure.bodies {
				c.templates[b].pos, c.templates[b].branch = in.pos, true
			}
		case makeLam:
			if in.kind == List {
				c.list(in, s)
			} else if up := frame[min(int(in.up), len(frame)-1)]; in.up > paramIndex && c.sites[up].cell {
				c.sites[up].pos = in.pos
			}
		case makeData:
			s.cell = true // its elements have one
		}
	}
}

// binder says whose the variable x is.
func (c *codeInfo) binder(p *Program, s *site, x term.Var) {
	s.generated = x != 0 && p.term.Vars[x].Generated
	if i, ok := p.around[x]; ok && x != 0 && (s.generated || !s.variable) {
		s.around, s.input = true, i
	}
}

// list describes the elements of a list.
func (c *codeInfo) list(in *instr, s *site) {
	bodies := in.closure.bodies
	if in.n == 1 || len(bodies) == 0 {
		return
	}
	s.elements = bodies[0]
	first := &c.templates[bodies[0]]
	for _, b := range bodies {
		t := &c.templates[b]
		t.pos, t.branch, t.elements = in.pos, true, bodies[0]
		first.from, first.to = min(first.from, t.from), max(first.to, t.to)
	}
}

// entry returns the entry of an instruction in a context.
func (c *codeInfo) entry(context, code uint32) entry {
	s := &c.sites[code]
	x := entry{context: context, code: code, pos: s.pos, input: -1}
	if s.generated {
		x.origin = calls.GeneratedCode
	}
	switch {
	case s.around && s.input >= 0:
		x.input = s.input
	case s.around: // the seeds
		x.pos, x.phase, x.origin = c.pos, calls.Backward, calls.GeneratedCode
	}
	return x
}

// isCell reports whether the substitutions that are made at x are cells.
func (c *codeInfo) isCell(x *entry) bool {
	return x.isDatum || x.code != noCode && c.sites[x.code].cell
}

// elements returns the template that stands for the elements of the list that is made at x, if they
// are code, or 0. In the body of a dual lists are not told apart.
func (c *codeInfo) elements(x *entry) uint32 {
	if x.code == noCode {
		return 0
	}
	return c.sites[x.code].elements
}
