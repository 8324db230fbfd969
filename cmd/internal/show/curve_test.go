package show

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCurve(t *testing.T) {
	a, b := Box{20, 10, 40, 20}, Box{120, 60.06, 40, 20}
	require.Equal(t, "M40 10C70 10 70 60.1 100 60.1", Curve(a, b))
	require.Equal(t, "M40 10C56 10 54 0 70 0L80 0C96 0 84 60.1 100 60.1", Curve(a, b, Point{70, 0}, Point{80, 0}))
	// Back: it leaves and arrives in the direction of the layers all the same.
	require.Equal(t, "M140 0C210 0 -70 0 0 0", Curve(Box{120, 0, 40, 20}, Box{20, 0, 40, 20}))
}
