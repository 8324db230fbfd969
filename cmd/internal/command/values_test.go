package command

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "1000": 1000, "1e6": 1e6, "1.5e3": 1500, "12.0": 12, "18446744073709551615": 1<<64 - 1, "9007199254740993": 1<<53 + 1,
	} {
		var c Count
		require.NoError(t, c.Set(text), text)
		require.Equal(t, want, c.N, text)
	}
	for _, text := range []string{"", "-1", "1.5", "0x10", "1_000", "NaN", "Inf", "ten", "18446744073709551616", "1e99", "1e999"} {
		require.Error(t, new(Count).Set(text), text)
	}
	require.EqualError(t, (&Count{Least: 1}).Set("0"), "this must be at least 1")
	require.EqualError(t, (&Count{Most: 10}).Set("11"), "this must be at most 10")
}

func TestDuration(t *testing.T) {
	var d Duration
	require.NoError(t, d.Set("1m30s"))
	require.Equal(t, 90*time.Second, time.Duration(d))
	for _, text := range []string{"", "10", "-1s", "0s", "soon"} {
		require.Error(t, d.Set(text), text)
	}
}
