package syntax

import (
	"testing"

	"github.com/gram-machine/gram/lang/internal/sample"
)

// BenchmarkParse parses a sum and a list of a million elements.
func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"sum", "list", "arguments"} {
		src := sample.DeepSources(1_000_000)[name]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ds, _ := Parse("b", src, Options{}); len(ds) > 0 {
					b.Fatal(ds)
				}
			}
		})
	}
}
