package gram

// Window is a part of an [Exploration]: the states From to To, and what is seen in them.
type Window struct {
	From     uint64          `json:"from"`
	To       uint64          `json:"to"`
	Counts   []uint64        `json:"counts"` // steps by rule before state From, in the order of [ExplorationInfo.Rules]
	Steps    []WindowStep    `json:"steps"`  // the steps From+1 to To
	Nodes    []WindowNode    `json:"nodes"`
	Arrivals []WindowArrival `json:"arrivals"`
}

// WindowStep is a step.
type WindowStep struct {
	Rule     int    `json:"rule"`   // its number in [ExplorationInfo.Rules]
	Phase    string `json:"phase"`  // primal or backward
	Line     int    `json:"line"`   // 0: it has no place in the source
	Column   int    `json:"column"` // in runes, from 1 on
	Node     int    `json:"node"`   // the object that it makes, opens or fires; −1: none that is shown
	Operands []int  `json:"operands,omitempty"`
	Event    uint64 `json:"event"` // the first of the steps that the machine makes at once
	Live     uint64 `json:"live"`  // nodes in memory after it
	// Left are the objects that are not shown behind it; −1: it isn't known how many, for
	// only the neighbourhood of the redex is.
	Left int `json:"left"`
}

// WindowArrival is an argument that goes from one dual to another in the backward phase.
type WindowArrival struct {
	Step  uint64 `json:"step"` // the state from which on it has arrived
	From  int    `json:"from"` // −1: the seed
	To    int    `json:"to"`
	Value string `json:"value"`
}

// WindowNode is an object. Its ID is the same in all windows of a run.
type WindowNode struct {
	ID       int             `json:"id"`
	Versions []WindowVersion `json:"versions"` // in order; no two at once
}

// WindowVersion is how an object is in the states From to Until−1.
type WindowVersion struct {
	From    uint64       `json:"from"`
	Until   uint64       `json:"until"`
	Kind    string       `json:"kind"`            // as [graph.Kind] names it
	Role    string       `json:"role"`            // primal, dual, or waiting
	Label   string       `json:"label"`           // a name of the source, a symbol, or the kind
	Value   string       `json:"value,omitempty"` // of a number; of a dual the sum of what has arrived
	Text    string       `json:"text"`            // all that is known
	Line    int          `json:"line,omitempty"`  // the place in the source that it is from
	Column  int          `json:"column,omitempty"`
	Root    bool         `json:"root,omitempty"`    // it is the result
	Arrived int          `json:"arrived,omitempty"` // arguments that have arrived at a dual
	Due     int          `json:"due,omitempty"`     // and all that will
	Fired   bool         `json:"fired,omitempty"`   // the dual's body has run
	Edges   []WindowEdge `json:"edges,omitempty"`
}

// WindowEdge is a reference of an object to another.
type WindowEdge struct {
	To int `json:"to"`
	// As is "holds" for a component or a captured variable, "head" for a dual that a dual
	// calls, "factor" for a number that it multiplies with, "waits" for an operand of a
	// redex, and "from" for what a number was computed from and doesn't refer to any more.
	As string `json:"as"`
}
