package command

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
)

// The types of values below implement pflag.Value.

// Count is a natural number, like 1000 or 1e6.
type Count struct {
	N           uint64
	Least, Most uint64 // the bounds of N; Most 0: none
	Valid       bool   // N was given, or is the default that the help shows
}

func (c *Count) Type() string { return "count" }

// String returns the value as Set reads it, or "" if there is none.
func (c *Count) String() string {
	if !c.Valid {
		return ""
	}
	return strconv.FormatUint(c.N, 10)
}

func (c *Count) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		x, err := syntax.ParseNumber(text)
		if err != nil || x < 0 || x != math.Trunc(x) {
			return errors.New("this is not a natural number, like 1000 or 1e6")
		}
		if x >= 1<<64 {
			return errors.New("this is too large")
		}
		n = uint64(x)
	}
	if n < c.Least {
		return fmt.Errorf("this must be at least %d", c.Least)
	}
	if c.Most != 0 && n > c.Most {
		return fmt.Errorf("this must be at most %d", c.Most)
	}
	c.N, c.Valid = n, true
	return nil
}

// Size is a number of bytes, like 512M or 2GiB. 0 means none.
type Size uint64

func (s *Size) Type() string { return "size" }

// String returns the value as Set reads it, or "" if there is none.
func (s *Size) String() string {
	if *s == 0 {
		return ""
	}
	return limits.Size(uint64(*s))
}

func (s *Size) Set(text string) error {
	n, err := limits.ParseSize(text)
	*s = Size(n)
	return err
}

// Duration is a duration of more than 0. 0 means none.
type Duration time.Duration

func (d *Duration) Type() string { return "duration" }

// String returns the value as Set reads it, or "" if there is none.
func (d *Duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *Duration) Set(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("this is not a duration with its unit, like 500ms, 10s or 2m")
	}
	if t <= 0 {
		return errors.New("this must be more than zero")
	}
	*d = Duration(t)
	return nil
}

// Choice is one of several values, which have names.
type Choice[T comparable] struct {
	Is    T
	names []string
	of    []T
}

func (c *Choice[T]) Type() string { return "choice" }

// String returns the value as Set reads it, or "" if there is none.
func (c *Choice[T]) String() string {
	if i := slices.Index(c.of, c.Is); i >= 0 {
		return c.names[i]
	}
	return ""
}

func (c *Choice[T]) Set(text string) error {
	i := slices.Index(c.names, text)
	if i < 0 {
		last := len(c.names) - 1
		if last == 1 {
			return fmt.Errorf("this is neither %s nor %s", c.names[0], c.names[1])
		}
		return fmt.Errorf("this is none of %s and %s", strings.Join(c.names[:last], ", "), c.names[last])
	}
	c.Is = c.of[i]
	return nil
}

// Add adds the flag to cmd. The values of have the names, which are separated by spaces.
func (c *Choice[T]) Add(cmd *cobra.Command, name, usage, names string, of ...T) {
	c.names, c.of = strings.Fields(names), of
	cmd.Flags().Var(c, name, usage)
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.names, cobra.ShellCompDirectiveNoFileComp))
}

// Number is a number X with 0 < X < Below. X 0 means none.
type Number struct{ X, Below float64 }

func (p *Number) Type() string { return "number" }

// String returns the value as Set reads it, or "" if there is none.
func (p *Number) String() string {
	if p.X == 0 {
		return ""
	}
	return string(load.AppendNumber(nil, p.X))
}

func (p *Number) Set(text string) error {
	x, err := syntax.ParseNumber(text)
	if err != nil || !(x > 0 && x < p.Below) {
		return fmt.Errorf("this is not a number between 0 and %g", p.Below)
	}
	p.X = x
	return nil
}

// Range is a range of steps, like 10..20 or 10.., ends included. 0 means no bound.
type Range struct{ From, To uint64 }

func (r *Range) Type() string { return "range" }

// String returns the value as Set reads it, or "" if there is none.
func (r *Range) String() string {
	if r.From == 0 && r.To == 0 {
		return ""
	}
	return fmt.Sprintf("%d..%d", r.From, r.To)
}

func (r *Range) Set(text string) error {
	from, to, several := strings.Cut(text, "..")
	if !several {
		to = from
	}
	var a, b Count
	a.Least, b.Least = 1, 1
	if from == "" && to == "" || from != "" && a.Set(from) != nil || to != "" && b.Set(to) != nil {
		return errors.New("this is not a range of steps, like 10..20, 10.., ..20 or 10")
	}
	if b.Valid && b.N < a.N {
		return errors.New("the range ends before it begins")
	}
	r.From, r.To = a.N, b.N
	return nil
}
