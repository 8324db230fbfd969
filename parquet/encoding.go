package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// width is how many bits a number up to most takes.
func width(most int64) int { return bits.Len64(uint64(most)) }

// unpack returns the i-th number of w bits, the lowest bits first. w is at most 64.
func unpack(b []byte, i, w int) uint64 {
	var n uint64
	for k, at := 0, i*w; k < w; {
		take := min(8-at%8, w-k)
		n |= uint64(b[at/8]>>(at%8)) & (1<<take - 1) << k
		k, at = k+take, at+take
	}
	return n
}

// hybrid returns n numbers of w bits that stand in runs of equal ones and in packed groups of eight.
func hybrid(b []byte, w int, n int64) ([]uint64, error) {
	if w > 32 {
		return nil, errors.New("numbers are too wide")
	}
	out := make([]uint64, 0, n)
	for int64(len(out)) < n {
		head, size := binary.Uvarint(b)
		if size <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		b = b[size:]
		left := n - int64(len(out))
		if head&1 == 0 {
			wide := (w + 7) / 8
			if len(b) < wide {
				return nil, io.ErrUnexpectedEOF
			}
			out = append(out, slices.Repeat([]uint64{unpack(b, 0, 8*wide)}, int(min(head>>1, uint64(left))))...)
			b = b[wide:]
			continue
		}
		groups := min(head>>1, uint64(left+7)/8)
		size = int(groups) * w
		if len(b) < size {
			return nil, io.ErrUnexpectedEOF
		}
		for i := range int(min(8*groups, uint64(left))) {
			out = append(out, unpack(b, i, w))
		}
		b = b[size:]
	}
	return out, nil
}

// deltas returns n integers of which the differences are packed, in blocks.
func deltas(b []byte, n int64) ([]uint64, error) {
	next := func() uint64 {
		x, size := binary.Uvarint(b)
		if size <= 0 {
			b = nil
			return 0
		}
		b = b[size:]
		return x
	}
	zigzag := func(x uint64) uint64 { return x>>1 ^ -(x & 1) }
	block, parts, total, x := next(), next(), next(), zigzag(next())
	if parts == 0 || block == 0 || block > 1<<20 || block%parts != 0 || total != uint64(n) || block/parts%8 != 0 {
		return nil, errors.New("differences are not as many as values")
	}
	out := make([]uint64, 0, n)
	if n > 0 {
		out = append(out, x)
	}
	for int64(len(out)) < n {
		least := zigzag(next())
		if uint64(len(b)) < parts {
			return nil, io.ErrUnexpectedEOF
		}
		widths := b[:parts]
		b = b[parts:]
		for _, w := range widths {
			if int64(len(out)) == n {
				break
			}
			size := int(block/parts) / 8 * int(w)
			if w > 64 || len(b) < size {
				return nil, io.ErrUnexpectedEOF
			}
			for i := range min(int(block/parts), int(n)-len(out)) {
				x += least + unpack(b, i, int(w))
				out = append(out, x)
			}
			b = b[size:]
		}
	}
	return out, nil
}

// mostSnappy bounds how many bytes one of snappy stands for: three stand for 64 at most.
const mostSnappy = 22

var errSnappy = errors.New("a page is not compressed by snappy")

// decompress returns what a codec has packed, of the size at most.
func decompress(codec int64, b []byte, size int64) ([]byte, error) {
	switch codec {
	case codecNone:
		return b, nil
	case codecSnappy:
		if n, err := snappy.DecodedLen(b); err != nil || int64(n) > min(size, mostSnappy*int64(len(b))) {
			return nil, errSnappy
		}
		out, err := snappy.Decode(nil, b)
		if err != nil {
			return nil, errSnappy
		}
		return out, nil
	case codecGzip:
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return readAll(r, size)
	case codecZstd:
		r, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return readAll(r, size)
	}
	name := fmt.Sprint(codec)
	if codec > 0 && codec < int64(len(codecs)) {
		name = codecs[codec]
	}
	return nil, fmt.Errorf("it is compressed by %s, and only snappy, gzip and zstd are read", name)
}
