package reference_test

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// checks is how many cases a property is tested on, unless -rapid.checks says
// otherwise: the environment's REFERENCE_CHECKS, or 300.
func checks() int {
	if n, err := strconv.Atoi(os.Getenv("REFERENCE_CHECKS")); err == nil {
		return n
	}
	return 300
}

// check tests a property.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "rapid.checks" })
	if !set {
		if err := flag.Set("rapid.checks", strconv.Itoa(checks())); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = flag.Set("rapid.checks", "100") }()
	}
	rapid.Check(t, property)
}
