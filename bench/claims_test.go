package bench_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gram-machine/gram/bench"
)

func TestProbe(t *testing.T) {
	which := os.Getenv("CLAIM")
	var all time.Duration
	for _, c := range bench.Claims() {
		if which != "" && fmt.Sprint(c.Number) != which {
			continue
		}
		start := time.Now()
		fmt.Println("==", c.Number, c.Title)
		for _, s := range c.Series {
			sizes := s.Quick
			if os.Getenv("FULL") != "" {
				sizes = s.Full
			}
			if m := os.Getenv("ONLY"); m != "" && !strings.Contains(s.Name, m) {
				continue
			}
			t0 := time.Now()
			var pts []bench.Point
			var err error
			for _, n := range sizes {
				var p bench.Point
				p, err = s.Measure(context.Background(), n)
				if err != nil {
					t.Errorf("%d %s %d: %v", c.Number, s.Name, n, err)
					break
				}
				pts = append(pts, p)
			}
			if len(pts) < 2 {
				fmt.Println(s.Name, "-", err)
				continue
			}
			a, b := pts[len(pts)/2], pts[len(pts)-1]
			z := pts[0]
			fmt.Printf("  %-45s %-9s %s/%s x=%v y=%v ... x=%v y=%v slope=%.4f aff=%.4f more=%v  %v\n", s.Name, s.Role, s.X, s.Y, z.X, z.Y, b.X, b.Y, math.Log(b.Y/a.Y)/math.Log(b.X/a.X),
				math.Log((b.Y-z.Y)/(a.Y-z.Y))/math.Log((b.X-z.X)/(a.X-z.X)), b.More, time.Since(t0).Round(time.Millisecond))
		}
		fmt.Println("   time", time.Since(start))
		all += time.Since(start)
	}
	fmt.Println("all", all)
}
