package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/fault"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/kernel"
)

// releaseVersion is the version of this source.
const releaseVersion = "v0.1.0"

// unknown is the value of what a build is not stamped with.
const unknown = "unknown"

// build describes a build.
type build struct {
	Version  string
	Commit   string
	Modified string // "true", "false" or "unknown"
	Go       string
	Platform string
	Kernel   string // the form of the kernels on this processor
}

var (
	release = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)
	pseudo  = regexp.MustCompile(`[0-9]{14}-[0-9a-f]{12}`)
)

var buildInfo = sync.OnceValue(func() build {
	info, _ := debug.ReadBuildInfo()
	return describe(info)
})

// describe reads the stamps of a build. The version of the module is used if it is that
// of a release.
func describe(info *debug.BuildInfo) build {
	b := build{
		Version: releaseVersion, Commit: unknown, Modified: unknown, Go: runtime.Version(),
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
			b.Modified = s.Value
		}
	}
	return b
}

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print what this build is",
		Long: `Version prints the version, the commit and whether the tree was modified, the Go
version, the platform, and the form of the kernels that the processor gets: go, avx2 or
avx512. What the build was not stamped with is unknown; in JSON,
an unknown "modified" is null.`,
		Example: "  gram version\n  gram version --json\n  gram --version",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fault.Usagef("gram version takes no arguments")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.accepted = true
			if asJSON {
				printVersionJSON(&a.out)
			} else {
				printVersion(&a.out)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printVersion(out *bytes.Buffer) {
	b := buildInfo()
	fmt.Fprintf(out, "gram %s\ncommit    %s\nmodified  %s\ngo        %s\nplatform  %s\nkernel    %s\n",
		b.Version, b.Commit, b.Modified, b.Go, b.Platform, b.Kernel)
}

func printVersionJSON(out *bytes.Buffer) {
	b := buildInfo()
	o := result.Begin(out, "")
	o.Field("version", b.Version)
	o.Field("commit", b.Commit)
	switch b.Modified {
	case unknown:
		o.Field("modified", nil)
	default:
		o.Field("modified", b.Modified == "true")
	}
	o.Field("go", b.Go)
	o.Field("platform", b.Platform)
	o.Field("kernel", b.Kernel)
	o.End()
	out.WriteByte('\n')
}
