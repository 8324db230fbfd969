package benchmark

import (
	"slices"
	"strings"

	"github.com/gram-machine/gram/bench/peers"
	"github.com/gram-machine/gram/cmd/internal/command"
)

// tasks returns the tasks of the comparison that are measured: all, together with all claims or with --peers; otherwise
// none.
func (f *benchFlags) tasks(all []peers.Task) []peers.Task {
	if f.family != "" || len(f.claims) > 0 || f.counts {
		return nil
	}
	return all
}

// comparing returns the peers to compare.
func (f *benchFlags) comparing() []peers.Peer {
	return slices.DeleteFunc(peers.All(), func(p peers.Peer) bool { return !f.peers && !p.Always })
}

// whole returns the command that repeats a measurement that is not of one claim.
func (f *benchFlags) whole(args ...string) string {
	if f.quick {
		args = append(args, "--quick")
	}
	return strings.Join(append([]string{"gram", "bench"}, append(args, "--out", command.Quote(f.out))...), " ")
}
