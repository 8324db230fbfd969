package main

import (
	"bytes"
	"path/filepath"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/notation"
)

// checkInputsFile reports a file for inputs with a name that does not tell its format.
func checkInputsFile(path string) error {
	if path == "" || filepath.Ext(path) == ".json" {
		return nil
	}
	return usagef("-o %s: inputs are written as JSON, to a file whose name ends in .json", path)
}

// writeInputs writes inputs with their values to a file that --inputs reads back to the bit.
func writeInputs(path string, inputs []gram.Input) error {
	if err := writeFile(path, inputsFile(inputs)); err != nil {
		return outputError(path, err)
	}
	return nil
}

// inputsFile is what such a file holds.
func inputsFile(inputs []gram.Input) []byte {
	var out bytes.Buffer
	begin(&out, "").inputs(inputs)
	out.WriteByte('\n')
	return out.Bytes()
}

// inputs writes the inputs by their names, and ends the object.
func (o *object) inputs(inputs []gram.Input) {
	for _, in := range inputs {
		o.value(in.Name, notation.Flat{Values: in.Values}, in.Shape)
	}
	o.end()
}
