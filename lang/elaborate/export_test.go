package elaborate

// Written is how many comprehensions are elaborated for each value of their index.
func (e *Elaborator) Written() int { return len(e.fam.written) }
