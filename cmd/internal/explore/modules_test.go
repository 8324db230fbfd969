//go:build browser

package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testModules tests what of the page needs no page.
func testModules(t *testing.T, browser context.Context) {
	p := exploreSource(t, browser, figure1)
	p.open("")
	for _, c := range []struct{ module, expression, want string }{
		{"link", `read(write({step: 7, of: "value", source: "-- ε → 😀\n+/="}))`, `{"step":7,"of":"value","source":"-- ε → 😀\n+/=","edited":false,"given":true}`},
		{"link", `read(write({step: 7, of: "value", source: "x".repeat(9000)}))`, `{"step":7,"of":"value","source":null,"edited":true,"given":true}`},
		{"link", `read("#step=-1&of=all&src=%%")`, `{"step":0,"of":"","source":null,"edited":false,"given":false}`},
		{"tokens", `tokens("let ε' = 1.5e-3*x").map((t) => [t.column, t.text]).filter(([, t]) => t.trim())`,
			`[[1,"let"],[5,"ε'"],[8,"="],[10,"1.5e-3"],[16,"*"],[17,"x"]]`},
		{"tokens", `tokens("x --1").map((t) => t.kind)`, `["","space","comment"]`},
		{"tokens", `[0, 1, 2, 3, 6, 9].map((c) => tokenAt(tokens("a = bc"), c))`, `[-1,0,-1,2,4,-1]`},
		{"state", `[0, 1, 2, 3, 4, 5].map((k) => versionAt({versions: [{from: 1, until: 2, a: 1}, {from: 2, until: 3, a: 2}, {from: 4, until: 5, a: 4}]}, k)?.a ?? 0)`,
			`[0,1,2,0,4,0]`},
		{"state", `countsAt({from: 10, to: 13, counts: [4, 6], steps: [{rule: 0}, {rule: 1}, {rule: 1}]}, 12)`, `[5,7]`},
		{"state", `[0, 2, 4, 6].map((k) => nodeNear({from: 0, to: 6, steps: [-1, 7, -1, 9, 8, -1].map((node) => ({node}))}, k, (id) => id < 9))`,
			`[7,7,8,8]`},
		{"state", `nodeNear({from: 0, to: 2, steps: [{node: -1}, {node: 3}]}, 1, () => false)`, `-1`},
		{"state", `[0, 4, 7, 12].map((k) => phaseTotals([{from: 1, phase: "primal"}, {from: 5, phase: "backward"}, {from: 9, phase: "primal"}], k))`,
			`[{"primal":0,"backward":0},{"primal":4,"backward":0},{"primal":4,"backward":3},{"primal":8,"backward":4}]`},
		{"shapes", `cut("abcdefgh", 37)`, `"abcd…"`},
		{"shapes", `box(Array.from({length: 300000}, (_, i) => [i, -i]))`, `{"x1":0,"y1":-299999,"x2":299999,"y2":0}`},
		{"shapes", `curves([[0, 0], [10, 0], [20, 5], [60, 5]])`, `[[[0,0],[16,0],[-6,0],[10,0]],[[20,5],[40,5],[40,5],[60,5]]]`},
		{"computation", `[0, 1, 3, 9].map((k) => upto([1, 3, 3, 7], k))`, `[0,1,3,4]`},
	} {
		got := p.text(fmt.Sprintf(`import("/assets/%s.js").then((m) => {
			const {%s} = m;
			return JSON.stringify(%s);
		})`, c.module, strings.Join(functions[c.module], ", "), c.expression))
		require.Equal(t, c.want, got, c.expression)
	}
}

// functions are those of the modules that are tested on their own.
var functions = map[string][]string{
	"link": {"read", "write"}, "tokens": {"tokens", "tokenAt"}, "state": {"versionAt", "countsAt", "nodeNear", "phaseTotals"},
	"shapes": {"cut", "curves", "box"}, "computation": {"upto"},
}
