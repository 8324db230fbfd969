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
// and one for each time that was taken. The names are Claim_10/series/size=1000, and Peers/w2/n=100/k=16/C_by_hand.
func Benchmarks(r *measure.Report) ([]byte, error) {
	var results []benchfmt.Record
	exact := map[string]bool{}
	config := config(r)
	add := func(counted bool, name string, values ...benchfmt.Value) {
		results = append(results, &benchfmt.Result{Config: config, Name: benchfmt.Name(name), Iters: 1, Values: values})
		for _, v := range values {
			exact[v.Unit] = exact[v.Unit] || counted
		}
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		for _, f := range o.Findings {
			for _, m := range f.Points {
				name := fmt.Sprintf("%s/%s/size=%d", word(capital(o.Claim.Name())), word(f.Name), m.Size)
				for _, y := range m.Samples {
					add(false, name, benchfmt.Value{Value: y, Unit: unit(f.Y)})
				}
				if !f.Timed {
					add(true, name, counts(f.Series, &m)...)
				}
			}
		}
	}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		task := fmt.Sprintf("Peers/%s/n=%d/", c.Workload, c.N)
		if c.K > 0 {
			task += fmt.Sprintf("k=%d/", c.K)
		}
		for _, e := range c.Entries {
			for _, ns := range e.Samples {
				values := []benchfmt.Value{{Value: ns / c.Primitives, Unit: "ns/primitive"}}
				if e.Bytes > 0 {
					values = append(values, benchfmt.Value{Value: e.Bytes, Unit: "B/primitive"})
				}
				add(false, task+word(e.Name), values...)
			}
			if e.Steps > 0 {
				add(true, task+word(e.Name), benchfmt.Value{Value: e.Steps, Unit: "steps"})
			}
		}
	}
	maps.DeleteFunc(exact, func(_ string, is bool) bool { return !is })
	var out bytes.Buffer
	w := benchfmt.NewWriter(&out)
	for _, unit := range slices.Sorted(maps.Keys(exact)) {
		key := benchfmt.UnitMetadataKey{Unit: unit, Key: "assume"}
		if err := w.Write(&benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: unit, Value: "exact"}); err != nil {
			return nil, err
		}
	}
	for _, record := range results {
		if err := w.Write(record); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

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

// counts are the values of a measurement: y first, and then x and the others by their names.
func counts(s *bench.Series, m *bench.Measurement) []benchfmt.Value {
	values := []benchfmt.Value{{Value: m.Y, Unit: unit(s.Y)}}
	seen := map[string]bool{unit(s.Y): true}
	more := map[string]float64{}
	maps.Copy(more, m.More)
	more[s.X] = m.X
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if u := unit(name); !seen[u] {
			seen[u] = true
			values = append(values, benchfmt.Value{Value: more[name], Unit: u})
		}
	}
	return values
}

// unit is the unit of a quantity: what is in parentheses at its end, or its name as one word.
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
