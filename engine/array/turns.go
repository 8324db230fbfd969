package array

import "github.com/gram-machine/gram/graph"

// lookInTurns is how many instances run in turns between two looks.
const lookInTurns = 1 << 16

// runTurns runs instructions that add, those that share a loop in turns.
func runTurns(parts []graph.Array, regs []float64, look func() error) error {
	for shared := range graph.Turns(parts) {
		if len(shared) == 1 {
			if err := runPart(&shared[0], regs, look); err != nil {
				return err
			}
			continue
		}
		if err := runLoop(shared, regs, look); err != nil {
			return err
		}
	}
	return nil
}

// runLoop runs the outermost loop of instructions that share it, in the order in which its instances fire.
func runLoop(parts []graph.Array, regs []float64, look func() error) error {
	rest := make([]graph.Array, len(parts))
	instances := 0
	for k, p := range parts {
		p.Dims = p.Dims[1:]
		for _, a := range []*graph.Address{&p.D, &p.A, &p.B, &p.Mask} {
			a.Stride = a.Stride[min(1, len(a.Stride)):] // there may be no mask
		}
		rest[k] = p
		rest[k].SetLarge()
		instances += graph.Instances(p.Dims)
	}
	done := 0
	for _, i := range parts[0].Dims[0].FiringOrder() {
		for k := range parts {
			p, r := &parts[k], &rest[k]
			r.D.Base, r.A.Base, r.B.Base = p.D.Base+i*p.D.Stride[0], p.A.Base+i*p.A.Stride[0], p.B.Base+i*p.B.Stride[0]
			if p.Mask.Base != 0 {
				r.Mask.Base = p.Mask.Base + i*p.Mask.Stride[0]
			}
		}
		if err := runTurns(rest, regs, look); err != nil {
			return err
		}
		if done += instances; done >= lookInTurns {
			done = 0
			if err := look(); err != nil {
				return err
			}
		}
	}
	return nil
}

// runPart runs an instruction that adds.
func runPart(in *graph.Array, regs []float64, look func() error) error {
	switch {
	case len(in.Dims) > 0:
		return RunOne(in, regs, look)
	case in.Mask.Base != 0 && regs[in.Mask.Base] == 0:
	case in.Kind == graph.ArrayAddMul:
		regs[in.D.Base] += float64(regs[in.A.Base] * regs[in.B.Base])
	default:
		regs[in.D.Base] += regs[in.A.Base]
	}
	return nil
}
