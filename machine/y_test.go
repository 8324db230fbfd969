package machine_test
import ("testing";"math"
"github.com/gram-machine/gram/term"
"github.com/gram-machine/gram/revgrad"
"github.com/gram-machine/gram/compile"
"github.com/gram-machine/gram/machine"
)
func grad(b *testing.B, q *term.Term, ins []term.Var, pt []float64, n int) {
	d, err := revgrad.Reverse(q,nil)
	if err!=nil {b.Fatal(err)}
	p, err := compile.Compile(d, compile.Options{Inputs: ins, Reversed:true})
	if err!=nil {b.Fatal(err)}
	m, err := machine.New(p, machine.Options{})
	if err!=nil {b.Fatal(err)}
	defer m.Close()
	v:=make([]float64,1); g:=make([]float64,len(pt))
	for b.Loop() {
	if err := m.Gradient(pt,v,g); err!=nil {b.Fatal(err)}
	}
	s := m.Stats()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n),"ns/elem")
	b.ReportMetric(float64(s.Counts.Total())/float64(n),"steps/elem")
	b.ReportMetric(float64(s.Nodes)/float64(n),"nodes/elem")
	b.Log(v,g)
}
func BenchmarkW1(b *testing.B) {
	tt:=term.NewTypes(); q:=term.New(tt)
	nv:=func(n string, ty term.Type) term.Var {return q.NewVar(term.VarInfo{Name:n,Type:ty})}
	e,r,x,h:=nv("e",1),nv("r",1),nv("x",1),nv("h",1)
	v:=func(x term.Var) term.Ref {return q.Variable(1,x)}
	cell:=q.Lam(1,x,q.Lam(1,h,q.Fun(1,term.Sigmoid,q.Add(1,q.Fun(1,term.Mul,v(e),v(x)),q.Fun(1,term.Mul,v(r),v(h))))))
	n:=1000000
	vals:=make([]float64,n)
	for i:=range vals {vals[i]=math.Sin(float64(n-1-i))}
	q.Data=append(q.Data,term.Data{Name:"a",List:true,Rows:n,Width:1,Values:vals})
	q.Root=q.App(1,q.App(1,q.DataRef(1,0,1,1),cell),q.Num(1,0))
	grad(b,q,[]term.Var{e,r},[]float64{.7,.9},n)
}
func BenchmarkW4(b *testing.B) {
	tt:=term.NewTypes(); q:=term.New(tt)
	nv:=func(n string, ty term.Type) term.Var {return q.NewVar(term.VarInfo{Name:n,Type:ty})}
	w,x,y:=nv("w",1),nv("x",1),nv("y",1)
	v:=func(x term.Var) term.Ref {return q.Variable(1,x)}
	g:=q.Lam(1,y,q.Add(1,q.Fun(1,term.Mul,v(w),v(y)),v(x)))
	q.Root=q.App(1,q.App(1,q.Nat(1,1000000,1),g),v(x))
	grad(b,q,[]term.Var{w,x},[]float64{.999,1.1},1000000)
}
