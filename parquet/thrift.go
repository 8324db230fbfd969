package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
)

// The numbers of fields, types and so on, from
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
const (
	metaVersion, metaSchema, metaRows, metaGroups = 1, 2, 3, 4

	elementType, elementRepetition, elementName, elementChildren, elementConverted, elementLogical = 1, 3, 4, 5, 6, 10
	logicalInteger, integerSigned                                                                  = 10, 2
	convertedText, convertedUint8, convertedInt8, convertedInt64                                   = 0, 11, 15, 18
	required, optional, repeats                                                                    = 0, 1, 2

	groupColumns, groupSize, groupRows                                           = 1, 2, 3
	chunkOffset, chunkMeta                                                       = 2, 3
	columnType, columnEncodings, columnPath, columnCodec, columnValues           = 1, 2, 3, 4, 5
	columnUncompressed, columnCompressed, columnData, columnDictionary           = 6, 7, 9, 11
	pageType, pageSize, pagePacked, pageData, pageDictionaryHead, pageDataV2Head = 1, 2, 3, 5, 7, 8
	pageDataV1, pageIndex, pageDictionary, pageDataV2                            = 0, 1, 2, 3
	dataValues, dataEncoding, dataDefinition, dataRepetition                     = 1, 2, 3, 4
	dataV2Encoding, dataV2Definition, dataV2Repetition, dataV2IsPacked           = 4, 5, 6, 7

	typeBoolean, typeInt32, typeInt96, typeFloat, typeDouble, typeBytes = 0, 1, 3, 4, 5, 6

	encodingPlain, encodingPlainDictionary, encodingRuns = 0, 2, 3
	encodingDelta, encodingDictionary, encodingSplit     = 5, 8, 9
	codecNone, codecSnappy, codecGzip, codecZstd         = 0, 1, 2, 6
)

var (
	kinds  = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}
	sizes  = [...]int{0, 4, 8, 12, 4, 8} // bytes of a value of a kind of numbers; Boolean values are bits
	codecs = [...]string{"nothing", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4"}
)

// object is a value in Thrift's compact protocol: a number, bytes, a list, or a structure. A truth value is 0 or 1.
type object struct {
	wire   byte // the type, where it is written
	n      int64
	bytes  []byte
	list   []object
	fields fields
}

type fields map[int64]object

// field returns a field, empty if there is none.
func (o object) field(id int64) object { return o.fields[id] }

// The types of the compact protocol.
const (
	wireTrue, wireFalse, wireByte, wireI64, wireDouble, wireBytes, wireList, wireSet, wireStruct = 1, 2, 3, 6, 7, 8, 9,
		10, 12
	wireI32 = 5
)

// maxDepth is how deep structures nest at most.
const maxDepth = 64

var errThrift = errors.New("its metadata cannot be read")

// decodeObject reads a structure.
func decodeObject(r *bufio.Reader) (object, error) { return decodeWire(r, wireStruct, maxDepth) }

// decodeWire reads a value of a type.
func decodeWire(r *bufio.Reader, wire byte, depth int) (o object, err error) {
	if depth == 0 {
		return o, errThrift
	}
	switch {
	case wire == wireTrue || wire == wireFalse:
		o.n = int64(2 - wire)
	case wire == wireByte:
		var b byte
		b, err = r.ReadByte()
		o.n = int64(int8(b))
	case wire > wireByte && wire <= wireI64:
		o.n, err = binary.ReadVarint(r)
	case wire == wireDouble:
		o.bytes, err = readAll(r, 8)
	case wire == wireBytes:
		var n uint64
		if n, err = binary.ReadUvarint(r); err == nil {
			o.bytes, err = readAll(r, int64(min(n, 1<<40)))
		}
	case wire == wireList || wire == wireSet:
		o.list, err = decodeList(r, depth)
	case wire == wireStruct:
		o.fields, err = decodeFields(r, depth)
	default:
		err = errThrift // a map: there is none in Parquet
	}
	return o, err
}

func decodeList(r *bufio.Reader, depth int) (list []object, err error) {
	head, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	n, wire := uint64(head>>4), head&15
	if n == 15 {
		if n, err = binary.ReadUvarint(r); err != nil {
			return nil, err
		}
	}
	for range n {
		var o object
		if wire == wireTrue || wire == wireFalse { // in lists, truth values are bytes
			var b byte
			b, err = r.ReadByte()
			o.n = int64(2 - b)
		} else {
			o, err = decodeWire(r, wire, depth-1)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func decodeFields(r *bufio.Reader, depth int) (fields, error) {
	fields, id := fields{}, int64(0)
	for {
		head, err := r.ReadByte()
		if err != nil {
			return nil, err
		}
		if head == 0 {
			return fields, nil
		}
		if head>>4 != 0 {
			id += int64(head >> 4)
		} else if id, err = binary.ReadVarint(r); err != nil {
			return nil, err
		}
		if fields[id], err = decodeWire(r, head&15, depth-1); err != nil {
			return nil, err
		}
	}
}

// append writes the value in the compact protocol.
func (o object) append(out []byte) []byte {
	switch o.wire {
	case wireI32, wireI64:
		return binary.AppendVarint(out, o.n)
	case wireBytes:
		return append(binary.AppendUvarint(out, uint64(len(o.bytes))), o.bytes...)
	case wireList:
		wire := byte(wireStruct)
		if len(o.list) > 0 {
			wire = o.list[0].wire
		}
		out = binary.AppendUvarint(append(out, 0xf0|wire), uint64(len(o.list)))
		for _, x := range o.list {
			out = x.append(out)
		}
		return out
	}
	last := int64(0)
	for id := range int64(16) { // the numbers of all that are written are smaller
		if f, ok := o.fields[id]; ok {
			out = f.append(append(out, byte(id-last)<<4|f.wire))
			last = id
		}
	}
	return append(out, 0)
}

func i32(n int64) object { return object{wire: wireI32, n: n} }

func i64(n int64) object { return object{wire: wireI64, n: n} }

func text(s string) object { return object{wire: wireBytes, bytes: []byte(s)} }

func list(values ...object) object { return object{wire: wireList, list: values} }

func structure(f fields) object { return object{wire: wireStruct, fields: f} }
