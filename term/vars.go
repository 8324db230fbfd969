package term

import (
	"iter"
	"slices"
	"sort"
	"unsafe"
)

// variables are those of a term, from 1 on. The first ones are kept as runs of variables that are alike, for there may be millions
// of inputs.
type variables struct {
	runs []run
	rest []VarInfo // those behind the runs
}

// run has the variables that are alike from the end of the run before it to its own.
type run struct {
	end  Var
	info VarInfo
	name func(i int) string // if not nil, the name of variable i of the run
}

// of returns what is known of variable x, which is number i of the run.
func (r *run) of(i Var) VarInfo {
	info := r.info
	if r.name != nil {
		info.Name = r.name(int(i))
	}
	return info
}

// first returns the first variable that is in no run.
func (v *variables) first() Var {
	if len(v.runs) == 0 {
		return 0
	}
	return v.runs[len(v.runs)-1].end
}

// NewVar adds a variable.
func (t *Term) NewVar(info VarInfo) Var {
	t.vars.rest = append(t.vars.rest, info)
	return Var(t.NumVars() - 1)
}

// NewVars adds n variables that are alike, and returns the first. They take memory for one if there is only that variable of the
// term, 0, or variables that have been added so.
func (t *Term) NewVars(n int, info VarInfo) Var {
	first := Var(t.NumVars())
	switch v := &t.vars; {
	case n == 0:
	case first == 1 && len(v.runs) == 0:
		v.runs, v.rest = append(v.runs, run{end: 1}), nil
		fallthrough
	case len(v.rest) == 0:
		v.runs = append(v.runs, run{end: first + Var(n), info: info})
	default:
		v.rest = slices.Grow(v.rest, n)
		for range n {
			v.rest = append(v.rest, info)
		}
	}
	return first
}

// NumVars is how many variables there are, with variable 0, which is unused.
func (t *Term) NumVars() int { return int(t.vars.first()) + len(t.vars.rest) }

// Info returns what is known of a variable.
func (t *Term) Info(x Var) VarInfo {
	v := &t.vars
	if first := v.first(); x >= first {
		return v.rest[x-first]
	}
	i := v.find(x)
	return v.runs[i].of(x - v.begin(i))
}

// TypeOf returns the type of a variable.
func (t *Term) TypeOf(x Var) Type {
	v := &t.vars
	if first := v.first(); x >= first {
		return v.rest[x-first].Type
	}
	return v.runs[v.find(x)].info.Type
}

// find returns the number of the run that has x.
func (v *variables) find(x Var) int {
	return sort.Search(len(v.runs), func(i int) bool { return x < v.runs[i].end })
}

// begin returns the first variable of run i.
func (v *variables) begin(i int) Var {
	if i == 0 {
		return 0
	}
	return v.runs[i-1].end
}

// NameVars names n variables from first on: number i gets name(i). Variables that [Term.NewVars] has added together
// get their names when they are asked for.
func (t *Term) NameVars(first Var, n int, name func(i int) string) {
	v := &t.vars // which another term may share
	if i := v.find(first); n > 0 && first < v.first() && v.begin(i) == first && v.runs[i].end == first+Var(n) {
		v.runs = slices.Clone(v.runs)
		v.runs[i].name = name
		return
	}
	v.rest = slices.Clone(v.rest)
	for i := range n {
		t.ToChange(first + Var(i)).Name = name(i)
	}
}

// ToChange returns what is known of a variable, to be changed before other variables are added.
func (t *Term) ToChange(x Var) *VarInfo {
	v := &t.vars
	if x < v.first() {
		rest := make([]VarInfo, 0, t.NumVars())
		for i := range v.runs {
			for begin := v.begin(i); Var(len(rest)) < v.runs[i].end; {
				rest = append(rest, v.runs[i].of(Var(len(rest))-begin))
			}
		}
		v.runs, v.rest = nil, append(rest, v.rest...)
	}
	return &v.rest[x-v.first()]
}

// GrowVars makes room for n more variables.
func (t *Term) GrowVars(n int) { t.vars.rest = slices.Grow(t.vars.rest, n) }

// CopyVars gives t the variables of src in place of its own, and makes room for n more.
func (t *Term) CopyVars(src *Term, n int) {
	rest := src.vars.rest
	t.vars = variables{slices.Clone(src.vars.runs), append(make([]VarInfo, 0, len(rest)+n), rest...)}
}

// ShareVars gives t the variables of src in place of its own. What t adds is not in src.
func (t *Term) ShareVars(src *Term) {
	t.vars = variables{slices.Clip(src.vars.runs), slices.Clip(src.vars.rest)}
}

// EachVar yields what is known of each variable, once for those that are alike. It can be changed.
func (t *Term) EachVar() iter.Seq[*VarInfo] {
	return func(yield func(*VarInfo) bool) {
		runs, rest := t.vars.runs, t.vars.rest
		if len(runs) > 0 {
			runs = runs[1:] // without variable 0
		} else {
			rest = rest[1:]
		}
		for i := range runs {
			if !yield(&runs[i].info) {
				return
			}
		}
		for i := range rest {
			if !yield(&rest[i]) {
				return
			}
		}
	}
}

// bytes is about what the variables take in memory, with their names.
func (v *variables) bytes() int64 {
	n := int64(cap(v.runs))*int64(unsafe.Sizeof(run{})) + int64(cap(v.rest))*int64(unsafe.Sizeof(VarInfo{}))
	for i := range v.rest {
		n += int64(len(v.rest[i].Name))
	}
	return n
}
