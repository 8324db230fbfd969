package syntax
import ("testing";"math/rand/v2";"fmt")
func TestZZ(t *testing.T){
 best:=map[int]string{}
 bad:=0
 for seed:=range 60000 { g := &generator{r: rand.New(rand.NewPCG(uint64(seed), 7)), budget: 2 + seed%30}
  src:=g.program(); f,ds,_:=Parse("t",[]byte(src),Options{}); if len(ds)>0 { fmt.Println(NewErrors(f,ds)); continue}
  out:=Format(f); h,_,_:=Parse("t",out,Options{}); again:=Format(h)
  if string(again)!=string(out) { bad++; best[len(src)]=fmt.Sprintf("%s\n-----once\n%s-----twice\n%s=========",src,out,again)}
 }
 fmt.Println(bad)
 n:=0
 for l:=0;l<5000&&n<8;l++{ if s,ok:=best[l];ok{fmt.Println(s);n++}}
}
