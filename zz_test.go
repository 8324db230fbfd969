package gram_test
import ("testing";"context";"os"; "github.com/gram-machine/gram")
func BenchmarkZZ(b *testing.B){
 ctx:=context.Background()
 p,err:=gram.LoadFile(ctx,os.Getenv("ZZ"),gram.Options{}); if err!=nil{b.Fatal(err)}
 g,err:=p.NewGradient(ctx,gram.EvalOptions{Runs:1000}); if err!=nil{b.Fatal(err)}
 x:=p.Point()
 for b.Loop(){ if _,err:=g.Gradient(ctx,x);err!=nil{b.Fatal(err)} }
}
