package machine_test
import ("testing";"fmt"
"github.com/gram-machine/gram/term"
"github.com/gram-machine/gram/revgrad"
"github.com/gram-machine/gram/compile"
"github.com/gram-machine/gram/machine"
)
func run(t *testing.T, tm *term.Term, ins []term.Var, pt []float64) {
	for _, sched := range []machine.Schedule{machine.LIFO, machine.Random} {
	p, err := compile.Compile(tm, compile.Options{Inputs: ins})
	if err!=nil {t.Fatal(err)}
	m, err := machine.New(p, machine.Options{Schedule:sched,Seed:3})
	if err!=nil {t.Fatal(err)}
	if err := m.Value(pt); err!=nil {t.Fatal(err)}
	s := m.Stats()
	fmt.Println(m.Read(nil), s.Counts, s.Counts.Total(), s)
	d, err := revgrad.Reverse(tm,nil)
	if err!=nil {t.Fatal(err)}
	//fmt.Println(d)
	p, err = compile.Compile(d, compile.Options{Inputs: ins, Reversed:true})
	if err!=nil {t.Fatal(err)}
	m, err = machine.New(p, machine.Options{Schedule:sched,Seed:3})
	if err!=nil {t.Fatal(err)}
	v:=make([]float64,1); g:=make([]float64,len(pt))
	if err := m.Gradient(pt,v,g); err!=nil {t.Fatal(err)}
	s = m.Stats()
	fmt.Println(v,g, s.Counts, s.Counts.Total(), s)
	}
}
func TestFig1(t *testing.T) {
	tt:=term.NewTypes(); q:=term.New(tt)
	nv:=func(n string, ty term.Type) term.Var {return q.NewVar(term.VarInfo{Name:n,Type:ty})}
	x1,x2,z1,z2:=nv("x1",1),nv("x2",1),nv("z1",1),nv("z2",1)
	v:=func(x term.Var) term.Ref {return q.Variable(1,x)}
	q.Root=q.Let(1,z1,q.Fun(1,term.Sub,v(x1),v(x2)),q.Let(1,z2,q.Fun(1,term.Mul,v(z1),v(z1)),q.Fun(1,term.Sin,v(z2))))
	run(t,q,[]term.Var{x1,x2},[]float64{5,2})
}
func TestRNN(t *testing.T) {
	tt:=term.NewTypes(); q:=term.New(tt)
	nv:=func(n string, ty term.Type) term.Var {return q.NewVar(term.VarInfo{Name:n,Type:ty})}
	e,r,x,h:=nv("e",1),nv("r",1),nv("x",1),nv("h",1)
	v:=func(x term.Var) term.Ref {return q.Variable(1,x)}
	cell:=q.Lam(1,x,q.Lam(1,h,q.Fun(1,term.Sigmoid,q.Add(1,q.Fun(1,term.Mul,v(e),v(x)),q.Fun(1,term.Mul,v(r),v(h))))))
	l:=q.List(1,1,1,[]term.Ref{q.Num(1,1),q.Num(1,2),q.Num(1,3)})
	q.Root=q.App(1,q.App(1,l,cell),q.Num(1,0))
	run(t,q,[]term.Var{e,r},[]float64{.7,.9})
}
func TestTwice(t *testing.T) {
	tt:=term.NewTypes(); q:=term.New(tt)
	nv:=func(n string, ty term.Type) term.Var {return q.NewVar(term.VarInfo{Name:n,Type:ty})}
	w,x,y:=nv("w",1),nv("x",1),nv("y",1)
	f:=nv("f",tt.Arrow(1,1))
	v:=func(x term.Var) term.Ref {return q.Variable(1,x)}
	g:=q.Lam(1,y,q.Add(1,q.Fun(1,term.Mul,v(w),v(y)),v(x)))
	q.Root=q.App(1,q.Lam(1,f,q.App(1,v(f),q.App(1,v(f),v(x)))),g)
	run(t,q,[]term.Var{w,x},[]float64{2,3})
}
