package graph

// Object is an object of an arena as people see it.
type Object struct {
	At   Ref
	Kind Kind
	Text string // its kind and what it holds: "closure 3", "inert sin = 0.41 of"
	Refs []Ref  // what it refers to, in order
	Root bool   // it is the result
}
