package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroups are the groups of flags in the help of a command that has many flags. The flags that no group names
// stand first.
var flagGroups = []struct{ title, flags string }{
	{"Program", "param set inputs body seed"},
	{"Output", "along hessian kinks json quiet html output checkpoint help"},
	{"Limits", "max-memory rows-memory timeout max-steps max-nodes finite"},
	{"Execution", "schedule workers mode strategy no-cache cache-size no-fuse no-native literal"},
	{"Measurements", "repeat bound factor work"},
	{"Profiles of gram itself", "cpuprofile memprofile trace"},
}

// fewFlags is the most flags that are printed as one list.
const fewFlags = 10

func init() { cobra.AddTemplateFunc("flagUsages", flagUsages) }

// flagUsages returns the usages of flags, in groups if there are many.
func flagUsages(flags *pflag.FlagSet) string {
	const own = "Flags"
	groups := map[string]*pflag.FlagSet{}
	n := 0
	flags.VisitAll(func(f *pflag.Flag) {
		title := own
		for _, g := range flagGroups {
			if slices.Contains(strings.Fields(g.flags), f.Name) {
				title = g.title
			}
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			groups[title].SortFlags = false
		}
		groups[title].AddFlag(f)
		n++
	})
	if n <= fewFlags {
		return own + ":\n" + strings.TrimRight(flags.FlagUsages(), "\n")
	}
	var out []string
	part := func(title string) {
		if g := groups[title]; g != nil {
			out = append(out, title+":\n"+strings.TrimRight(g.FlagUsages(), "\n"))
		}
	}
	part(own)
	for _, g := range flagGroups {
		part(g.title)
	}
	return strings.Join(out, "\n\n")
}

// plainUsages makes the usages of all flags lines of plain text, as completion prints them: without the
// back quotes around the names of values.
func plainUsages(cmd *cobra.Command) {
	plain := strings.NewReplacer("`", "", "\n", " ")
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = plain.Replace(f.Usage) })
	for _, c := range cmd.Commands() {
		plainUsages(c)
	}
}
