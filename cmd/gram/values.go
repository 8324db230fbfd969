package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/outfile"
	"github.com/gram-machine/gram/internal/notation"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/parquet"
)

// checkInputsFile reports a file for inputs with a name that does not tell its format.
func checkInputsFile(path string) error {
	switch filepath.Ext(path) {
	case ".json", ".npz":
		return nil
	}
	return misfit(path != "", "-o %s: inputs are written to a file whose name ends in .json or .npz", path)
}

// writeInputs writes inputs with their values to a file that --inputs reads back to the bit.
func writeInputs(path string, inputs []gram.Input) error {
	text, err := inputsFile(path, inputs)
	if err != nil {
		return err
	}
	return outfile.Write(path, text)
}

// inputsFile is what such a file holds.
func inputsFile(path string, inputs []gram.Input) ([]byte, error) {
	var out bytes.Buffer
	if filepath.Ext(path) == ".npz" {
		values := make([]named, len(inputs))
		for i, in := range inputs {
			values[i] = named{in.Name, in.Shape, notation.Flat{Values: in.Values}}
		}
		err := writeNpz(&out, values)
		return out.Bytes(), outfile.Error(path, err)
	}
	begin(&out, "").inputs(inputs)
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// inputs writes the inputs by their names, and ends the object.
func (o *object) inputs(inputs []gram.Input) {
	for _, in := range inputs {
		o.value(in.Name, notation.Flat{Values: in.Values}, in.Shape)
	}
	o.end()
}

// named is a value with its name.
type named struct {
	name  string
	shape *gram.Shape
	flat  notation.Flat
}

// addResult adds the flag for a file with the numbers of a result.
func addResult(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "output", "o", "", "write the result to a `file` instead of standard output, by the end of its name:\n.json, as --json prints it; or its numbers as .npz, .csv or .parquet")
}

// isNumbers reports whether a file has the numbers of a result alone.
func isNumbers(path string) bool {
	return slices.Contains([]string{".npz", ".csv", ".parquet"}, filepath.Ext(path))
}

// checkResult reports a file for a result with a name that does not tell its format, or one that is not JSON beside --json.
func checkResult(path string, json bool) error {
	return cmp.Or(
		misfit(path != "" && !isNumbers(path) && filepath.Ext(path) != ".json", "-o %s: the name of the file must end in .json, .npz, .csv or .parquet", path),
		misfit(isNumbers(path) && json, "--json prints JSON, and -o %s has the numbers alone", path),
	)
}

// writeResult writes the numbers of a result to a file.
func (a *app) writeResult(ctx context.Context, path string, values []named) (err error) {
	for _, v := range values {
		if v.shape.Inductive() {
			return outfile.Error(path, fmt.Errorf("a value of type %v is written as .json", v.shape))
		}
	}
	switch filepath.Ext(path) {
	case ".npz":
		err = writeNpz(&a.out, values)
	case ".csv":
		a.out.WriteString("name,value\n")
		for name, x := range cells(values) {
			a.out.WriteString(name)
			a.out.WriteByte(',')
			a.out.Write(append(notation.AppendNumber(a.out.AvailableBuffer(), x), '\n'))
		}
	case ".parquet":
		err = parquet.Write(&a.out, cells(values))
	}
	if err != nil {
		a.out.Reset()
		return outfile.Error(path, err)
	}
	return a.writeOutput(ctx, path)
}

// cells are the numbers of values with their names: E.(0).(1) is one of E. Components of tuples, which are flat, vectors and
// lists are counted from 0.
func cells(values []named) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, v := range values {
			if !eachCell(v.name, &v.flat, v.shape, yield) {
				return
			}
		}
	}
}

// eachCell calls yield with the numbers of a value of shape s, and takes them off f. It reports whether to go on.
func eachCell(name string, f *notation.Flat, s *gram.Shape, yield func(string, float64) bool) bool {
	part := func(i int) string { return name + ".(" + strconv.Itoa(i) + ")" }
	size := s.Size
	switch s.Kind {
	case load.Real:
		x := f.Values[0]
		f.Values = f.Values[1:]
		return yield(name, x)
	case load.Product:
		i := 0
		for ; s.Kind == load.Product; i, s = i+1, s.B {
			if !eachCell(part(i), f, s.A, yield) {
				return false
			}
		}
		return eachCell(part(i), f, s, yield)
	case load.List:
		size, f.Lengths = f.Lengths[0], f.Lengths[1:]
	}
	for i := range size {
		if !eachCell(part(i), f, s.A, yield) {
			return false
		}
	}
	return true
}

// writeNpz writes arrays of float64 by name. The numbers of a product stand in one dimension. A list with lists in it is an error.
func writeNpz(out io.Writer, values []named) error {
	archive := zip.NewWriter(out)
	for _, v := range values {
		dims, err := arrayDimensions(v.shape, v.flat.Lengths)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		f, err := archive.CreateHeader(&zip.FileHeader{Name: v.name + ".npy", Method: zip.Store})
		if err == nil {
			err = writeNpy(f, dims, v.flat.Values)
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeNpy writes an array in the format .npy: see numpy.lib.format. Its numbers begin at a multiple of 64 bytes.
func writeNpy(out io.Writer, dims []int, values []float64) error {
	shape := ""
	for _, n := range dims {
		shape += strconv.Itoa(n) + ", "
	}
	if len(dims) != 1 {
		shape = strings.TrimSuffix(shape, ", ")
	}
	const before = 10
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", shape)
	head += strings.Repeat(" ", 63-(before+len(head))%64) + "\n"
	start := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	if _, err := out.Write(append(start, head...)); err != nil {
		return err
	}
	return binary.Write(out, binary.LittleEndian, values)
}

// arrayDimensions are those of a value as an array.
func arrayDimensions(s *gram.Shape, lengths []int) (dims []int, err error) {
	lists := 0
	for ; ; s = s.A {
		switch {
		case s.Kind == load.Real:
			return dims, nil
		case s.Kind == load.Vector:
			dims = append(dims, s.Size)
		case s.Kind == load.Product && len(lengths) == lists:
			return append(dims, s.Width()), nil
		case s.Kind == load.List && len(dims) == 0 && len(lengths) == 1:
			dims = append(dims, lengths[0])
			lists = 1
		default:
			return nil, errors.New("a value with lists inside is no array: write it as .json or .csv")
		}
	}
}
