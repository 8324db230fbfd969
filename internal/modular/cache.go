package modular

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/ristretto/v2"
)

// Cache keeps the normal forms of the closed λs of programs, by what these are up to α, whatever program they stand in and wherever.
// Programs that are loaded with the same cache, one after the other or at once, each find
// what another has made: of an edited program only the functions that were changed are
// transformed and normalised again. Results, counts and messages don't depend on it.
//
// A nil *Cache keeps nothing. All methods may be called by several goroutines at once.
type Cache struct {
	max    uint64
	hits   atomic.Uint64
	misses atomic.Uint64

	mu     sync.RWMutex // held for writing by Close
	kept   *ristretto.Cache[string, *keptForm]
	closed bool
}

// keptForm is a normal form with the whole of its key: the cache compares 128 bits.
type keptForm struct {
	key  key
	form *normalForm
}

// DefaultSize is the bound on a cache that [NewCache] takes for 0, in bytes.
const DefaultSize = 64 << 20

// MaxSize is the largest bound on a cache, in bytes.
const MaxSize = 1 << 50

// bytesPerCounter is how many bytes of a cache there are for each counter of how often a
// key was asked for: a small normal form has some thousands, and ten counters are advised.
const bytesPerCounter = 512

// NewCache returns a cache that holds at most so many bytes of normal forms; 0 stands for
// [DefaultSize]. One that would take more than all of them is not kept, and if there
// is no room, those go that are asked for least. What it holds is memory of the process,
// which a [limits.Meter] bounds. Close it to end its goroutines.
func NewCache(bytes uint64) (*Cache, error) {
	if bytes == 0 {
		bytes = DefaultSize
	}
	if bytes > MaxSize {
		return nil, fmt.Errorf("gram: a cache of %d bytes is larger than %d", bytes, uint64(MaxSize))
	}
	kept, err := ristretto.NewCache(&ristretto.Config[string, *keptForm]{
		NumCounters:        int64(min(max(bytes/bytesPerCounter, 1<<7), 1<<20)),
		MaxCost:            int64(bytes),
		BufferItems:        64,
		Metrics:            true,
		IgnoreInternalCost: true,
	})
	if err != nil {
		return nil, fmt.Errorf("gram: making a cache: %w", err)
	}
	return &Cache{max: bytes, kept: kept}, nil
}

// Close drops what the cache holds. After it, the cache keeps nothing.
func (c *Cache) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.kept.Close()
	}
}

// get returns the normal form of the key, or nil.
func (c *Cache) get(k key) *normalForm {
	if c == nil {
		return nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.closed {
		if kept, ok := c.kept.Get(string(k[:])); ok && kept.key == k {
			c.hits.Add(1)
			return kept.form
		}
	}
	c.misses.Add(1)
	return nil
}

// put keeps a normal form, if there is room. It waits until that is decided, which takes
// microseconds where the form has taken milliseconds: so the next get finds it.
func (c *Cache) put(k key, n *normalForm) {
	if c == nil {
		return
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.closed {
		c.kept.Set(string(k[:]), &keptForm{k, n}, n.bytes())
		c.kept.Wait()
	}
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
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := Stats{MaxBytes: c.max, Hits: c.hits.Load(), Misses: c.misses.Load()}
	if !c.closed {
		m := c.kept.Metrics
		s.Bytes, s.Evictions = m.CostAdded()-m.CostEvicted(), m.KeysEvicted()
	}
	return s
}

// Reuse says which closed λs of a program were found in a cache. Without
// one, all are misses.
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
