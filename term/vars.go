package term

import (
	"iter"
	"slices"
	"sort"
	"unsafe"
)

// variables are those of a term, from 1 on. Many that are alike and have been added together are a run, for there may
// be millions of inputs or of components.
type variables struct {
	runs []run     // in order
	rest []VarInfo // variable 0, and those that are in no run, in order
}

// run has the variables from first on, before end, which are alike.
type run struct {
	first, end Var
	before     int // how many variables before the run are in none
	info       VarInfo
	name       func(i int) string // if not nil, the name of variable i of the run
}

// Many is how many variables that are alike and are added together take the memory of a few.
const Many = 32

// NewVar adds a variable.
func (t *Term) NewVar(info VarInfo) Var {
	t.vars.rest = append(t.vars.rest, info)
	return Var(t.NumVars() - 1)
}

// NewVars adds n variables that are alike, and returns the first.
func (t *Term) NewVars(n int, info VarInfo) Var {
	first, v := Var(t.NumVars()), &t.vars
	if n >= Many {
		v.runs = append(v.runs, run{first: first, end: first + Var(n), before: len(v.rest), info: info})
		return first
	}
	for range n {
		v.rest = append(v.rest, info)
	}
	return first
}

// NumVars is how many variables there are, with variable 0, which is unused.
func (t *Term) NumVars() int {
	v := &t.vars
	if len(v.runs) == 0 {
		return len(v.rest)
	}
	last := &v.runs[len(v.runs)-1]
	return int(last.end) + len(v.rest) - last.before
}

// find returns the run that has x, or, if there is none, nil and the place of x in rest.
func (v *variables) find(x Var) (r *run, at int) {
	i := len(v.runs)
	if i > 0 && x < v.runs[i-1].first {
		i = sort.Search(i, func(i int) bool { return x < v.runs[i].first })
	}
	if i == 0 {
		return nil, int(x)
	}
	if r = &v.runs[i-1]; x < r.end {
		return r, 0
	}
	return nil, r.before + int(x-r.end)
}

// Info returns what is known of a variable.
func (t *Term) Info(x Var) VarInfo {
	r, at := t.vars.find(x)
	if r == nil {
		return t.vars.rest[at]
	}
	return r.of(x)
}

// of returns what is known of variable x of the run.
func (r *run) of(x Var) VarInfo {
	info := r.info
	if r.name != nil {
		info.Name = r.name(int(x - r.first))
	}
	return info
}

// unnamed returns what is known of a variable, but its name may be another.
func (t *Term) unnamed(x Var) *VarInfo {
	r, at := t.vars.find(x)
	if r == nil {
		return &t.vars.rest[at]
	}
	return &r.info
}

// TypeOf returns the type of a variable.
func (t *Term) TypeOf(x Var) Type { return t.unnamed(x).Type }

// Linear reports whether a variable is linear.
func (t *Term) Linear(x Var) bool { return t.unnamed(x).Linear }

// Generated reports whether no variable of the source stands behind x.
func (t *Term) Generated(x Var) bool { return t.unnamed(x).Generated }

// NameVars names n variables from first on: number i gets name(i). [Many] variables or more that [Term.NewVars] has
// added together get their names when they are asked for. The variables must not be shared with another term.
func (t *Term) NameVars(first Var, n int, name func(i int) string) {
	if r, _ := t.vars.find(first); n > 0 && r != nil && r.first == first && r.end == first+Var(n) {
		r.name = name
		return
	}
	for i := range n {
		t.ToChange(first + Var(i)).Name = name(i)
	}
}

// ToChange returns what is known of a variable, to be changed before other variables are added. It must not be shared
// with another term.
func (t *Term) ToChange(x Var) *VarInfo {
	r, at := t.vars.find(x)
	if r != nil {
		at = r.before + int(x-r.first)
		t.vars.dissolve(r)
	}
	return &t.vars.rest[at]
}

// dissolve makes the variables of a run those of none.
func (v *variables) dissolve(r *run) {
	infos := make([]VarInfo, r.end-r.first)
	for i := range infos {
		infos[i] = r.of(r.first + Var(i))
	}
	v.rest = slices.Insert(v.rest, r.before, infos...)
	i := sort.Search(len(v.runs), func(i int) bool { return r.first <= v.runs[i].first })
	v.runs = slices.Delete(v.runs, i, i+1)
	for ; i < len(v.runs); i++ {
		v.runs[i].before += len(infos)
	}
}

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
		for i := range t.vars.runs {
			if !yield(&t.vars.runs[i].info) {
				return
			}
		}
		for i := range t.vars.rest[1:] {
			if !yield(&t.vars.rest[1+i]) {
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
