// Package peers compares the machine with others on the workloads W1–W5: what value and gradient take in
// nanoseconds and bytes for each primitive of the forward computation.
//
// A [Peer] is what takes part: the machine itself in its forms, the same by hand in Go, with gonum and
// without, and a plain tape, which run in this process; and programs of other languages, which are processes of their
// own: C by hand, with OpenBLAS and without, ADOL-C, CoDiPack, PyTorch and Maude. Their sources are in programs, and
// README.md tells what each needs. [Peer.Find] looks for that, and compiles; a peer that isn't there is an error with
// what to install, for people, and no reason to stop.
//
// [Task.Contest] lets peers run turn by turn, in rounds, after it has held their values and gradients against the
// machine's. A time is the mean of runs for ten milliseconds, or of one run that takes longer, in all languages alike.
// Package measure keeps the times.
package peers
