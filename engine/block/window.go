package block

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// window is the part of a data list without stored values that was computed last. It has as many numbers as the rows of an object
// do.
type window struct {
	data     *term.Data
	from, to int // the elements
	values   []float64
}

// Elements returns numbers of a data list, of which those of the elements from up to end are there, and the element that comes first.
// Windows lie at multiples of their length below the last element, so loops meet the same ones on their way back.
// The error is that of the host, or of the data.
func (r *Runner) Elements(d *term.Data, from, end int) (values []float64, first int, err error) {
	if d.Chunk == nil {
		return d.Values, 0, nil
	}
	k := &r.window
	if k.data == d && k.from <= from && end <= k.to {
		return k.values, k.from, nil
	}
	length := max(1, int(r.Kept.Numbers)/d.Width)
	from = max(0, d.Rows-((d.Rows-from-1)/length+1)*length)
	end = d.Rows - (d.Rows-end)/length*length
	k.data = nil
	if n := (end - from) * d.Width; cap(k.values) < n {
		k.values = nil
		if err := r.host.Reserve(8 * int64(n)); err != nil {
			return nil, 0, err
		}
		k.values = make([]float64, n)
	}
	k.values = k.values[:(end-from)*d.Width]
	if err := d.Chunk(k.values, from, r.look); err != nil {
		return nil, 0, fmt.Errorf("data %s: %w", d.Name, err)
	}
	k.data, k.from, k.to = d, from, end
	return k.values, from, nil
}
