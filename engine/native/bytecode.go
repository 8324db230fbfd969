package native

import "github.com/gram-machine/gram/term/elementary"

// opcode says what an instruction of the interpreter does.
type opcode uint8

// The operations. D, A, B and C are registers, x is the number At of the run in stream C. Products are rounded before they are added.
const (
	doMove              opcode = iota // D := A
	doLoad                            // D := x
	doStore                           // x := A
	doMul                             // D := A · B
	doAdd                             // D := A + B
	doSub                             // D := A − B
	doAddMul                          // D := D + A · B
	doMulAdd                          // D := A · B + C
	doMulLoaded                       // D := A · x
	doAddLoaded                       // D := A + x
	doAddMulLoaded                    // D := D + A · x
	doSlope                           // D := A · (1 − A)
	doAddMulTwice                     // D := (D + A · B) + A · B: the derivative of a square
	doAddMulTwiceLoaded               // D := (D + A · x) + A · x
	doMulSlope                        // D := B · (A · (1 − A))
	doMulSlopeLoaded                  // D := B · (x · (1 − x))
	doStoreMul                        // x := A, D := A · B
	doSinCosStored                    // D := sin A, x := cos A
	doAddSinCosStored                 // D := sin A + B, x := cos A
	doSinCos                          // D, B := sin A, cos A
	doSigmoid                         // D := sigmoid A
	doUnary                           // D := f(A), where f is number At
	doBinary                          // D := f(A, B)
	doLess                            // go on at At, except where A < B
	doLessEqual
	doGreater
	doGreaterEqual
	doJump // go on at At
)

// instr is an instruction of the interpreter: from the lowest byte on its opcode, D, A, B and C, and At in the two highest. Registers
// are bytes, so that the array of 256 needs no checks of bounds.
type instr uint64

func (in instr) op() opcode { return opcode(in) }
func (in instr) d() uint8   { return uint8(in >> 8) }
func (in instr) a() uint8   { return uint8(in >> 16) }
func (in instr) b() uint8   { return uint8(in >> 24) }
func (in instr) c() uint8   { return uint8(in >> 32) }
func (in instr) at() int    { return int(in >> 48) }

// bytecode is the code of a loop for the interpreter: one run from the first instruction to the end, or from one of starts.
type bytecode struct {
	code    []instr
	starts  []uint16  // of the nodes, where a run chooses
	chooser int       // the stream that has the number of the node
	regs    []uint32  // which register of the loop each of the first registers is
	consts  []float64 // of the last registers
	unary   []func(float64) float64
	binary  []func(x, y float64) float64
}

// registers are those of the interpreter.
type registers [256]float64

// interpret makes n runs.
func (b *bytecode) interpret(r *registers, l *Loop, regs []float64, n int, streams [][]float64) {
	for i, reg := range b.regs {
		r[uint8(i)] = regs[reg]
	}
	copy(r[len(r)-len(b.consts):], b.consts)
	var x [4][]float64 // an index of two bits needs no check
	var at, step [4]int
	for i := range l.Streams {
		s := &l.Streams[i]
		x[i&3], step[i&3] = streams[i], s.Width
		if s.Down {
			at[i&3], step[i&3] = (n-1)*s.Width, -s.Width
		}
	}
	b.runs(r, n, len(l.Streams), &x, &at, &step)
	for i, reg := range b.regs {
		regs[reg] = r[uint8(i)]
	}
}

// runs makes n runs. The streams are at the numbers of the first, and go on by step.
func (b *bytecode) runs(r *registers, n, streams int, x *[4][]float64, at, step *[4]int) {
	code := b.code
	_, _, _, _ = *r, *x, *at, *step // no checks for nil below
	for ; n > 0; n-- {
		pc := uint(0)
		if b.starts != nil {
			pc = uint(b.starts[int(x[b.chooser&3][at[b.chooser&3]])])
		}
		for pc < uint(len(code)) {
			in := code[pc]
			pc++
			switch in.op() {
			case doMove:
				r[in.d()] = r[in.a()]
			case doLoad:
				r[in.d()] = x[in.c()&3][at[in.c()&3]+in.at()]
			case doStore:
				x[in.c()&3][at[in.c()&3]+in.at()] = r[in.a()]
			case doMul:
				r[in.d()] = r[in.a()] * r[in.b()]
			case doAdd:
				r[in.d()] = r[in.a()] + r[in.b()]
			case doSub:
				r[in.d()] = r[in.a()] - r[in.b()]
			case doAddMul:
				r[in.d()] += float64(r[in.a()] * r[in.b()])
			case doMulAdd:
				r[in.d()] = float64(r[in.a()]*r[in.b()]) + r[in.c()]
			case doMulLoaded:
				r[in.d()] = r[in.a()] * x[in.c()&3][at[in.c()&3]+in.at()]
			case doAddLoaded:
				r[in.d()] = r[in.a()] + x[in.c()&3][at[in.c()&3]+in.at()]
			case doAddMulLoaded:
				r[in.d()] += float64(r[in.a()] * x[in.c()&3][at[in.c()&3]+in.at()])
			case doAddMulTwice:
				p := float64(r[in.a()] * r[in.b()])
				r[in.d()] = r[in.d()] + p + p
			case doAddMulTwiceLoaded:
				p := float64(r[in.a()] * x[in.c()&3][at[in.c()&3]+in.at()])
				r[in.d()] = r[in.d()] + p + p
			case doSlope:
				a := r[in.a()]
				r[in.d()] = a * (1 - a)
			case doMulSlope:
				a := r[in.a()]
				r[in.d()] = r[in.b()] * float64(a*(1-a))
			case doMulSlopeLoaded:
				a := x[in.c()&3][at[in.c()&3]+in.at()]
				r[in.d()] = r[in.b()] * float64(a*(1-a))
			case doStoreMul:
				a := r[in.a()]
				x[in.c()&3][at[in.c()&3]+in.at()] = a
				r[in.d()] = a * r[in.b()]
			case doSinCosStored:
				sin, cos := elementary.SinCos(r[in.a()])
				r[in.d()] = sin
				x[in.c()&3][at[in.c()&3]+in.at()] = cos
			case doAddSinCosStored:
				sin, cos := elementary.SinCos(r[in.a()])
				r[in.d()] = sin + r[in.b()]
				x[in.c()&3][at[in.c()&3]+in.at()] = cos
			case doSinCos:
				r[in.d()], r[in.b()] = elementary.SinCos(r[in.a()])
			case doSigmoid:
				r[in.d()] = elementary.Sigmoid(r[in.a()])
			case doUnary:
				r[in.d()] = b.unary[in.at()](r[in.a()])
			case doBinary:
				r[in.d()] = b.binary[in.at()](r[in.a()], r[in.b()])
			case doLess:
				if !(r[in.a()] < r[in.b()]) {
					pc = uint(in.at())
				}
			case doLessEqual:
				if !(r[in.a()] <= r[in.b()]) {
					pc = uint(in.at())
				}
			case doGreater:
				if !(r[in.a()] > r[in.b()]) {
					pc = uint(in.at())
				}
			case doGreaterEqual:
				if !(r[in.a()] >= r[in.b()]) {
					pc = uint(in.at())
				}
			case doJump:
				pc = uint(in.at())
			}
		}
		at[0] += step[0]
		if streams > 1 {
			at[1] += step[1]
			at[2] += step[2]
		}
	}
}
