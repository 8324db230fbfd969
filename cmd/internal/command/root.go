package command

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram/docs"
	"github.com/gram-machine/gram/kernel"
)

const rootHelp = `gram runs higher-order functional programs and their gradients, and tells exactly
what that cost. It implements the calculus of "Backpropagation in the simply typed
lambda-calculus with linear negation" (POPL 2020).

A program declares its inputs, each with a value, and ends with an expression:

  input x1 = 5
  input x2 = 2
  let z1 = x1 - x2 in let z2 = z1 * z1 in sin z2

FILE - is standard input. Results go to standard output, all at once and only if
there is no error, but for a trace, which is printed as it is made; everything else
goes to standard error.`

// helpTemplate is cobra's template with a text after the flags.
const helpTemplate = `{{.Long}}

{{.UsageString}}{{with index .Annotations "more"}}
{{.}}
{{end}}`

// New returns a command whose help says behind the flags what limits say, if they are given, and [StatusHelp].
func New(use, short string, limits ...string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Annotations: More(append(limits, StatusHelp)...)}
}

// More returns the annotation that holds the text after a command's flags, behind what the reference says of it.
func More(paragraphs ...string) map[string]string {
	return map[string]string{"more": strings.Join(paragraphs, "\n\n")}
}

// reference returns what the reference says of a command, in Markdown: the beginning of its section, the examples,
// which are a block of code, and the rest.
func reference(name string) (about, examples, rest string) {
	_, section, _ := strings.Cut(docs.Language, "\n### `gram "+name+"`")
	_, section, _ = strings.Cut(section, "\n")
	section, _, _ = strings.Cut(section, "\n##")
	about, rest, _ = strings.Cut(section, "\n\n    ")
	examples, rest, _ = strings.Cut("  "+rest, "\n\n")
	return strings.TrimSpace(about), strings.TrimRight(strings.ReplaceAll(examples, "\n    ", "\n  "), "\n"),
		strings.TrimSpace(rest)
}

// StatusHelp is the text on exit statuses.
const StatusHelp = `Exit status:
  0    done, also when the reader of a pipe went away
  1    the program is wrong (syntax, type, data, a value that doesn't fit the
       program), a file can't be read or written, a limit was reached
  2    the command line is wrong (an unknown or malformed flag, an unknown name
       in --set or --param, a value that isn't a number)
  130  interrupted; a second interrupt ends gram at once`

// LimitsHelp is the text on limits.
const LimitsHelp = `Limits hold while the program is read, typed, compiled and run. A run that reaches
one prints nothing on standard output, and says how far it got. There is always
one on memory; set it with --max-memory.`

// Root returns the command gram with subcommands.
func Root(a *App, commands ...*cobra.Command) *cobra.Command {
	cobra.EnableCommandSorting = false
	var version bool
	root := &cobra.Command{
		Use:   "gram",
		Short: "Run functional programs and their gradients, and count the cost",
		Long:  rootHelp,
		Example: `  gram check rnn.gram
  gram eval rnn.gram --set eps=-0.3
  gram grad rnn.gram --param n=1e6 --json`,
		Annotations:   More(StatusHelp),
		Args:          noSuchCommand,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !version {
				return Usagef("a command is expected, one of %s", strings.Join(names(cmd), ", "))
			}
			a.Accepted = true
			PrintVersion(&a.Out)
			return nil
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print what this build is")
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(flagError)
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		"Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagUsages .LocalFlags}}", 1))
	root.SetHelpCommand(newHelp(a))
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	for _, c := range commands {
		about, examples, rest := reference(c.Name())
		c.Long, c.Example, c.Annotations = about, examples, More(strings.TrimSpace(rest+"\n\n"+c.Annotations["more"]))
	}
	root.AddCommand(commands...)
	root.InitDefaultCompletionCmd() // cobra's command, which prints a completion script for a shell
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Print a script that completes gram's commands and flags"
			cmd.Args = cobra.ArbitraryArgs
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				return Usagef("completion takes the name of a shell, one of %s", strings.Join(names(cmd), ", "))
			}
		}
	}
	return root
}

// names returns the names of the subcommands of cmd.
func names(cmd *cobra.Command) []string {
	var out []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, c.Name())
		}
	}
	return out
}

// noSuchCommand rejects arguments of the root command: they name no command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := `unknown command "` + args[0] + `"`
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return Usagef("%s", text)
}

// newHelp returns the command help. Unlike cobra's own command it fails if the command doesn't exist.
func newHelp(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command, or the reference of the language",
		Long: `Help prints what a command does, its flags, and examples; without COMMAND, the
overview. help language prints the reference of the language and of the command, in
Markdown: docs/language.md.`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(names(cmd.Root()), "language"), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "language" {
				a.Accepted = true
				a.Out.WriteString(docs.Language)
				return nil
			}
			about, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = noSuchCommand(about, rest)
			}
			if err != nil {
				return Usagef("%v", err)
			}
			a.Accepted = true
			about.InitDefaultHelpFlag()
			about.SetContext(cmd.Context())
			return about.Help()
		},
	}
}

// NoArguments checks that there are no arguments.
func NoArguments(cmd *cobra.Command, args []string) error {
	return Misfit(len(args) > 0, "gram %s takes no arguments", cmd.Name())
}

// OneFile checks that the arguments are one FILE.
func OneFile(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return Usagef("%s takes a FILE; - is standard input", cmd.Name())
	case 1:
		if args[0] == "" {
			return Usagef("the name of the FILE is empty")
		}
		return nil
	}
	return Usagef("%s takes one FILE, not %d: %s", cmd.Name(), len(args), strings.Join(args, " "))
}

// GramFiles completes the names of programs.
func GramFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"gram"}, cobra.ShellCompDirectiveFilterFileExt
}

// Quote quotes an argument for a shell if necessary.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/@:%", r)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// flagGroups are the groups of flags in the help of a command that has many flags. The first has those that no other
// names.
var flagGroups = []flagGroup{
	{"Flags", ""},
	{"Program", "param set inputs body seed"},
	{"Output", "along hessian kinks json quiet html output checkpoint help"},
	{"Limits", "max-memory rows-memory timeout max-steps max-nodes finite"},
	{"Execution", "schedule workers mode strategy no-cache cache-size no-fuse no-native literal"},
	{"Measurements", "repeat bound factor work"},
	{"Profiles of gram itself", "cpuprofile memprofile trace"},
}

type flagGroup struct{ title, flags string }

// fewFlags is the most flags that are printed as one list.
const fewFlags = 10

func init() { cobra.AddTemplateFunc("flagUsages", flagUsages) }

// flagUsages returns the usages of flags, in groups if there are many.
func flagUsages(flags *pflag.FlagSet) string {
	usages := func(title string, flags *pflag.FlagSet) string {
		return title + ":\n" + strings.TrimRight(flags.FlagUsages(), "\n")
	}
	groups := make([]pflag.FlagSet, len(flagGroups))
	n := 0
	flags.VisitAll(func(f *pflag.Flag) {
		i := slices.IndexFunc(flagGroups, func(g flagGroup) bool { return slices.Contains(strings.Fields(g.flags), f.Name) })
		groups[max(0, i)].AddFlag(f)
		n++
	})
	if n <= fewFlags {
		return usages(flagGroups[0].title, flags)
	}
	var out []string
	for i, g := range flagGroups {
		if groups[i].HasFlags() {
			out = append(out, usages(g.title, &groups[i]))
		}
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

// releaseVersion is the version of this source.
const releaseVersion = "v0.1.0"

// unknown stands for what a build is not stamped with.
const unknown = "unknown"

// Build describes a build.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified *bool  `json:"modified"` // nil: it is not known
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Kernel   string `json:"kernel"` // the form of the kernels on this processor
}

// BuildInfo describes this build.
var BuildInfo = sync.OnceValue(func() Build {
	info, _ := debug.ReadBuildInfo()
	return describe(info)
})

// describe reads the stamps of a build. The version of the module is used if it is that of a release.
func describe(info *debug.BuildInfo) Build {
	b := Build{
		Version: releaseVersion, Commit: unknown, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernel: kernel.Form(),
	}
	if info == nil {
		return b
	}
	release := regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)
	if v := info.Main.Version; release.MatchString(v) && !regexp.MustCompile(`[0-9]{14}-[0-9a-f]{12}`).MatchString(v) {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = new(s.Value == "true")
		}
	}
	return b
}

// PrintVersion prints what this build is.
func PrintVersion(out *bytes.Buffer) {
	b, modified := BuildInfo(), unknown
	if b.Modified != nil {
		modified = strconv.FormatBool(*b.Modified)
	}
	fmt.Fprintf(out, "gram %s\ncommit    %s\nmodified  %s\ngo        %s\nplatform  %s\nkernel    %s\n",
		b.Version, b.Commit, modified, b.Go, b.Platform, b.Kernel)
}
