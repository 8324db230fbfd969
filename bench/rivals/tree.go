package rivals

// tree is a map from identifiers, balanced as by Adelson-Velsky and Landis. It counts each node that an operation
// touches.
type tree struct {
	root    *branch
	touched *uint64
}

type branch struct {
	key         ident
	called      called
	left, right *branch
	height      int
}

// at returns the entry of a key, a new one if there is none.
func (t *tree) at(key ident) *called {
	var out *called
	var insert func(b *branch) *branch
	insert = func(b *branch) *branch {
		*t.touched++
		switch {
		case b == nil:
			b = &branch{key: key, height: 1}
			out = &b.called
			return b
		case key < b.key:
			b.left = insert(b.left)
		case key > b.key:
			b.right = insert(b.right)
		default:
			out = &b.called
			return b
		}
		return t.balance(b)
	}
	t.root = insert(t.root)
	return out
}

// takeMax removes the entry with the largest key; ok is false if there is none.
func (t *tree) takeMax() (key ident, c called, ok bool) {
	if t.root == nil {
		return 0, called{}, false
	}
	var remove func(b *branch) *branch
	remove = func(b *branch) *branch {
		*t.touched++
		if b.right == nil {
			key, c = b.key, b.called
			return b.left
		}
		b.right = remove(b.right)
		return t.balance(b)
	}
	t.root = remove(t.root)
	return key, c, true
}

func (b *branch) tall() int {
	if b == nil {
		return 0
	}
	return b.height
}

func (b *branch) measure() { b.height = 1 + max(b.left.tall(), b.right.tall()) }

// balance rotates where one side is taller by two.
func (t *tree) balance(b *branch) *branch {
	switch b.measure(); b.left.tall() - b.right.tall() {
	case 2:
		if b.left.left.tall() < b.left.right.tall() {
			b.left = t.rotateLeft(b.left)
		}
		return t.rotateRight(b)
	case -2:
		if b.right.right.tall() < b.right.left.tall() {
			b.right = t.rotateRight(b.right)
		}
		return t.rotateLeft(b)
	}
	return b
}

func (t *tree) rotateLeft(b *branch) *branch {
	*t.touched++
	r := b.right
	b.right, r.left = r.left, b
	b.measure()
	r.measure()
	return r
}

func (t *tree) rotateRight(b *branch) *branch {
	*t.touched++
	l := b.left
	b.left, l.right = l.right, b
	b.measure()
	l.measure()
	return l
}
