package page

import (
	"fmt"
	"strings"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
)

// firstScreen is what the page begins with once the comparison is there: the verdicts, the bound, the speed,
// and how to repeat it.
func firstScreen(r *measure.Report, opt Options) (string, error) {
	if len(r.Comparisons) == 0 {
		return "", nil
	}
	var out strings.Builder
	if len(r.Outcomes) > 0 {
		fmt.Fprintf(&out, "\n**Claims.** %s", verdicts(r.Outcomes))
		b, ok, err := bench.TheoremBound(r.Outcomes)
		if err != nil {
			return "", err
		}
		if ok {
			fmt.Fprintf(&out, " Theorem 1, with constants, over %s: steps + overhead ≤ %s·m + %s·|G| + %s.",
				plural(b.Runs, "run"), constant(b.Least[0]), constant(b.Least[1]), constant(b.Least[2]))
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "\n**Speed.** The machine in its default form; [all peers](#peers), [steps a second](#rewriting-speed).\n\n%s", atAGlance(r.Comparisons))
	if opt.Compare != "" {
		fmt.Fprintf(&out, "\n**To repeat it:** `%s` compares with the peers that are installed", opt.Compare)
		if opt.All != "" && len(r.Outcomes) > 0 {
			fmt.Fprintf(&out, ", `%s` measures all of this page", opt.All)
		}
		out.WriteString(".\n")
	}
	return out.String(), nil
}

// verdicts counts the claims by their verdicts: "22 claims: 14 holds, 8 holds after correction, 0 fails".
func verdicts(all []bench.Outcome) string {
	count := map[bench.Verdict]int{}
	for i := range all {
		count[all[i].Verdict]++
	}
	var out []string
	for _, v := range []bench.Verdict{bench.Holds, bench.HoldsCorrected, bench.Fails, bench.Undecided, bench.Missing} {
		if n := count[v]; n > 0 || v == bench.Fails {
			out = append(out, fmt.Sprintf("%d × *%s*", n, v))
		}
	}
	return fmt.Sprintf("The verdicts on %s: %s.", plural(len(all), "claim"), strings.Join(out, ", "))
}
