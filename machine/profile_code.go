package machine

import (
	"github.com/gram-machine/gram/compile"
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
	around    bool      // it is of the start term: of the seeds, or of an input
	input     int       // -1: of none
	occurs    [2]uint32 // of a node: the instructions of the occurrences that are its operands when it is made, or 0
}

// templateInfo is a template. λs of several parameters are one: the last.
type templateInfo struct {
	pos      term.Pos // of the outermost λ
	left     uint32   // how many parameters are bound behind this one
	last     uint32   // the template of the innermost λ
	branch   bool     // it is no λ's code, but stands in one
	elements uint32   // of an element of a list that is code: that of the first element
	from, to uint32   // instructions: of the elements of a list, those of all
	same     uint32   // the first template of the same code: an expansion has copies of what stands in a comprehension
}

// maxParams bounds the parameters of one λ of the engine.
const maxParams = 255

func describe(p *compile.Program) codeInfo {
	c := codeInfo{reversed: p.Outputs > 0, pos: p.Pos, sites: make([]site, len(p.Code)),
		templates: make([]templateInfo, len(p.Templates))}
	for i := range p.Templates {
		t := &p.Templates[i]
		c.templates[i] = templateInfo{last: uint32(i), from: t.From, to: t.To}
	}
	c.templates[p.Start].pos = p.Pos
	for i := range p.Templates {
		c.instructions(p, &p.Templates[i])
	}
	inner := make([]bool, len(p.Templates)) // λs in whose place an outer one stands
	for i := range p.Code {
		in := &p.Code[i]
		if in.Op != compile.MakeLam || in.Kind != compile.Lam || inner[in.Closure.Bodies[0]] {
			continue
		}
		chain := []uint32{in.Closure.Bodies[0]}
		for l := in; l.N == 1 && len(chain) < maxParams; {
			at := p.Templates[l.Closure.Bodies[0]].From
			for p.Code[at].Op == compile.MakeSub { // the functions of a fix
				at += 2
			}
			l = &p.Code[at]
			chain = append(chain, l.Closure.Bodies[0])
			inner[l.Closure.Bodies[0]] = true
		}
		last := chain[len(chain)-1]
		for k, t := range chain {
			c.templates[t].left, c.templates[t].last = uint32(len(chain)-1-k), last
		}
		c.templates[last].pos = in.Pos
	}
	c.copies(p)
	return c
}

// copies finds the templates that are copies of another one.
func (c *codeInfo) copies(p *compile.Program) {
	of := make([]calls.Code, len(c.templates))
	for i := range p.Code {
		in := &p.Code[i]
		switch {
		case in.Op == compile.MakeIf:
			for k, b := range in.Closure.Bodies {
				of[b] = calls.Code{Pos: in.Pos, Branch: 1 + k}
			}
		case in.Op == compile.MakeLam && in.Kind == compile.List:
			for _, b := range in.Closure.Bodies {
				of[b] = calls.Code{Pos: in.Pos, Branch: -1}
			}
		case in.Op == compile.MakeLam && in.Kind == compile.Lam && in.Name != 0:
			x := p.Term.Info(in.Name)
			of[in.Closure.Bodies[0]] = calls.Code{Pos: in.Pos, Name: x.Name, Bound: x.Pos}
		}
	}
	first := map[calls.Code]uint32{}
	for i := range c.templates {
		k := &of[i]
		k.Within = c.templates[p.Templates[i].Within].same
		t, ok := first[*k]
		if !ok || k.Pos == 0 {
			t = uint32(i)
			first[*k] = t
		}
		c.templates[i].same = t
	}
}

// instructions describes those of a template.
func (c *codeInfo) instructions(p *compile.Program, t *compile.Template) {
	frame := make([]uint32, compile.FirstIndex, t.Locals) // by frame index: the instruction
	if t.Index == p.Start {
		frame = append(frame, make([]uint32, p.Free+p.Symbols)...)
	}
	for i := t.From; i < t.To; i++ {
		in, s := &p.Code[i], &c.sites[i]
		*s = site{pos: in.Pos, input: -1}
		if in.Op >= compile.MakeNode { // it makes a node
			frame = append(frame, i)
		}
		switch in.Op {
		case compile.MakeVariable:
			s.variable = true
			c.binder(p, s, in.Name)
		case compile.MakeSub:
			c.binder(p, s, in.Name)
			if s.cell = in.Kind == compile.Cell; s.cell {
				s.generated = c.reversed
			}
		case compile.MakeOpen:
			c.binder(p, s, p.Code[frame[in.X]].Name)
		case compile.MakeNode:
			if in.Kind == compile.App {
				s.pos, s.rest = term.Pos(uint32(in.N)), uint8(in.N>>32)
			}
		case compile.MakeIf:
			for _, b := range in.Closure.Bodies {
				c.templates[b].pos, c.templates[b].branch = in.Pos, true
			}
		case compile.MakeLam:
			if in.Kind == compile.List {
				c.list(in)
			} else if up := frame[min(int(in.Up), len(frame)-1)]; in.Up >= compile.FirstIndex && c.sites[up].cell {
				c.sites[up].pos = in.Pos
			}
		}
	}
	for i := range t.Images {
		im := &t.Images[i]
		c.sites[im.Code].occurs[0] |= im.Occurs[0]
		c.sites[im.Code].occurs[1] |= im.Occurs[1]
	}
}

// binder says whose the variable x is.
func (c *codeInfo) binder(p *compile.Program, s *site, x term.Var) {
	s.generated = x != 0 && p.Term.Info(x).Generated
	if i, ok := p.Around[x]; ok && x != 0 && (s.generated || !s.variable) {
		s.around, s.input = true, i
	}
}

// list describes the elements of a list.
func (c *codeInfo) list(in *compile.Instr) {
	bodies := in.Closure.Bodies
	if in.N == 1 || len(bodies) == 0 {
		return
	}
	first := &c.templates[bodies[0]]
	for _, b := range bodies {
		t := &c.templates[b]
		t.pos, t.branch, t.elements = in.Pos, true, bodies[0]
		first.from, first.to = min(first.from, t.from), max(first.to, t.to)
	}
}

// entry returns the entry of an instruction in a context.
func (c *codeInfo) entry(context, code uint32) entry {
	s := &c.sites[code]
	x := entry{context: context, pos: s.pos, input: -1, isCell: s.cell}
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
