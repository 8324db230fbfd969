package kernel

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C gen . -pkg kernel -out ../kernel_amd64.s

// The forms, in ascending order of preference. Functions in assembly go by their numbers.
const (
	formGo = iota
	formAVX2
	formAVX512
)

var formNames = [...]string{formGo: "go", formAVX2: "avx2", formAVX512: "avx512"}

// tileColumns is how many columns a tile of addTiles has. It has maxTileRows rows, or 4.
var (
	tileColumns = [...]int{formGo: 8, formAVX2: 8, formAVX512: 16}
	maxTileRows = [...]int{formGo: 4, formAVX2: 6, formAVX512: 8}
)

// tileHeight returns how many rows the next tile has if so many are left; 0 if there are less than 4.
func tileHeight(left int) int {
	most := maxTileRows[form]
	switch {
	case left >= most && (left < 8 || left > 9 || most == 8):
		return most
	case left >= 4:
		return 4
	}
	return 0
}

// form is the form in use.
var form = chooseForm(os.Getenv("GRAM_KERNEL"))

// Form returns the name of the form that is used: "go", "avx2" or "avx512". It is the last
// of [Forms], or the one that the environment variable GRAM_KERNEL names, if it is there.
func Form() string { return formNames[form] }

// Forms returns the names of the forms that run on this processor and system, the fastest last.
func Forms() []string { return formNames[:bestForm()+1] }

// Use selects a form by its name, for tests and measurements. No other function of the
// package may run at the same time. It returns an error if name is none of [Forms].
func Use(name string) error {
	i := slices.Index(Forms(), name)
	if i < 0 {
		return fmt.Errorf("kernel: no form %q here, only %q", name, Forms())
	}
	form = i
	return nil
}

func chooseForm(name string) int {
	if i := slices.Index(Forms(), name); i >= 0 {
		return i
	}
	return bestForm()
}

// bestForm returns the last form that processor and system have the registers for: the fields are false where a
// processor is not amd64.
func bestForm() int {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasBMI2:
		return formGo
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL:
		return formAVX2
	}
	return formAVX512
}
