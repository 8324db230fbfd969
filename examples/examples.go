// Package examples holds the programs of the workloads W1–W5 for packages that measure them. The other
// programs of the folder are for people and tests, and are read from it.
package examples

import _ "embed"

// The workloads, as they stand in the folder.
var (
	//go:embed w1.gram
	W1 []byte // the scalar recurrent network; its param is n
	//go:embed w2.gram
	W2 []byte // the network with vectors of k; its params are n and k
	//go:embed w3.gram
	W3 []byte // the chain z ← sin(z·z) + z
	//go:embed w4.gram
	W4 []byte // the polynomial y ← w·y + x
	//go:embed w5.gram
	W5 []byte // an LSTM of k units; its params are n and k
)
