package machine

// Heap is what the arena holds at some moment, to be looked at.
type Heap struct{ nodes []node }

func (m *core[M]) picture() *Heap { return &Heap{m.nodes[:m.top]} }
