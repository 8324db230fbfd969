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
	meta := w.footer().append(nil)
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
		size := i32(int64(len(page)))
		head := structure(fields{pageType: i32(pageDataV1), pageSize: size, pagePacked: size,
			pageData: structure(fields{dataValues: i32(w.rows), dataEncoding: i32(encodingPlain),
				dataDefinition: i32(encodingRuns), dataRepetition: i32(encodingRuns)})})
		g.from[i] = w.at
		w.write(head.append(nil))
		w.write(page)
		g.to[i] = w.at
	}
	w.groups = append(w.groups, g)
	w.rows, w.names, w.values = 0, w.names[:0], w.values[:0]
}

// footer returns the metadata.
func (w *writer) footer() object {
	columns := []struct {
		name string
		kind int64
	}{{"name", typeBytes}, {"value", typeDouble}}
	schema := []object{structure(fields{elementName: text("gram"), elementChildren: i32(int64(len(columns)))})}
	for _, c := range columns {
		e := fields{elementType: i32(c.kind), elementRepetition: i32(required), elementName: text(c.name)}
		if c.kind == typeBytes {
			e[elementConverted] = i32(convertedText)
		}
		schema = append(schema, structure(e))
	}
	rows := int64(0)
	var groups []object
	for _, g := range w.groups {
		rows += g.rows
		var chunks []object
		for i, c := range columns {
			size := i64(g.to[i] - g.from[i])
			chunks = append(chunks, structure(fields{chunkOffset: i64(g.from[i]), chunkMeta: structure(fields{
				columnType: i32(c.kind), columnEncodings: list(i32(encodingPlain)), columnPath: list(text(c.name)),
				columnCodec: i32(codecNone), columnValues: i64(g.rows), columnUncompressed: size,
				columnCompressed: size, columnData: i64(g.from[i]),
			})}))
		}
		groups = append(groups, structure(fields{groupColumns: list(chunks...), groupSize: i64(g.to[1] - g.from[0]),
			groupRows: i64(g.rows)}))
	}
	return structure(fields{metaVersion: i32(1), metaSchema: list(schema...), metaRows: i64(rows),
		metaGroups: list(groups...)})
}
