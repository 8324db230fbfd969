package load

import (
	"fmt"

	"github.com/gram-machine/gram/lang/syntax"
)

func (c *compiler) place(e syntax.Expr) place { return place{c.file, c.file.Expr(e).Span} }

// expr compiles e.
func (c *compiler) expr(e syntax.Expr) *code {
	c.nest++
	c.deep++
	switch {
	case c.nest > maxNest:
		fail(c.place(e), "too deep", fmt.Sprintf("more than %d expressions in one another", maxNest))
	case c.deep > maxDepth:
		fail(c.place(e), "too deep", "too many definitions in one another")
	}
	c.fn.nest = max(c.fn.nest, c.nest-c.fn.base)
	code := c.form(e)
	c.nest--
	c.deep--
	return code
}

func (c *compiler) form(e syntax.Expr) *code {
	n, kids, at := c.file.Expr(e), c.file.Kids(e), c.place(e)
	switch n.Kind {
	case syntax.NumExpr:
		return constant(at, number(n.Num))
	case syntax.NameExpr:
		return c.name(at, n.Text)
	case syntax.ChurchExpr:
		return numeral(at, c.static(kids[0]))
	case syntax.OpExpr:
		return constant(at, value{ref: operators[n.Op]})
	case syntax.BinExpr:
		return arithmetic(at, n.Op, c.expr(kids[0]), c.expr(kids[1]))
	case syntax.NegExpr:
		return apply1(at, natives["neg"].sym.Info().Eval1, c.expr(kids[0]))
	case syntax.PowExpr:
		return power(at, c.expr(kids[0]), c.static(kids[1]))
	case syntax.AppExpr:
		return c.application(e)
	case syntax.ProjExpr:
		return project(at, c.expr(kids[0]), c.static(kids[1]))
	case syntax.FunExpr:
		return closureOf(at, c.function(at, "", c.file.Pats(e), kids[0], 0))
	case syntax.LetExpr:
		return c.let(e)
	case syntax.IfExpr:
		return conditional(at, comparison(n.Op), c.expr(kids[0]), c.expr(kids[1]), c.expr(kids[2]), c.expr(kids[3]))
	case syntax.CompExpr:
		return c.comprehension(e)
	case syntax.AnnotExpr:
		return annotated(at, c.expr(kids[0]), c.annotation(n.Type))
	case syntax.TupleExpr:
		return tuple(at, c.exprs(kids))
	case syntax.ListExpr:
		return literal(at, true, c.exprs(kids))
	case syntax.VectorExpr:
		return literal(at, false, c.exprs(kids))
	case syntax.SizeExpr:
		return constant(at, number(float64(c.static(e).c)))
	case syntax.CsvExpr:
		return c.csv(e)
	case syntax.LinExpr:
		fail(at, "lin in a default value", "default values are numbers; lin has no meaning among them")
	}
	panic(&failure{}) // a syntax error
}

func (c *compiler) exprs(kids []syntax.Expr) []*code {
	out := make([]*code, len(kids))
	for i, k := range kids {
		out[i] = c.expr(k)
	}
	return out
}

// function compiles fun params -> body. Its result has the type result, if that
// is not 0.
func (c *compiler) function(at place, name string, params []syntax.Pat, body syntax.Expr, result syntax.TypeExpr) *function {
	fn := &function{at: at, name: name, outer: c.fn, base: c.nest}
	c.fn = fn
	for _, p := range params {
		fn.params = append(fn.params, c.pattern(p, 0))
	}
	fn.body = c.expr(body)
	if result != 0 {
		fn.body = annotated(c.place(body), fn.body, c.annotation(result))
	}
	c.fn = fn.outer
	return fn
}

func (c *compiler) let(e syntax.Expr) *code {
	n, kids, pats := c.file.Expr(e), c.file.Kids(e), c.file.Pats(e)
	at := c.place(e)
	var val *code
	if len(pats) > 1 {
		head := c.file.Pat(pats[0])
		val = closureOf(at, c.function(at, head.Text, pats[1:], kids[0], n.Type))
	} else {
		val = c.expr(kids[0])
	}
	before := len(c.fn.locals)
	bind := c.pattern(pats[0], 0)
	body := c.expr(kids[1])
	c.fn.locals = c.fn.locals[:before]
	get := val.val
	return after(at, func(m *machine, fr []value) {
		bind.bind(m, fr, val.at, get(m, fr))
	}, body)
}

func (c *compiler) comprehension(e syntax.Expr) *code {
	n, kids, at := c.file.Expr(e), c.file.Kids(e), c.place(e)
	s := c.static(kids[0])
	if s.f == nil && n.Op == syntax.VecTok {
		checkSize(c.place(kids[0]), false, s.c)
	}
	before := len(c.fn.locals)
	slot := c.fn.bind(n.Text, true)
	body := c.expr(kids[1])
	c.fn.locals = c.fn.locals[:before]
	if n.Op == syntax.SumTok {
		return summation(at, s, slot, body)
	}
	return comprehend(at, n.Op == syntax.ListTok, s, slot, body)
}

// application compiles f e1 … ek, the whole spine at once.
func (c *compiler) application(e syntax.Expr) *code {
	at := c.place(e)
	head := e
	var args []syntax.Expr // last first
	for c.file.Expr(head).Kind == syntax.AppExpr {
		kids := c.file.Kids(head)
		args = append(args, kids[1])
		head = kids[0]
	}
	f := c.expr(head)
	codes := make([]*code, len(args))
	for i, a := range args {
		codes[len(args)-1-i] = c.expr(a)
	}
	if f.known != nil {
		switch o := f.known.ref.(type) {
		case *native:
			if o.eval1 != nil && len(codes) == 1 {
				return apply1(at, o.eval1, codes[0])
			}
			if o.eval2 != nil && len(codes) == 2 {
				return apply2(at, o.eval2, codes[0], codes[1])
			}
		case *closure:
			if len(codes) == len(o.fn.params) {
				return direct(at, o, codes)
			}
		}
	}
	return apply(at, f, codes)
}
