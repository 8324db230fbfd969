package graph

import (
	"encoding/binary"
	"sync"
)

// special are the blocks with paths, which are made while a program runs.
type special struct {
	build  func(template uint32, args int, closures []uint32, paths int) *Block
	mu     sync.Mutex
	of     map[string]loopBlock // by their templates
	blocks []*Block
}

// loopBlock is a block, or nil if one has more than so many paths.
type loopBlock struct {
	block *Block
	paths int
}

// Specialized lets [Program.LoopBlock] make blocks with paths, of at most so many paths. build returns nil where there is none.
func (p *Program) Specialized(build func(template uint32, args int, closures []uint32, paths int) *Block) {
	p.special = &special{build: build, of: map[string]loopBlock{}}
}

// MaxPaths is how many paths a block has at most.
const MaxPaths = 64

// LoopBlock returns the block with paths of a λ that an iteration applies to args arguments, nil if there is none, or if it has more
// than so many paths. A λ that takes one argument more is one of a chain: it applies the last of the args arguments to its result.
// Its block has the others as parameters. closures are the templates of the closures that the λ captures, and of those that these
// capture, in preorder. It is safe for concurrent use.
func (p *Program) LoopBlock(template uint32, args int, closures []uint32, paths int) *Block {
	if p.special == nil {
		return nil
	}
	key := binary.AppendUvarint([]byte{byte(args)}, uint64(template))
	for _, id := range closures {
		key = binary.AppendUvarint(key, uint64(id))
	}
	s := p.special
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.of[string(key)]
	if l.block == nil && l.paths < paths {
		l = loopBlock{s.build(template, args, closures, paths), paths}
		if b := l.block; b != nil {
			l.paths = max(1, len(b.Paths))
			b.ID = uint32(len(p.Blocks) + len(s.blocks))
			s.blocks = append(s.blocks, b)
		}
		s.of[string(key)] = l
	}
	if l.paths > paths {
		return nil
	}
	return l.block
}

// Block returns the block of the number.
func (p *Program) Block(id uint32) *Block {
	if int(id) < len(p.Blocks) {
		return p.Blocks[id]
	}
	p.special.mu.Lock()
	defer p.special.mu.Unlock()
	return p.special.blocks[int(id)-len(p.Blocks)]
}
