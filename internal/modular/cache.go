package modular

import (
	"container/list"
	"fmt"
	"sync"
)

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
