package result

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func barsOf(values ...float64) *bars {
	return newBars(values, func(int) string { return "x" }, scaleOf(values))
}

func TestBars(t *testing.T) {
	b := barsOf(3, -1, 0, 1e-7)
	require.Empty(t, b.Note)
	left, width, texts := []string{}, []string{}, []string{}
	for _, r := range b.Rows {
		require.Equal(t, "25.00%", r.Zero)
		left, width, texts = append(left, r.Left), append(width, r.Width), append(texts, r.Text)
	}
	require.Equal(t, []string{"25.00%", "0.00%", "25.00%", "25.00%"}, left)
	require.Equal(t, []string{"75.00%", "25.00%", "0.00%", "0.00%"}, width)
	require.Equal(t, []string{"3", "−1", "0", "1e−07"}, texts)
	require.Equal(t, []string{"positive", "negative", "zero"}, []string{b.Rows[0].Class, b.Rows[1].Class, b.Rows[2].Class})

	require.Equal(t, []string{"1.5  ", "−10    ", "2.125"}, align([]string{"1.5", "−10", "2.125"}))
}

// TestNotFinite: an infinity has the longest bar of all, NaN has none; the largest numbers
// don't overflow.
func TestNotFinite(t *testing.T) {
	b := barsOf(math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64)
	require.Equal(t, []string{"0.00%", "54.55%", "54.55%", "9.09%"}, []string{b.Rows[0].Left, b.Rows[1].Left, b.Rows[2].Left, b.Rows[3].Left})
	require.Equal(t, []string{"54.55%", "0.00%", "45.45%", "45.45%"}, []string{b.Rows[0].Width, b.Rows[1].Width, b.Rows[2].Width, b.Rows[3].Width})
	require.True(t, b.Rows[0].Infinite)
	require.Equal(t, "−Inf", b.Rows[0].Text)
	require.Equal(t, "NaN", b.Rows[1].Text)

	b = barsOf(0, 0)
	require.Equal(t, "0.00%", b.Rows[0].Width)
	b = barsOf(math.NaN())
	require.Equal(t, "none", b.Rows[0].Class)

	e := Array{Name: "E", Dims: []int{1, 9}, Values: []float64{math.Inf(1), math.NaN(), 2, -1, 0, 0, 0, 0, 0}}
	h := newHeat(matricesOf(&e, 1), 1, e.Values)
	m := h.Maps[0]
	require.True(t, h.None && h.Infinite)
	var marks, strengths []string
	for _, q := range m.Rows[0].Squares[:5] {
		marks, strengths = append(marks, q.Text), append(strengths, q.Strength)
	}
	require.Equal(t, []string{"•", "×", "", "", ""}, marks)
	require.Equal(t, []string{"100.00%", "100.00%", "100.00%", "50.00%", "0.00%"}, strengths)
	require.Equal(t, "negative", m.Rows[0].Squares[3].Class)
}

// TestCut: the largest are kept, in their order, and NaN before all.
func TestCut(t *testing.T) {
	var values []float64
	for i := range 100 {
		values = append(values, float64(i%50)*float64(1-2*(i%2)))
	}
	values[7] = math.NaN()
	b := barsOf(values...)
	require.Len(t, b.Rows, mostBars)
	require.Equal(t, "NaN", b.Rows[0].Exact)
	require.Equal(t, "34", b.Rows[1].Text)
	require.Equal(t, "−35", b.Rows[2].Text)
	require.Equal(t, "−49", b.Rows[len(b.Rows)-1].Text)
	require.Contains(t, b.Note, "68 smaller ones")
}

// TestScalars: scalars that stand side by side share a figure, and all scalars a scale.
func TestScalars(t *testing.T) {
	fs := gradient([]Array{
		{Name: "a", Values: []float64{1}}, {Name: "b", Values: []float64{2}},
		{Name: "v", Dims: []int{2}, Values: []float64{100, 200}},
		{Name: "c", Values: []float64{4}},
	})
	require.Len(t, fs, 3)
	require.Equal(t, "Scalars", fs[0].Caption)
	require.Equal(t, "c", fs[2].Caption)
	require.Equal(t, "25.00%", fs[0].Bars.Rows[0].Width)
	require.Equal(t, "v.(1)", fs[1].Bars.Rows[1].Name)
	require.Equal(t, "100.00%", fs[1].Bars.Rows[1].Width)
	require.Equal(t, "100.00%", fs[2].Bars.Rows[0].Width)
}

// TestBins: a square of a large matrix shows the component of largest magnitude.
func TestBins(t *testing.T) {
	a := Array{Name: "E", Dims: []int{2, 130}, Values: make([]float64, 260)}
	a.Values[4], a.Values[130+5], a.Values[259] = 1, -3, math.NaN()
	h := newHeat(matricesOf(&a, 9), 1, a.Values)
	m := h.Maps[0]
	require.Len(t, m.Rows, 2)
	require.Len(t, m.Rows[0].Squares, 44)
	require.Equal(t, "E.(0).(4) = 1", m.Rows[0].Squares[1].Title)
	require.Equal(t, "E.(1).(5) = -3", m.Rows[1].Squares[1].Title)
	require.Equal(t, "E.(1).(129) = NaN", m.Rows[1].Squares[43].Title)
	require.Contains(t, h.Note, "up to 1 × 3 components")
}

// TestSeries: an array of four dimensions is a series of matrices.
func TestSeries(t *testing.T) {
	a := Array{Name: "T", Dims: []int{2, 3, 1, 1}, Values: []float64{0, 1, 2, 3, 4, 5}}
	ms := matricesOf(&a, 9)
	require.Len(t, ms, 6)
	require.Equal(t, "T.(1).(0)", ms[3].Title)
	require.Equal(t, []float64{3}, ms[3].Values)
	require.Equal(t, "T.(1).(0).(0).(0)", ms[3].Name(0, 0))
	require.Len(t, matricesOf(&a, 4), 4)
	require.Equal(t, 6, a.matrices())
}
