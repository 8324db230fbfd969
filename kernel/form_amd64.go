package kernel

import "golang.org/x/sys/cpu"

// bestForm returns the last form that processor and system have the registers for.
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
