package eval

import (
	"hash/fnv"
	"math"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term/elementary"
)

// random numbers are functions of a seed, a name and the number of the draw, so a value is the same everywhere.
type random struct {
	start uint64
	draws uint64
}

// newRandom returns the random numbers of a declaration.
func newRandom(seed uint64, name string) *random {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &random{start: mix(seed ^ mix(h.Sum64()))}
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit is a number between 0 and 1, neither of which it is.
func unit(z uint64) float64 { return (float64(z>>11) + 0.5) / (1 << 53) }

// next is the next number of SplitMix64 from start on; draw k takes those with the numbers 2k and 2k + 1.
func (r *random) next() (u, v float64) {
	const golden = 0x9e3779b97f4a7c15
	k := 2 * r.draws
	r.draws++
	return unit(mix(r.start + (k+1)*golden)), unit(mix(r.start + (k+2)*golden))
}

// draw is a number that is drawn evenly between a and b, or from the normal distribution with mean a and deviation b,
// by the method of Box and Muller.
func draw(p core.Prim, a, b *code) *code {
	return gives(func(m *machine, fr []value) float64 {
		x, y := a.real(m, fr), b.real(m, fr)
		u, v := m.random.next()
		if p == core.PrimUniform {
			return x + float64((y-x)*u)
		}
		return x + float64(y*float64(math.Sqrt(-2*elementary.Log(u))*elementary.Cos(2*math.Pi*v)))
	})
}
