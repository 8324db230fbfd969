package page

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/measure"
)

// Benchmarks is the report in the Go benchmark format: a line for each count, marked as exact,
// and one for each time that was taken. The names are Claim_10/series/size=1000, and Peers/w1/n=1000/gram_direct.
func Benchmarks(r *measure.Report) ([]byte, error) {
	var out bytes.Buffer
	w := benchfmt.NewWriter(&out)
	for _, unit := range exactUnits(r) {
		record := &benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "assume"}, OrigUnit: unit, Value: "exact"}
		if err := w.Write(record); err != nil {
			return nil, err
		}
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		for _, f := range o.Findings {
			for _, m := range f.Points {
				for _, values := range measured(f.Series, &m) {
					name := fmt.Sprintf("%s/%s/size=%d", word(capital(o.Claim.Name())), word(f.Series.Name), m.Size)
					record := &benchfmt.Result{Config: config(r), Name: benchfmt.Name(name), Iters: 1, Values: values}
					if err := w.Write(record); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	for i := range r.Comparisons {
		if err := benchmarkPeers(w, r, &r.Comparisons[i]); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// benchmarkPeers writes a line for each time of each peer, with the bytes, and one with its steps. The
// names are Peers/w2/n=100/k=16/C_by_hand.
func benchmarkPeers(w *benchfmt.Writer, r *measure.Report, c *measure.Comparison) error {
	task := fmt.Sprintf("Peers/%s/n=%d", c.Task.Workload, c.Task.N)
	if c.Task.K > 0 {
		task += fmt.Sprintf("/k=%d", c.Task.K)
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		var lines [][]benchfmt.Value
		for _, ns := range e.Row.Samples {
			values := []benchfmt.Value{{Value: ns / e.Row.X, Unit: "ns/primitive"}}
			if e.Bytes > 0 {
				values = append(values, benchfmt.Value{Value: e.Bytes, Unit: "B/primitive"})
			}
			lines = append(lines, values)
		}
		if e.Steps > 0 {
			lines = append(lines, []benchfmt.Value{{Value: e.Steps, Unit: stepsUnit}})
		}
		for _, values := range lines {
			record := &benchfmt.Result{Config: config(r), Name: benchfmt.Name(task + "/" + word(e.Peer.Name)), Iters: 1, Values: values}
			if err := w.Write(record); err != nil {
				return err
			}
		}
	}
	return nil
}

// stepsUnit is the unit of steps, which are exact.
const stepsUnit = "steps"

// config is what holds for the whole file.
func config(r *measure.Report) []benchfmt.Config {
	var out []benchfmt.Config
	add := func(key, value string) {
		if value != "" {
			out = append(out, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	add("gram", strings.Join(r.Builds, "; "))
	if len(r.Computers) == 1 {
		system, arch, _ := strings.Cut(r.Computers[0].System, "/")
		add("goos", system)
		add("goarch", arch)
		add("cpu", r.Computers[0].Processor)
	}
	return out
}

// measured are the values of a measurement: one list, or for a time one for each sample.
func measured(s *bench.Series, m *bench.Measurement) [][]benchfmt.Value {
	if s.Timed {
		var out [][]benchfmt.Value
		for _, y := range m.Samples {
			out = append(out, []benchfmt.Value{{Value: y, Unit: unit(s.Y)}})
		}
		return out
	}
	values := []benchfmt.Value{{Value: m.Y, Unit: unit(s.Y)}}
	seen := map[string]bool{unit(s.Y): true}
	more := maps.Clone(m.More)
	if more == nil {
		more = map[string]float64{}
	}
	more[s.X] = m.X
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if u := unit(name); !seen[u] {
			seen[u] = true
			values = append(values, benchfmt.Value{Value: more[name], Unit: u})
		}
	}
	return [][]benchfmt.Value{values}
}

// exactUnits are the units of counts.
func exactUnits(r *measure.Report) []string {
	units := map[string]bool{}
	for i := range r.Outcomes {
		for _, f := range r.Outcomes[i].Findings {
			for _, m := range f.Points {
				if f.Series.Timed {
					continue
				}
				for _, values := range measured(f.Series, &m) {
					for _, v := range values {
						units[v.Unit] = true
					}
				}
			}
		}
	}
	if len(rewriting(r.Comparisons)) > 0 {
		units[stepsUnit] = true
	}
	return slices.Sorted(maps.Keys(units))
}

// unit is the unit of a quantity: what stands in parentheses at its end, or its name as one word.
func unit(quantity string) string {
	if open := strings.LastIndexByte(quantity, '('); open >= 0 && strings.HasSuffix(quantity, ")") && open > 0 {
		return word(quantity[open+1 : len(quantity)-1])
	}
	return word(quantity)
}

// word joins the words of a text.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '/' && strings.ContainsRune(s, ' ') {
			return '_'
		}
		return r
	}, s)
}
