package graph

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/limits"
)

// slab is how many bytes an arena grows by.
const slab = 4 << 20

// full says that an arena cannot have more bytes, for that is how many it may hold, or because of the system.
func full(bytes uint64, cause error) error {
	if cause != nil {
		return fmt.Errorf("the arena cannot grow beyond %d bytes: %w", bytes, cause)
	}
	return fmt.Errorf("the arena is full at %d bytes", bytes)
}

// memory is a range of addresses, of which more and more may be used. Elsewhere than on Linux it is a Go slice of at
// most 1 GiB, 256 MiB where an int has 32 bits, whose memory the system gives when it is touched.
type memory struct {
	bytes   []byte
	used    uint64 // below which the bytes may be touched
	mapped  bool   // it is outside the Go heap: what is used is booked with the meters
	commit  func(part []byte) error
	release func() error
}

// newMemory reserves as many bytes, in whole slabs, of which the first may be used.
func newMemory(most uint64) (*memory, error) {
	const all = min((maxRef+1)*compile.NodeBytes, math.MaxInt/slab*slab)
	m := &memory{}
	if err := m.reserve(min((max(1, min(most, all))+slab-1)/slab*slab, all)); err != nil {
		return nil, err
	}
	if err := m.grow(1); err != nil {
		_ = m.close()
		return nil, err
	}
	return m, nil
}

// grow makes the first n bytes usable.
func (m *memory) grow(n uint64) error {
	to := (n + slab - 1) / slab * slab
	switch {
	case to <= m.used:
		return nil
	case to > uint64(len(m.bytes)):
		return full(uint64(len(m.bytes)), nil)
	}
	if err := m.commit(m.bytes[m.used:to]); err != nil {
		return full(m.used, err)
	}
	m.book(int64(to - m.used))
	m.used = to
	return nil
}

func (m *memory) book(bytes int64) {
	if m.mapped {
		limits.Outside(bytes)
	}
}

// close returns the memory to the system.
func (m *memory) close() error {
	if m.bytes == nil {
		return nil
	}
	m.book(-int64(m.used))
	m.bytes, m.used = nil, 0
	return m.release()
}
