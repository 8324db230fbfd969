//go:build libraries

package parquet

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

type row struct {
	D     float64   `parquet:"d"`
	F     float32   `parquet:"f"`
	I     int64     `parquet:"i,delta"`
	U     uint64    `parquet:"u"`
	Small int8      `parquet:"small"`
	U32   uint32    `parquet:"u32"`
	B     bool      `parquet:"b"`
	Opt   *float64  `parquet:"opt,optional,zstd"`
	In    inner     `parquet:"in"`
	Text  string    `parquet:"text,dict"`
	List  []float64 `parquet:"list,list"`
	Time  time.Time `parquet:"time,timestamp"`
}

type inner struct {
	X float64 `parquet:"x"`
}

// table is a file of n rows, in groups of at most 3000.
func table(t *testing.T, n int, change func(i int, r *row)) []byte {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(3000), parquet.PageBufferSize(1000))
	for i := range n {
		x := float64(i) / 3
		r := row{D: x, F: float32(i), I: int64(-i), U: 1 << 63, Small: -1, U32: 1 << 31, B: i%2 == 1, Opt: &x, In: inner{float64(i) + 0.5}}
		if i%5 == 4 {
			r.Opt = nil
		}
		if change != nil {
			change(i, &r)
		}
		_, err := w.Write([]row{r})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func readFile(file []byte, columns ...string) ([]float64, error) {
	return Read(bytes.NewReader(file), int64(len(file)), columns, func() error { return nil }, func(int64) error { return nil })
}

func TestRead(t *testing.T) {
	const n = 10_000
	file := table(t, n, nil)
	data, err := readFile(file, "d", "f", "i", "u", "small", "u32", "b", "opt", "in.x")
	require.NoError(t, err)
	require.Len(t, data, 9*n)
	for i := range n {
		x, b := float64(i)/3, float64(i%2)
		want := []float64{x, float64(i), -float64(i), 1 << 63, -1, 1 << 31, b, x, float64(i) + 0.5}
		got := data[9*i:][:9]
		if i%5 == 4 {
			require.True(t, math.IsNaN(got[7]))
			want[7], got[7] = 0, 0
		}
		require.Equal(t, want, got)
	}
	data, err = readFile(table(t, 0, nil), "d")
	require.NoError(t, err)
	require.Empty(t, data)
}

func TestReadErrors(t *testing.T) {
	file := table(t, 10, nil)
	for name, text := range map[string]string{
		"e": `there is no column "e"; the columns are d, f, i`, "text": `column "text" is of the type`, "list": `there is no column "list"`,
		"list.list.element": `column "list.list.element" is of the type`, "time": `column "time" is of the type`,
	} {
		_, err := readFile(file, name)
		require.ErrorContains(t, err, text)
	}
	_, err := readFile(table(t, 5000, func(i int, r *row) {
		if i == 4000 {
			r.I = 1<<53 + 1
		}
	}), "d", "i")
	require.EqualError(t, err, `column "i": row 4000 is an integer that no float64 equals`)
	long := bytes.Clone(file)
	long[len(long)-5] = 0xff // the highest byte of the length of the metadata
	_, err = readFile(long, "d")
	require.EqualError(t, err, "the file is malformed: its metadata is longer than itself")
	for n := range len(file) { // cut off, or with a wrong byte
		_, err := readFile(file[:n], "d")
		require.Error(t, err)
		wrong := bytes.Clone(file)
		wrong[n] ^= 0xff
		_, _ = readFile(wrong, "d", "opt")
	}
}

// TestReadLimits: the errors of look and reserve come back.
func TestReadLimits(t *testing.T) {
	file := table(t, 10_000, nil)
	stop := errors.New("stop")
	calls, bytesOf := 0, int64(0)
	_, err := Read(bytes.NewReader(file), int64(len(file)), []string{"d", "f"}, func() error { calls++; return nil }, func(n int64) error { bytesOf += n; return nil })
	require.NoError(t, err)
	require.GreaterOrEqual(t, calls, 4)
	require.Equal(t, int64(160_000), bytesOf)
	_, err = Read(bytes.NewReader(file), int64(len(file)), []string{"d"}, func() error { return stop }, func(int64) error { return nil })
	require.Equal(t, stop, err)
	_, err = Read(bytes.NewReader(file), int64(len(file)), []string{"d"}, func() error { return nil }, func(int64) error { return stop })
	require.Equal(t, stop, err)
}

// TestEncodings reads what each way to encode and to compress has made of the same numbers.
func TestEncodings(t *testing.T) {
	type numbers struct {
		Plain  int64    `parquet:"plain,plain,snappy"`
		Dict   int32    `parquet:"dict,dict,snappy"`
		Delta  int64    `parquet:"delta,delta,gzip"`
		Delta4 int32    `parquet:"delta4,delta,zstd"`
		Split  float64  `parquet:"split,split,zstd"`
		Split4 float32  `parquet:"split4,split"`
		Flag   bool     `parquet:"flag,snappy"`
		Opt    *int64   `parquet:"opt,optional,dict,gzip"`
		None   *float64 `parquet:"none,optional"`
	}
	columns := []string{"plain", "dict", "delta", "delta4", "split", "split4", "flag", "opt", "none"}
	const n = 5000
	for version := range 2 {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[numbers](&b, parquet.DataPageVersion(version+1), parquet.PageBufferSize(700), parquet.MaxRowsPerRowGroup(1700))
		var want []float64
		for i := range n {
			k := int64(i*i%1009-500) << (i % 30)
			r := numbers{Plain: k, Dict: int32(i % 7), Delta: k, Delta4: -int32(i % 1000), Split: float64(k) / 7, Split4: float32(i) / 8, Flag: i%3 == 0}
			opt, flag := math.NaN(), 0.0
			if i%11 < 5 {
				r.Opt, opt = &k, float64(k)
			}
			if r.Flag {
				flag = 1
			}
			want = append(want, float64(k), float64(r.Dict), float64(k), float64(r.Delta4), r.Split, float64(r.Split4), flag, opt, math.NaN())
			_, err := w.Write([]numbers{r})
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		got, err := readFile(b.Bytes(), columns...)
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 0)
	}
	var b bytes.Buffer
	type other struct {
		X float64 `parquet:"x,brotli"`
	}
	require.NoError(t, parquet.Write(&b, []other{{1}}))
	_, err := readFile(b.Bytes(), "x")
	require.EqualError(t, err, `column "x" cannot be read: it is compressed by brotli, and only snappy, gzip and zstd are read`)
}

// cell is a row of what Write writes.
type cell struct {
	Name  string  `parquet:"name"`
	Value float64 `parquet:"value"`
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	want := map[string]float64{"value": 1, "gradient.x": math.Inf(1), "gradient.E.(0)": -0.1}
	require.NoError(t, Write(&b, maps.All(want)))
	rows, err := parquet.Read[cell](bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	got := map[string]float64{}
	for _, r := range rows {
		got[r.Name] = r.Value
	}
	require.Equal(t, want, got)

	b.Reset()
	const n = groupMost + 10 // two groups
	require.NoError(t, Write(&b, func(yield func(string, float64) bool) {
		for i := range n {
			yield("x", float64(i))
		}
	}))
	data, err := readFile(b.Bytes(), "value")
	require.NoError(t, err)
	require.Len(t, data, n)
	require.Equal(t, []float64{0, 1, n - 1}, []float64{data[0], data[1], data[n-1]})
	rows, err = parquet.Read[cell](bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	require.Equal(t, cell{"x", n - 1}, rows[n-1])
}
