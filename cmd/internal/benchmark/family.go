package benchmark

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
)

// chosen returns the claims that the flags select: those of the paper, that of a family, or none.
func (a *app) chosen(ctx context.Context, f *benchFlags) ([]bench.Claim, error) {
	if f.peers {
		return nil, nil
	}
	if f.family != "" {
		c, err := a.familyClaim(ctx, f)
		if err != nil {
			return nil, err
		}
		return []bench.Claim{*c}, nil
	}
	all := bench.Claims()
	if len(f.claims) == 0 {
		return all, nil
	}
	wanted := map[int]bool{}
	for _, text := range f.claims {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return nil, command.Usagef("--claim %q: this is not the number of a claim, like 9", text)
		}
		if !slices.ContainsFunc(all, func(c bench.Claim) bool { return c.Number == n }) {
			return nil, command.Usagef("there is no claim %d; the claims are\n%s", n, listed(all))
		}
		wanted[n] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(c bench.Claim) bool { return !wanted[c.Number] }), nil
}

// listed lists claims, one a line.
func listed(claims []bench.Claim) string {
	line := func(i int) string { return fmt.Sprintf("  %2d  %s", claims[i].Number, claims[i].Title) }
	return strings.Join(syntax.Each(len(claims), line), "\n")
}

// familyClaim reads the program of --family and makes a claim of it. An error of the program is not a usage error.
func (a *app) familyClaim(ctx context.Context, f *benchFlags) (*bench.Claim, error) {
	s := bench.Source{Law: f.law.Is}
	for _, text := range f.params {
		name, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || name == "":
			return nil, command.Usagef("--param %q: name=value is expected, like n=1e2..1e6", text)
		case !strings.Contains(value, "..") && !strings.Contains(value, ","):
			s.Load.Params = append(s.Load.Params, text)
			continue
		case s.Param != "":
			return nil, command.Usagef("--param %s and --param %s: only one param may grow", s.Param, name)
		}
		sizes, err := parseSizes(value)
		if err != nil {
			return nil, command.Usagef("--param %s: %v", text, err)
		}
		s.Param, s.Sizes = name, sizes
	}
	if s.Param == "" {
		return nil, command.Usagef("--family takes the param that grows, with its sizes: --param n=1e2..1e6")
	}
	a.Accepted = true
	name, dir := command.ProgramName(f.family)
	src, err := a.ReadProgram(ctx, f.family, limits.New(ctx, 0))
	if err != nil {
		return nil, err
	}
	s.Name, s.Text = name, src
	s.Load.Sets, s.Load.Dir = f.sets, dir
	s.Load.Open = func(path string) (fs.File, error) { return command.Open(ctx, path) }
	return s.Claim(ctx)
}

// parseSizes reads the sizes of a param: a list, or a range a..b, which stands for its ends
// and for 1, 2 and 5 times the powers of ten between them.
func parseSizes(text string) ([]int, error) {
	parts := strings.Split(text, ",")
	from, to, isRange := strings.Cut(text, "..")
	if isRange {
		parts = []string{from, to}
	}
	var sizes []int
	for _, part := range parts {
		c := command.Count{Most: 1 << 40}
		if err := c.Set(strings.TrimSpace(part)); err != nil {
			return nil, fmt.Errorf("%q: %w", part, err)
		}
		sizes = append(sizes, int(c.N))
	}
	if !isRange {
		slices.Sort(sizes)
		return slices.Compact(sizes), nil
	}
	a, b := sizes[0], sizes[1]
	if a > b {
		return nil, fmt.Errorf("the range is empty: %d is more than %d", a, b)
	}
	return slices.Compact(slices.Concat([]int{a}, bench.Sizes(a, b), []int{b})), nil
}
