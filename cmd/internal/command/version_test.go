package command

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescribe(t *testing.T) {
	require.Equal(t, "unknown", describe(nil).Commit)
	for module, want := range map[string]string{
		"":                                   releaseVersion,
		"(devel)":                            releaseVersion,
		"v0.3.0":                             "v0.3.0",
		"v1.0.0-rc.1":                        "v1.0.0-rc.1",
		"v0.3.0+dirty":                       releaseVersion,
		"v0.0.0-20250101000000-0123456789ab": releaseVersion,
	} {
		b := describe(&debug.BuildInfo{Main: debug.Module{Version: module}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.modified", Value: "true"},
		}})
		require.Equal(t, want, b.Version, module)
		require.Equal(t, "0123abc", b.Commit)
		require.True(t, *b.Modified)
	}
}
