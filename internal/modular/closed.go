package modular

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gram-machine/gram/term"
)

// closedLambda is a λ of a program whose free variables are inputs or names of such λs, as what it is up to α and
// wherever it stands: its key. What stands for it elsewhere, in isolation, has numbers for its inputs, data, places
// and names; tables say which those are in the program.
type closedLambda struct {
	at    term.Ref
	alone *term.Term // in isolation, until its normal form is made
	vars  []term.Var // of its inputs, there
	free  []meaning  // of its free variables
	key   key
	// branches says that it has a conditional, or that one that it names has: its normal form is that of a point.
	branches bool
	tables   // of the λ until it is settled, and then of its normal form

	normal *normalForm
}

// tables are what the numbers of a term in isolation stand for in a program.
type tables struct {
	inputs []int // scalars of the program, ascending
	data   []int
	places []term.Pos
	labels []string // the names of variables
}

// selection says which entries of a λ's tables its normal form mentions.
type selection struct{ inputs, data, places, labels []int }

// settle gives the λ its normal form, and of its tables leaves what that mentions: so they are no larger than it.
func (l *closedLambda) settle(n *normalForm) {
	l.normal, l.alone = n, nil
	l.tables = tables{inputs: pick(l.inputs, n.used.inputs), data: pick(l.data, n.used.data),
		places: pick(l.places, n.used.places), labels: pick(l.labels, n.used.labels)}
}

func pick[T any](from []T, which []int) []T {
	out := make([]T, len(which))
	for i, k := range which {
		out[i] = from[k]
	}
	return out
}

// meaning is what a free variable of a closed λ is: a closed λ, or an input.
type meaning struct {
	x      term.Var // in isolation
	input  int
	lambda *closedLambda
	// Where the tables of the λ stand in those of the one that names it.
	places, labels, data int
}

// key is the SHA-256 sum of what a normal form of a closed λ depends on.
type key [sha256.Size]byte

// closer makes the closed λs of a program.
type closer struct {
	src    *term.Term
	look   func() error
	point  []float64
	vars   []term.Var // of the inputs
	inputs []int      // by variable: which input it is
	named  map[term.Var]*closedLambda
}

func newCloser(src *term.Term, inputs []term.Var, point []float64, look func() error) *closer {
	c := &closer{src: src, look: look, point: point, vars: inputs, inputs: make([]int, src.NumVars()),
		named: map[term.Var]*closedLambda{}}
	for i, x := range inputs {
		c.inputs[x] = i
	}
	return c
}

// lambda makes that of a λ; those that it names have been made. The error is that of a look.
func (c *closer) lambda(l term.ClosedLambda) (*closedLambda, error) {
	sub, err := c.src.Subterm(l.At, c.look)
	if err != nil {
		return nil, err
	}
	out := &closedLambda{at: l.At, branches: sub.Branches, tables: tables{data: slices.Clone(sub.Data)}}
	if out.alone, err = sub.Isolate(); err != nil {
		return nil, err
	}
	own := map[int]term.Var{} // the variables of inputs that are free
	for i, x := range sub.Free {
		m := meaning{x: term.Var(len(sub.Bound) + i + 1), lambda: c.named[x]}
		if m.lambda == nil {
			m.input = c.inputs[x]
			own[m.input] = m.x
			out.inputs = append(out.inputs, m.input)
		} else {
			out.inputs = append(out.inputs, m.lambda.inputs...)
			out.branches = out.branches || m.lambda.branches
		}
		out.free = append(out.free, m)
	}
	slices.Sort(out.inputs)
	out.inputs = slices.Compact(out.inputs)
	c.list(out, sub, own)
	out.key = c.keyOf(out, sub)
	if l.Name != 0 {
		c.named[l.Name] = out
	}
	return out, nil
}

// list makes the tables of the places, names and data of a λ, and then of the normal forms of the λs that it names. The
// inputs of these that are not free in it get variables, too.
func (c *closer) list(l *closedLambda, sub *term.Subterm, own map[int]term.Var) {
	for _, r := range sub.Nodes {
		l.places = append(l.places, c.src.Nodes[r].Pos)
	}
	mention := func(x term.Var) {
		l.places = append(l.places, c.src.Info(x).Pos)
		l.labels = append(l.labels, c.src.Info(x).Name)
	}
	for _, x := range slices.Concat(sub.Bound, sub.Free) {
		mention(x)
	}
	for _, in := range l.inputs {
		x, ok := own[in]
		if !ok {
			mention(c.vars[in])
			x = l.alone.NewVar(term.VarInfo{Name: strconv.Itoa(len(l.labels)), Type: term.R, Pos: term.Pos(len(l.places))})
		}
		l.vars = append(l.vars, x)
	}
	for i := range l.free {
		if m := &l.free[i]; m.lambda != nil {
			n := m.lambda
			m.places, m.labels, m.data = len(l.places), len(l.labels), len(l.data)
			l.places, l.labels = append(l.places, n.places...), append(l.labels, n.labels...)
			for _, k := range n.data {
				l.data, l.alone.Data = append(l.data, k), append(l.alone.Data, c.src.Data[k])
			}
		}
	}
}

// rank returns the place of an input of the program among those of the λ.
func (l *closedLambda) rank(input int) int {
	i, _ := slices.BinarySearch(l.inputs, input)
	return i
}

// keyOf returns the sum of the λ's encoding and of what that leaves open: which free variable is which input or λ,
// how long the data are and what those are that are no lists; the order of the inputs among themselves, since sums
// are in it; and the point, if there is a conditional.
func (c *closer) keyOf(l *closedLambda, sub *term.Subterm) key {
	b := l.alone.Encode(nil)
	for _, m := range l.free {
		if n := m.lambda; n == nil {
			b = fmt.Append(b, "input ", l.rank(m.input), "\n")
		} else {
			b = fmt.Appendf(b, "λ %x\n", n.key)
			for _, in := range n.inputs {
				b = fmt.Append(b, l.rank(in), "\n")
			}
		}
	}
	for _, i := range sub.Data {
		d := &c.src.Data[i]
		b = fmt.Appendln(b, d.Rows, d.Width, d.List)
		if !d.List { // lists stay folded
			b = appendBits(b, d.Values...)
		}
	}
	if l.branches {
		for _, in := range l.inputs {
			b = appendBits(b, c.point[in])
		}
	}
	return sha256.Sum256(b)
}

func appendBits(b []byte, xs ...float64) []byte {
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// place returns the program's place for one of the λ in isolation, 0 for 0.
func (l *closedLambda) place(p term.Pos) term.Pos {
	if p == 0 {
		return 0
	}
	return l.places[p-1]
}

// numbered replaces the number that a name begins with, if there is one: in isolation it stands for a label.
func numbered(s string, name func(int) string) string {
	rest := strings.TrimLeft(s, "0123456789")
	i, err := strconv.Atoi(strings.TrimSuffix(s, rest))
	if err != nil {
		return s
	}
	return name(i) + rest
}

// Cache keeps the normal forms of the closed λs of programs, by what these are up to α, whatever program they stand in
// and wherever. Programs that are loaded with the same cache, one after the other or at once, each find what another
// has made: of an edited program only the functions that were changed are transformed and normalised again. Results,
// counts and messages don't depend on it.
//
// A nil *Cache keeps nothing. All methods may be called by several goroutines at once.
type Cache struct {
	mu     sync.Mutex
	stats  Stats
	kept   map[key]*list.Element // of order; nil after Close
	order  list.List             // of *keptForm, the one that was asked for last first
	closed bool
}

// keptForm is a normal form with its key.
type keptForm struct {
	key   key
	form  *normalForm
	bytes uint64
}

// DefaultSize is the bound on a cache that [NewCache] takes for 0, in bytes.
const DefaultSize = 64 << 20

// MaxSize is the largest bound on a cache, in bytes.
const MaxSize = 1 << 50

// NewCache returns a cache that holds at most so many bytes of normal forms; 0 stands for [DefaultSize]. One that would
// take more than all of them is not kept, and if there is no room, those go that were not asked for the longest. What
// it holds is memory of the process, which a [limits.Meter] bounds.
func NewCache(bytes uint64) (*Cache, error) {
	if bytes == 0 {
		bytes = DefaultSize
	}
	if bytes > MaxSize {
		return nil, fmt.Errorf("gram: a cache of %d bytes is larger than %d", bytes, uint64(MaxSize))
	}
	return &Cache{stats: Stats{MaxBytes: bytes}, kept: map[key]*list.Element{}}, nil
}

// Close drops what the cache holds. After it, the cache keeps nothing.
func (c *Cache) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed, c.kept, c.stats.Bytes = true, nil, 0
	c.order.Init()
}

// get returns the normal form of the key, or nil.
func (c *Cache) get(k key) *normalForm {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.kept[k]
	if at == nil {
		c.stats.Misses++
		return nil
	}
	c.stats.Hits++
	c.order.MoveToFront(at)
	return at.Value.(*keptForm).form
}

// put keeps a normal form, if there is room.
func (c *Cache) put(k key, n *normalForm) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	size := uint64(n.bytes())
	if c.closed || size > c.stats.MaxBytes || c.kept[k] != nil {
		return
	}
	for c.stats.Bytes+size > c.stats.MaxBytes {
		last := c.order.Remove(c.order.Back()).(*keptForm)
		delete(c.kept, last.key)
		c.stats.Bytes -= last.bytes
		c.stats.Evictions++
	}
	c.kept[k] = c.order.PushFront(&keptForm{k, n, size})
	c.stats.Bytes += size
}

// Stats says what a cache holds, and what all programs have asked of it.
type Stats struct {
	Hits      uint64
	Misses    uint64
	Bytes     uint64 // that it holds
	MaxBytes  uint64 // that it may hold
	Evictions uint64 // normal forms that went for want of room
}

// Stats returns the statistics of the cache; those of a nil *Cache are zero.
func (c *Cache) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Reuse says which closed λs of a program were found in a cache. Without one, all are misses.
type Reuse struct {
	Hits   int `json:"hits"`   // λs that were found
	Misses int `json:"misses"` // λs that were transformed and normalised
	// Reused are the symbols of |D(t)| in the λs that were found, Rebuilt all others.
	Reused  int64 `json:"reused"`
	Rebuilt int64 `json:"rebuilt"`
	// Of the cache, when the cost was asked for; MaxBytes is 0 where there is none.
	Bytes     uint64 `json:"bytes"`
	MaxBytes  uint64 `json:"maxBytes"`
	Evictions uint64 `json:"evictions"`
}
