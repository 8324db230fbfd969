package native

import (
	"maps"
	"math"
	"unsafe"

	"github.com/gram-machine/gram/engine/wasm"
)

// Memory is that of the machine code of forms: tables of functions, a frame, streams and, from [RowsAt] on, rows,
// vectors and the stack of loops inside. It is of one goroutine.
type Memory struct {
	Bytes     []byte
	Used      uint64 // bytes, with the rows of this run
	Params    [2 + MostStreams]uint64
	instances map[*Code]wasm.Instance
	tables    map[uint64]uint64 // where the vectors are that are in memory in this run
}

const (
	frameNumbers = 1 << 13
	streamsAt    = wasm.TableBytes + 8*frameNumbers
	RowsAt       = streamsAt + MostStreams*3*StreamBytes
	MostRows     = math.MaxUint32 - 1<<20 // addresses have 32 bits
	leastStack   = 1 << 16                // bytes
)

// Begin forgets what a run has left, but for the code.
func (m *Memory) Begin() {
	m.Used = 0
	clear(m.tables)
}

// Reserve makes room for so many bytes behind those of this run. book is asked for what the memory takes, and for left
// more.
func (m *Memory) Reserve(bytes, left uint64, book func(bytes int) error) error {
	m.Used = max(m.Used, RowsAt)
	if m.Room(bytes) {
		return nil
	}
	size := min(max(m.Used+bytes, 2*uint64(len(m.Bytes))), MostRows)
	if err := book(int(size + left)); err != nil {
		return err
	}
	memory := wasm.NewMemory(size, true)
	if m.Bytes != nil {
		copy(memory[RowsAt:], m.Bytes[RowsAt:m.Used])
		copy(memory[wasm.TableBytes:streamsAt], m.Bytes[wasm.TableBytes:streamsAt])
	}
	for _, in := range m.instances {
		in.Close()
	}
	m.Bytes, m.instances = memory, map[*Code]wasm.Instance{}
	return nil
}

// Room reports whether there is room for so many bytes behind those of this run.
func (m *Memory) Room(bytes uint64) bool { return m.Used+bytes <= uint64(len(m.Bytes)) }

// Grow makes more room for the stack, of at most so many bytes with the rows if most is not 0, and reports whether it
// could.
func (m *Memory) Grow(most, left uint64, book func(bytes int) error) bool {
	more := max(leastStack, 2*(uint64(len(m.Bytes))-m.Used))
	if most != 0 && m.Used-RowsAt+more > most || m.Used+more > MostRows {
		return false
	}
	return m.Reserve(more, left, book) == nil
}

// Table is where a vector of so many numbers is in memory; had says that it was there before.
func (m *Memory) Table(vector uint64, numbers int, keep bool, book func(bytes int) error) (at uint64, had bool,
	err error) {
	if at, had = m.tables[vector]; had {
		return at, true, nil
	}
	if err := m.Reserve(uint64(8*numbers), 0, book); err != nil {
		return 0, false, err
	}
	at = m.Used
	if m.Used += uint64(8 * numbers); keep {
		if m.tables == nil {
			m.tables = map[uint64]uint64{}
		}
		m.tables[vector] = at
	}
	return at, false, nil
}

// Place is where a vector is that [Memory.Table] has put in memory.
func (m *Memory) Place(vector uint64) uint64 { return m.tables[vector] }

// Forget drops what has been put in memory from a place on.
func (m *Memory) Forget(from uint64) {
	m.Used = from
	maps.DeleteFunc(m.tables, func(_, at uint64) bool { return at >= from })
}

// Numbers are the numbers in memory from a place on.
func (m *Memory) Numbers(at uint64, count int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(&m.Bytes[at])), count)
}

// Integers are whole numbers in memory from a place on.
func (m *Memory) Integers(at uint64, count int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&m.Bytes[at])), count)
}

// Frame are the numbers of the frame, and Words its whole numbers from a place on.
func (m *Memory) Frame() []float64 { return m.Numbers(wasm.TableBytes, frameNumbers) }

func (m *Memory) Words(at int) []uint64 {
	return m.Integers(uint64(wasm.TableBytes+8*at), frameNumbers-at)
}

// StreamAt is the place of stream k.
func StreamAt(k int) uint64 { return uint64(streamsAt + k*3*StreamBytes) }

// Stack tells the code of a form with loops inside where its stack begins, and how far it may go: so many bytes with
// the rows if most is not 0. It returns behind so many iterations of these.
func (m *Memory) Stack(f *Form, most, fuel uint64) {
	words, limit := m.Words(f.FrameStack()), uint64(len(m.Bytes))
	if most != 0 {
		limit = min(limit, max(m.Used, RowsAt+most))
	}
	words[StackTop], words[StackLimit], words[StackFuel] = m.Used, limit-uint64(f.mostRow()), fuel
}

// Run runs code.
func (m *Memory) Run(c *Code) {
	in, ok := m.instances[c]
	if !ok {
		in = wasm.Instantiate(m, c.Code, m.Bytes)
		m.instances[c] = in
	}
	clear(m.Words(c.Form.FrameCounter(0))[:len(c.Groups)])
	in.Run(m.Params[:2+len(c.Form.Streams)])
}

// Codes is how many codes have run in this memory.
func (m *Memory) Codes() int { return len(m.instances) }
