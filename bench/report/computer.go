package report

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

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
