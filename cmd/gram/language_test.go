package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/docs"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// languagePage is docs/language.md, which says what the command takes and prints.
func languagePage(t *testing.T) string {
	atRoot(t)
	text, err := os.ReadFile("docs/language.md")
	require.NoError(t, err)
	return string(text)
}

// walk calls f on the commands of a tree, with the names by which they are called.
func walk(cmd *cobra.Command, f func(cmd *cobra.Command, name string)) {
	f(cmd, cmp.Or(strings.TrimPrefix(cmd.CommandPath(), "gram "), "gram"))
	for _, c := range cmd.Commands() {
		walk(c, f)
	}
}

// TestLanguageNamesCommandsAndFlags: the page has every command, and every flag with exactly
// the commands that take it.
func TestLanguageNamesCommandsAndFlags(t *testing.T) {
	page := languagePage(t)
	want := map[string][]string{}
	a := &command.App{}
	walk(command.Root(a, everyCommand(a)...), func(cmd *cobra.Command, name string) {
		if cmd.HasParent() {
			require.Regexp(t, "`gram "+name+"[` ]", page)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			flag := "`--" + f.Name + "`"
			if f.Shorthand != "" {
				flag += ", `-" + f.Shorthand + "`"
			}
			want[flag] = append(want[flag], name)
		})
	})
	got := map[string][]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (`+"`--"+`[^|]*) \| ([^|]*) \| `).FindAllStringSubmatch(page, -1) {
		require.NotContains(t, got, row[1], "two rows")
		got[row[1]] = strings.Split(row[2], ", ")
	}
	for _, commands := range []map[string][]string{want, got} {
		for flag := range commands {
			slices.Sort(commands[flag])
		}
	}
	require.Equal(t, want, got)
}

// TestLanguageNamesDefaults: the defaults in the table of flags are those of the commands that take the flag. That of --of
// differs.
func TestLanguageNamesDefaults(t *testing.T) {
	a, seen := &command.App{}, 0
	rows := regexp.MustCompile("(?m)^\\| `--([\\w-]+)`[^|]* \\| ([^|]*) \\| .*" +
		"(?:`(\\w+)` \\(default\\)|\\(default `?([\\w.-]+)`?\\))")
	for _, row := range rows.FindAllStringSubmatch(languagePage(t), -1) {
		is := row[3] + row[4]
		walk(command.Root(a, everyCommand(a)...), func(cmd *cobra.Command, name string) {
			if row[1] == "of" || !slices.Contains(strings.Split(row[2], ", "), name) {
				return
			}
			if f := cmd.LocalFlags().Lookup(row[1]); f.DefValue != "" || strings.Contains(f.Usage, "(default") {
				seen++
				same := f.DefValue == is || strings.Contains(f.Usage, "(default "+is+")")
				require.True(t, same, "gram %s --%s: %s", name, row[1], is)
			}
		})
	}
	require.Greater(t, seen, 30)
}

// TestLanguageNamesSymbols: the page has exactly the function symbols of the language.
func TestLanguageNamesSymbols(t *testing.T) {
	names := regexp.MustCompile(`(?s)\*\*Function symbols\*\*.*?\)` + "`, `(.*?)` and, curried, `(.*?)`").FindStringSubmatch(languagePage(t))
	require.NotNil(t, names)
	var want []string
	for _, s := range term.Symbols() {
		if s.Info().Infix == "" {
			want = append(want, s.SourceName())
		}
	}
	require.ElementsMatch(t, want, strings.Fields(names[1]+" "+names[2]))
}

// TestLanguageNamesStages: the page has every stage of show with its formats.
func TestLanguageNamesStages(t *testing.T) {
	page := languagePage(t)
	for _, s := range stages {
		require.Regexp(t, "(?m)^\\| `"+s.name+"` \\| .* \\| "+strings.Join(s.formats(), ", ")+" \\|$", page)
	}
}

// TestLanguageNamesKeys: the page has every key of what is printed in JSON.
func TestLanguageNamesKeys(t *testing.T) {
	page := languagePage(t)
	known := map[string]bool{}
	var look func(value any)
	look = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, v := range value {
				look(v)
			}
		case map[string]any:
			for key, v := range value {
				if !known[key] {
					require.Regexp(t, "[`\"]"+regexp.QuoteMeta(key)+"[`\"]", page)
					known[key] = true
				}
				ofInputs := key == "gradient" || key == "jacobian" || key == "inputs" && (value["type"] != nil || value["curve"] != nil)
				if !ofInputs && key != "residuals" { // whose keys are forms of growth
					look(v)
				}
			}
		}
	}
	for _, line := range []string{
		"check examples/rnn.gram --json", "version --json", "eval examples/rnn.gram --json --bound",
		"grad examples/rnn.gram --json --bound --strategy modular", "grad examples/jacobian.gram --json",
		"grad examples/rnn.gram --json --mode tape", "grad examples/figure1.gram --json --literal --work", "trace examples/figure1.gram --json",
		"trace examples/figure1.gram --calculus --json --of value",
		"reduce examples/figure1.gram --of value --json --redex 1", "reduce examples/figure1.gram --of value --graph json",
		"check-gradient examples/jacobian.gram --json",
		"fit examples/weather.gram --json --iterations 5 --over days --held-out 0.1",
		"bench --json --claim 19 --quick --out " + t.TempDir(),
	} {
		d := json.NewDecoder(strings.NewReader(answer(t, line)))
		for d.More() {
			var value any
			require.NoError(t, d.Decode(&value), line)
			look(value)
		}
	}
}

// typed is a program that is right only if a function has the type.
func typed(f docs.Function, is string) string {
	args, program, from, depth := strings.Fields(f.Use)[1:], "", 0, 0
	for i := 0; i < len(is) && len(args) > 0; i++ {
		switch {
		case is[i] == '(':
			depth++
		case is[i] == ')':
			depth--
		case depth == 0 && strings.HasPrefix(is[i:], " -> "):
			program += " (" + args[0] + " : " + is[from:i] + ")"
			args, from = args[1:], i+len(" -> ")
		}
	}
	if program != "" {
		program = "fun" + program + " -> "
	}
	return program + "(" + f.Use + " : " + is[from:] + ")"
}

// TestLanguageTableOfFunctions: the table has all functions, with their types and derivatives.
func TestLanguageTableOfFunctions(t *testing.T) {
	want, got := append(elaborate.PreludeNames(), "dot", "matvec", "maximum", "transpose", "pick", "jvp", "grad"), []string(nil)
	partials := map[string]int{}
	for _, s := range term.Symbols() {
		if s.Info().Infix == "" {
			want = append(want, s.SourceName())
			partials[s.SourceName()] = s.Info().Arity
		}
	}
	eval := func(program string) string { return answerOf(t, "eval -", program) }
	concrete := strings.NewReplacer("'a", "R", "'b", "R^2", "'c", "R", "^n", "^3", "^m", "^2", "(m, n)", "(2, 3)", "(n, m)", "(3, 2)", "(n+m)", "5")
	for _, f := range docs.Functions() {
		got = append(got, f.Name)
		if !strings.HasSuffix(f.About, "; static") && f.Name != "jvp" && f.Name != "grad" { // these take no parameter of fun
			answerOf(t, "check -", typed(f, concrete.Replace(f.Type)))
		}
		require.Len(t, f.Derivatives, partials[f.Name], f.Name)
		const point = "input x = 0.7\ninput y = 1.3\n"
		for i, d := range f.Derivatives {
			slope, err := json.Number(strings.TrimSpace(eval(point + d))).Float64()
			require.NoError(t, err)
			var printed struct{ Gradient map[string]float64 }
			require.NoError(t, json.Unmarshal([]byte(answerOf(t, "grad - --json", point+f.Use)), &printed))
			require.InDelta(t, slope, printed.Gradient[[]string{"x", "y"}[i]], 1e-12, "%s by argument %d", f.Use, i+1)
		}
	}
	require.ElementsMatch(t, want, got)
}

// lines evaluates each line of a block that is an expression, with its value in a comment, with the declarations above it.
func lines(t *testing.T, block string) {
	declared := ""
	for line := range strings.Lines(block) {
		program, want, ok := strings.Cut(strings.TrimSpace(line), " -- ")
		if !ok {
			declared += line
			continue
		}
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(answerOf(t, "eval -", declared+program+"\n")), line)
	}
}

// TestLanguageExamples: the program of the page is one, its other declarations have the syntax of the language, its JSON is
// JSON, and its error is what the command prints.
func TestLanguageExamples(t *testing.T) {
	page := languagePage(t)
	blocks := regexp.MustCompile("(?s)\n```(json|gram)?\n(.*?)```").FindAllStringSubmatch(page, -1)
	programs, errors, objects := 0, 0, 0
	for _, b := range blocks {
		text := b[2]
		switch {
		case b[1] == "json":
			require.True(t, json.Valid([]byte(text)), text)
			objects++
		case b[1] == "gram":
			lines(t, text)
		case strings.HasPrefix(text, "param "):
			dir := t.TempDir()
			weather, err := os.ReadFile("examples/seattle-weather.csv")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "weather.csv"), weather, 0o666))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "p.gram"), []byte(text), 0o666))
			require.Contains(t, answer(t, "grad --quiet "+filepath.Join(dir, "p.gram")), "  rho ")
			programs++
		case strings.HasPrefix(text, "data "):
			_, diags, err := syntax.Parse("p.gram", []byte(text+"\n0"), syntax.Options{})
			require.NoError(t, err)
			require.Empty(t, diags)
			programs++
		case strings.HasPrefix(text, "rnn.gram:5"):
			line := regexp.MustCompile(`(?m)^  5 \| (.*)$`).FindStringSubmatch(text)
			_, err := lang.Load("rnn.gram", []byte("\n\n\n\n"+line[1]+"\ncell 1 2\n"), lang.Options{})
			require.Error(t, err)
			require.True(t, strings.HasPrefix(err.Error()+"\n", text), err.Error())
			errors++
		}
	}
	require.Equal(t, []int{2, 1, 1}, []int{programs, errors, objects})
}

// TestLanguageRunsTypesAndRecursion: the programs on types and recursion have the values that stand behind them.
func TestLanguageRunsTypesAndRecursion(t *testing.T) {
	_, section, ok := strings.Cut(languagePage(t), "\n## Types and recursion\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```gram\n(.*?)  -- ([^\n]*)\n```").FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, strings.Count(section, "```gram"))
	for _, b := range blocks {
		for _, flags := range [][]string{nil, {"--literal"}} {
			var out, errs strings.Builder
			status := run(t.Context(), append([]string{"eval", "-"}, flags...), strings.NewReader(b[1]+"\n"), &out, &errs)
			require.Zero(t, status, errs.String())
			require.Equal(t, b[2]+"\n", out.String())
		}
	}
}
