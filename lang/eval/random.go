package eval

import (
	"hash/fnv"
	"math"

	"github.com/gram-machine/gram/term/elementary"
)

// Random numbers are functions of a seed, a name and the number of the draw, so a value is the same everywhere.
type Random struct {
	start uint64
	draws uint64
}

// NewRandom returns the random numbers of a declaration.
func NewRandom(seed uint64, name string) *Random {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &Random{start: mix(seed ^ mix(h.Sum64()))}
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
func (r *Random) next() (u, v float64) {
	const golden = 0x9e3779b97f4a7c15
	k := 2 * r.draws
	r.draws++
	return unit(mix(r.start + (k+1)*golden)), unit(mix(r.start + (k+2)*golden))
}

// Uniform is a number that is drawn evenly between a and b.
func Uniform(a, b *Code) *Code {
	return numeric(func(m *Machine, fr []value) float64 {
		x, y := a.num(m, fr), b.num(m, fr)
		u, _ := m.Random.next()
		return x + float64((y-x)*u)
	})
}

// Normal is a number that is drawn from the normal distribution with a mean and a deviation, by the method of Box and
// Muller.
func Normal(mean, deviation *Code) *Code {
	return numeric(func(m *Machine, fr []value) float64 {
		x, s := mean.num(m, fr), deviation.num(m, fr)
		u, v := m.Random.next()
		return x + float64(s*float64(math.Sqrt(-2*elementary.Log(u))*elementary.Cos(2*math.Pi*v)))
	})
}
