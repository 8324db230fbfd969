package parquet

import (
	"encoding/binary"
	"io"
	"iter"
	"math"
)

// groupMost is how many rows a group has at most.
const groupMost = 1 << 18

// writer writes a file with the columns name and value, as plain pages.
type writer struct {
	out    io.Writer
	at     int64 // in the file
	err    error
	names  []byte
	values []byte
	rows   int64 // in names and values
	groups []group
}

// group is a group of rows that has been written: where its columns begin, and how long they are.
type group struct {
	rows     int64
	from, to [2]int64
}

// Write writes numbers with their names to a file with the columns name and value.
func Write(out io.Writer, cells iter.Seq2[string, float64]) error {
	w := &writer{out: out}
	w.write([]byte(magic))
	for name, x := range cells {
		w.names = append(binary.LittleEndian.AppendUint32(w.names, uint32(len(name))), name...)
		w.values = binary.LittleEndian.AppendUint64(w.values, math.Float64bits(x))
		if w.rows++; w.rows == groupMost {
			w.flush()
		}
	}
	if w.rows > 0 {
		w.flush()
	}
	meta := w.footer()
	w.write(append(binary.LittleEndian.AppendUint32(meta, uint32(len(meta))), magic...))
	return w.err
}

func (w *writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += int64(len(b))
	}
}

// flush writes a group.
func (w *writer) flush() {
	g := group{rows: w.rows}
	for i, page := range [][]byte{w.names, w.values} {
		var e encoder
		e.begin()
		e.number(pageType, wireI32, pageDataV1)
		e.number(pageSize, wireI32, int64(len(page)))
		e.number(pagePacked, wireI32, int64(len(page)))
		e.field(pageData)
		e.number(dataValues, wireI32, w.rows)
		e.number(dataEncoding, wireI32, encodingPlain)
		e.number(dataDefinition, wireI32, encodingRuns)
		e.number(dataRepetition, wireI32, encodingRuns)
		e.end()
		e.end()
		g.from[i] = w.at
		w.write(e.out)
		w.write(page)
		g.to[i] = w.at
	}
	w.groups = append(w.groups, g)
	w.rows, w.names, w.values = 0, w.names[:0], w.values[:0]
}

// footer returns the metadata.
func (w *writer) footer() []byte {
	var e encoder
	rows := int64(0)
	for _, g := range w.groups {
		rows += g.rows
	}
	e.begin()
	e.number(metaVersion, wireI32, 1)
	e.list(metaSchema, wireStruct, 3)
	e.begin()
	e.text(elementName, "gram")
	e.number(elementChildren, wireI32, 2)
	e.end()
	columns := []struct {
		name string
		kind int64
	}{{"name", typeBytes}, {"value", typeDouble}}
	for _, c := range columns {
		e.begin()
		e.number(elementType, wireI32, c.kind)
		e.number(elementRepetition, wireI32, required)
		e.text(elementName, c.name)
		if c.kind == typeBytes {
			e.number(elementConverted, wireI32, convertedText)
		}
		e.end()
	}
	e.number(metaRows, wireI64, rows)
	e.list(metaGroups, wireStruct, len(w.groups))
	for _, g := range w.groups {
		e.begin()
		e.list(groupColumns, wireStruct, len(columns))
		for i, c := range columns {
			size := g.to[i] - g.from[i]
			e.begin()
			e.number(chunkOffset, wireI64, g.from[i])
			e.field(chunkMeta)
			e.number(columnType, wireI32, c.kind)
			e.list(columnEncodings, wireI32, 1)
			e.out = binary.AppendVarint(e.out, encodingPlain)
			e.list(columnPath, wireBytes, 1)
			e.text(0, c.name)
			e.number(columnCodec, wireI32, codecNone)
			e.number(columnValues, wireI64, g.rows)
			e.number(columnUncompressed, wireI64, size)
			e.number(columnCompressed, wireI64, size)
			e.number(columnData, wireI64, g.from[i])
			e.end()
			e.end()
		}
		e.number(groupSize, wireI64, g.to[1]-g.from[0])
		e.number(groupRows, wireI64, g.rows)
		e.end()
	}
	e.end()
	return e.out
}
