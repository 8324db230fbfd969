package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gram-machine/gram/bench"
)

// Row is one measurement as it is kept.
type Row struct {
	Claim  int    `json:"claim"`
	Series string `json:"series"`
	bench.Measurement
	Computer *Computer `json:"computer,omitempty"` // where a time was taken
	// Run is when the run began that compared it with its peers; "" of a claim's rows.
	Run string `json:"run,omitempty"`
	// Build is the program that measured it.
	Build string `json:"build"`
}

// key identifies a row.
type key struct {
	claim  int
	series string
	size   int
}

func (r *Row) key() key { return key{r.Claim, r.Series, r.Size} }

func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(a.Claim, b.Claim), cmp.Compare(a.Series, b.Series), cmp.Compare(a.Size, b.Size))
}

// check reports numbers that are not finite.
func (r *Row) check() error {
	numbers := map[string]float64{"x": r.X, "y": r.Y, "the interval's low end": r.Low, "the interval's high end": r.High}
	maps.Copy(numbers, r.More)
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		if v := numbers[name]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v", name, v)
		}
	}
	return nil
}

// Build names the program that is running: its version, the release of Go, and the
// beginning of a hash of the executable.
func Build(version string) (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %s", version, runtime.Version(), hex.EncodeToString(h.Sum(nil))[:16]), nil
}

// Computer is where times were taken.
type Computer struct {
	System    string `json:"system"`    // GOOS/GOARCH
	Cores     int    `json:"cores"`     // logical ones that the process may use
	Processor string `json:"processor"` // its model; "" if unknown
	Go        string `json:"go"`
}

// ThisComputer describes the computer that the process runs on.
func ThisComputer() Computer {
	c := Computer{System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), Go: runtime.Version()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		c.Processor = processor(string(text))
	}
	return c
}

// processor is the model in the text of Linux's /proc/cpuinfo.
func processor(text string) string {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}

func (c Computer) String() string {
	cores := "1 core"
	if c.Cores != 1 {
		cores = fmt.Sprintf("%d cores", c.Cores)
	}
	if c.Processor != "" {
		cores += " of " + c.Processor
	}
	return fmt.Sprintf("%s, %s, %s", cores, c.System, c.Go)
}
