package command

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/gram-machine/gram/kernel"
)

// releaseVersion is the version of this source.
const releaseVersion = "v0.1.0"

// unknown stands for what a build is not stamped with.
const unknown = "unknown"

// Build describes a build.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified *bool  `json:"modified"` // nil: it is not known
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Kernel   string `json:"kernel"` // the form of the kernels on this processor
}

var (
	release = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)
	pseudo  = regexp.MustCompile(`[0-9]{14}-[0-9a-f]{12}`)
)

// BuildInfo describes this build.
var BuildInfo = sync.OnceValue(func() Build {
	info, _ := debug.ReadBuildInfo()
	return describe(info)
})

// describe reads the stamps of a build. The version of the module is used if it is that of a release.
func describe(info *debug.BuildInfo) Build {
	b := Build{
		Version: releaseVersion, Commit: unknown, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernel: kernel.Form(),
	}
	if info == nil {
		return b
	}
	if v := info.Main.Version; release.MatchString(v) && !pseudo.MatchString(v) {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = new(s.Value == "true")
		}
	}
	return b
}

// PrintVersion prints what this build is.
func PrintVersion(out *bytes.Buffer) {
	b, modified := BuildInfo(), unknown
	if b.Modified != nil {
		modified = strconv.FormatBool(*b.Modified)
	}
	fmt.Fprintf(out, "gram %s\ncommit    %s\nmodified  %s\ngo        %s\nplatform  %s\nkernel    %s\n",
		b.Version, b.Commit, modified, b.Go, b.Platform, b.Kernel)
}
