package show

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// dot writes the figure in DOT.
func (f *figure) dot(w io.Writer) error {
	b := bufio.NewWriter(w) // keeps the first error
	direction := "LR"
	if f.down {
		direction = "TB"
	}
	fmt.Fprintf(b, "digraph gram {\n  graph [rankdir=%q, fontname=\"Helvetica\", fontsize=12, nodesep=0.3, ranksep=0.35, "+
		"nslimit=2, nslimit1=2, mclimit=0.5]\n", direction) // the limits bound the time that Graphviz takes
	fmt.Fprint(b, "  node [fontname=\"Helvetica\", fontsize=12]\n  edge [fontname=\"Helvetica\", fontsize=9, "+
		"arrowsize=0.6]\n")
	var sources, others strings.Builder // the inputs that are not of the backward phase stand side by side
	for i := range f.nodes {
		n, to := &f.nodes[i], &others
		if n.kind == circle && n.filled && n.of != Adjoint {
			to = &sources
		}
		fmt.Fprintf(to, "  %s [%s]\n", n.id, n.attributes())
	}
	if sources.Len() > 0 {
		fmt.Fprintf(b, "  { rank=source\n%s  }\n", sources.String())
	}
	b.WriteString(others.String())
	for _, l := range f.links {
		fmt.Fprintf(b, "  %s -> %s [color=%q", l.from, l.to, colours[l.of].line)
		if l.of == leftOut {
			b.WriteString(`, style="dashed"`)
		}
		if l.port > 0 {
			fmt.Fprintf(b, `, tailport="r%d:s"`, l.port)
		}
		b.WriteString("]\n")
	}
	b.WriteString("}\n")
	return b.Flush()
}

// attributes are those of a node in DOT.
func (n *node) attributes() string {
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	letters := utf8.RuneCountInString(n.text)
	add("label=%s, color=%q, fontcolor=%[2]q", n.label(), colours[n.of].line)
	switch n.kind {
	case box:
		add(`, shape="box", height=0.3, style="rounded`)
		if n.dashed {
			add(",dashed")
		}
		if n.filled {
			add(`,filled", fillcolor=%q`, colours[n.of].fill)
		} else {
			add(`"`)
		}
	case hyperedge:
		if letters > longSymbol {
			add(`, shape="cds", margin="0.12,0.06", height=0.3`)
		} else {
			add(`, shape="triangle", orientation=270, fixedsize="true", width=0.62, height=0.62`)
		}
		if letters == 1 {
			add(", fontsize=18")
		}
		if n.ordered {
			add(`, ordering="in"`)
		}
	case circle:
		add(`, shape="circle", margin=0.03`)
		if n.text == "" && n.value == "" {
			add(`, width=0.15, fixedsize="true"`)
		} else {
			add(", width=0.4")
		}
		if n.filled {
			add(`, style="filled", fillcolor=%q`, colours[n.of].fill)
		}
	}
	if n.double {
		add(", peripheries=2")
	}
	return b.String()
}

// label is the text of a node in DOT: of a circle its name, and its value below; of a box with several ports their
// numbers below.
func (n *node) label() string {
	const table = `<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1"><TR>`
	switch {
	case n.kind == box && n.ports > 1:
		var numbers strings.Builder
		for k := range n.ports {
			fmt.Fprintf(&numbers, `<TD PORT="r%d"><FONT POINT-SIZE="9">%d</FONT></TD>`, k+1, k+1)
		}
		return fmt.Sprintf(`%s<TD COLSPAN="%d">%s</TD></TR><TR>%s</TR></TABLE>>`, table, n.ports,
			html.EscapeString(n.text), numbers.String())
	case n.kind != circle:
		return quote(n.text)
	case n.numeral:
		return "<" + n.value + ">"
	case n.value == "":
		return "<" + nameMarkup(n.text) + ">"
	}
	value := `<FONT POINT-SIZE="10">` + n.value + "</FONT>"
	if n.text == "" {
		return "<" + value + ">"
	}
	return table + "<TD>" + nameMarkup(n.text) + "</TD></TR><TR><TD>" + value + "</TD></TR></TABLE>>"
}

// quote is a string of DOT, in which a backslash stands for itself.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
