package reference_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain sets how many cases a property is tested on, unless -rapid.checks says: the
// environment's REFERENCE_CHECKS, or 300.
func TestMain(m *testing.M) {
	checks := os.Getenv("REFERENCE_CHECKS")
	if checks == "" {
		checks = "300"
	}
	// The command line is read after this, and wins.
	if err := flag.Set("rapid.checks", checks); err != nil {
		fmt.Fprintln(os.Stderr, "REFERENCE_CHECKS:", err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}
