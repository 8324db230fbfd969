// Package benchmark is the command gram bench.
package benchmark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/peers"
	"github.com/gram-machine/gram/bench/report"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/lang/load"
)

// How often a time is taken in a quick run and in a full one. The median has a 95 % interval from six times on.
const (
	quickRepeat = 10
	fullRepeat  = 11
)

// app is one run of the command.
type app struct{ *command.App }

// benchFlags are the flags of gram bench.
type benchFlags struct {
	claims               []string
	quick, fresh, render bool
	list, counts         bool
	peers, rivals        bool
	adversary            bool
	seed                 command.Count
	budget               budget
	out, repository      string
	jobs                 command.Count
	json                 bool
	family               string
	params, sets         []string
	law                  command.Choice[bench.Law]
	observe              command.ObserveFlags
}

// Command returns the command gram bench.
func Command(base *command.App) *cobra.Command {
	a := &app{base}
	var f benchFlags
	cmd := command.New("bench", "Measure the paper's cost claims, the speed beside peers, or how a program's cost grows")
	cmd.Args = func(_ *cobra.Command, args []string) error {
		return command.Misfit(len(args) > 0, "gram bench takes no arguments; --family FILE measures a program")
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringSliceVar(&f.claims, "claim", nil, "measure these claims, `numbers` like 9,10; without it all")
	fs.BoolVar(&f.list, "list", false, "list the claims, and measure nothing")
	fs.BoolVar(&f.counts, "counts", false, "measure counts, and no times: for a computer that has other things to do")
	fs.BoolVar(&f.peers, "peers", false, "measure no claim, but the workloads beside all peers that are installed")
	fs.BoolVar(&f.rivals, "rivals", false, "measure no claim, but steps beside those of CHAD and of dual numbers")
	fs.BoolVar(&f.adversary, "adversary", false, "measure no claim, but search for programs that break a bound")
	f.seed = command.Count{Valid: true}
	fs.Var(&f.seed, "seed", "with --adversary: the `number` that the search starts from")
	f.budget.programs = command.Count{N: 10_000, Least: 1, Most: 1 << 31, Valid: true}
	fs.Var(&f.budget, "budget", "with --adversary: how many programs, or how long: a `budget` like 1e4 or 10m")
	fs.BoolVar(&f.quick, "quick", false, "take smaller sizes: two minutes instead of thirty")
	fs.BoolVar(&f.fresh, "fresh", false, "measure again also what is there already")
	fs.StringVar(&f.out, "out", "gram-bench", "write results into the folder `DIR`")
	f.jobs = command.Count{N: uint64(runtime.GOMAXPROCS(0)), Least: 1, Most: 1024, Valid: true}
	fs.Var(&f.jobs, "jobs", "count on so many cores at once, a `count`; times are always taken alone")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	fs.StringVar(&f.family, "family", "", "measure the program in `FILE` instead")
	fs.StringArrayVar(&f.params, "param", nil,
		"with --family: `name=sizes`, from..to or a list, of the param that grows,\nand name=value of others "+
			"(repeatable)")
	fs.StringArrayVar(&f.sets, "set", nil, "with --family: override an input or data: `name=value` (repeatable)")
	f.law.Is = bench.Law{Kind: bench.Power, Power: 1}
	f.law.Add(cmd, "law", "with --family: the `law` that its steps are to follow, linear, nlogn, quadratic\nor constant",
		"linear nlogn quadratic constant", f.law.Is, bench.Law{Kind: bench.Power, Power: 1, Logs: 1},
		bench.Law{Kind: bench.Power, Power: 2}, bench.Law{Kind: bench.Power})
	fs.BoolVar(&f.render, "render", false,
		"measure nothing: write the page, pictures and tables of what is there,\nby whatever build it was measured")
	fs.StringVar(&f.repository, "page", "", "keep the results in the repository at `ROOT`, and write its BENCHMARKS.md")
	f.observe.Add(cmd)
	_ = cmd.MarkFlagFilename("family", "gram")
	_ = cmd.MarkFlagDirname("out")
	_ = cmd.MarkFlagDirname("page")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.bench(cmd.Context(), cmd, &f)
	}
	return cmd
}

// check reports flags that don't go together.
func (f *benchFlags) check(cmd *cobra.Command) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	if f.adversary {
		return checkAlone(cmd, "--adversary searches for programs that break a bound", "adversary seed budget json page")
	}
	if f.rivals {
		return cmp.Or(checkAlone(cmd, "--rivals measures the machine beside its rivals", "rivals quick json page render"),
			command.Misfit(f.quick && f.repository != "", "--page has all sizes, and --quick measures smaller ones"),
			command.Misfit(f.render && f.repository == "",
				"--render writes the page of the rivals again, and takes --page with it"))
	}
	ofSearch, ofFamily := "--%s is for a search: it takes --adversary", "--%s is for a program: it takes --family FILE"
	return cmp.Or(
		command.Misfit(given("seed"), ofSearch, "seed"),
		command.Misfit(given("budget"), ofSearch, "budget"),
		command.Misfit(f.list && cmd.Flags().NFlag() > 1, "--list lists the claims, and goes with no other flag"),
		command.Misfit(f.counts && f.peers, "--counts measures no times, and --peers nothing else"),
		command.Misfit(f.counts && f.render, "--render measures nothing, and --counts says what is measured"),
		command.Misfit(f.peers && given("claim"), "--claim is for the paper's claims, and --peers measures none of them"),
		command.Misfit(f.peers && f.family != "", "--peers measures the workloads, and --family a program of yours"),
		command.Misfit(f.family != "" && given("claim"),
			"--claim is for the paper's claims, and --family measures a program of yours"),
		command.Misfit(f.family != "" && given("page"),
			"--page is for the paper's claims, and --family measures a program of yours"),
		command.Misfit(f.family != "" && given("quick"),
			"--quick is for the paper's claims; --family takes its sizes from --param"),
		command.Misfit(given("page") && given("out"), "--page keeps the results in the repository, and --out elsewhere"),
		command.Misfit(f.render && f.fresh, "--render measures nothing, and --fresh measures all again"),
		command.Misfit(f.render && given("jobs"), "--render measures nothing, and --jobs says how"),
		command.Misfit(f.peers && given("jobs"), "--jobs is for counts, and --peers takes times only"),
		command.Misfit(f.render && f.quick && given("page"),
			"--page has all sizes that are there, and --quick is for what is measured"),
		command.Misfit(f.out == "", "the name of the folder for --out is empty"),
		command.Misfit(f.family == "" && given("param"), ofFamily, "param"),
		command.Misfit(f.family == "" && given("set"), ofFamily, "set"),
		command.Misfit(f.family == "" && given("law"), ofFamily, "law"),
		command.CheckOutputs(cmd, f.family),
	)
}

// checkAlone reports flags that don't go with one that measures no claims, and says what it does.
func checkAlone(cmd *cobra.Command, does, with string) (err error) {
	with += " cpuprofile memprofile trace"
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(strings.Fields(with), flag.Name) {
			err = command.Usagef("%s, and --%s does not go with it", does, flag.Name)
		}
	})
	return err
}

// bench runs gram bench.
func (a *app) bench(ctx context.Context, cmd *cobra.Command, f *benchFlags) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if f.list {
		a.Out.WriteString(listed(bench.Claims()) + "\n")
		return nil
	}
	work := a.adversary
	switch {
	case f.rivals:
		work = a.rivals
	case !f.adversary:
		claims, err := a.chosen(ctx, f)
		if err != nil {
			return err
		}
		work = func(ctx context.Context, f *benchFlags) error { return a.claims(ctx, claims, f) }
	}
	a.Accepted = true
	if f.repository != "" && !command.IsFile(filepath.Join(f.repository, "bench", "claim.go")) {
		return fmt.Errorf("%s: this is not the root of gram's repository", f.repository)
	}
	o, err := f.observe.Start(ctx)
	if err != nil {
		return err
	}
	return o.End(work(ctx, f))
}

// claims measures what is missing of the claims, writes the results and prints them.
func (a *app) claims(ctx context.Context, claims []bench.Claim, f *benchFlags) error {
	rows := filepath.Join(f.out, "rows.jsonl")
	if f.repository != "" {
		rows = filepath.Join(f.repository, filepath.FromSlash(report.RepositoryRows))
	}
	store, err := report.Open(rows)
	if err != nil {
		return writeError(err)
	}
	defer store.Close()
	sel, err := a.measure(ctx, claims, store, f)
	if err != nil {
		return err
	}
	rep := store.Report(claims, sel)
	if err := f.write(store, rep); err != nil {
		return writeError(err)
	}
	return a.tell(rep, f)
}

// measure measures what is missing, and returns which rows to report. Points that can't be
// measured are printed on standard error, and make the exit status 1.
func (a *app) measure(ctx context.Context, claims []bench.Claim, store *report.Store,
	f *benchFlags) (report.Selection, error) {
	if f.render {
		return report.Selection{Sizes: report.AnySize, Tasks: f.tasks(report.AnyTask())}, nil
	}
	build, err := report.Build(command.BuildInfo().Version)
	if err != nil {
		return report.Selection{}, err
	}
	opt := report.Options{
		Selection: report.Selection{Sizes: report.Full, Tasks: f.tasks(peers.Full), Build: build},
		Fresh:     f.fresh, Counts: f.counts, Jobs: int(f.jobs.N), Repeat: fullRepeat, Computer: report.ThisComputer(),
	}
	if f.quick {
		opt.Sizes, opt.Tasks, opt.Repeat = report.Quick, f.tasks(peers.Quick), quickRepeat
	}
	bar, last := a.NewLine(true), report.Event{}
	opt.Progress = func(e report.Event) {
		line, doing := told(e)
		bar.Show(e.Done, e.Total, line, doing)
		last = e
	}
	var point *report.PointError
	var faults []*peers.Fault
	compared := slices.DeleteFunc(peers.All(), func(p peers.Peer) bool { return !f.peers && !p.Always })
	if err = report.Run(ctx, claims, store, opt); err == nil || errors.As(err, &point) {
		var failed error
		faults, failed = report.Compare(ctx, compared, store, opt)
		err = errors.Join(err, failed)
	}
	bar.Close()
	for _, fault := range faults { // peers that are missing or left out; that is no error
		fmt.Fprintf(a.Stderr, "gram: %v\n", fault)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return opt.Selection, &gram.LimitError{Limit: "interrupt", Err: ctx.Err(),
			Phase: fmt.Sprintf("measuring; %d of %d points are kept for the next run", last.Done, last.Total)}
	case errors.As(err, &point):
		fmt.Fprintf(a.Stderr, "gram: %s\n", strings.ReplaceAll(err.Error(), "\n", "\ngram: "))
		a.Incomplete = true
	default:
		return opt.Selection, writeError(err)
	}
	return opt.Selection, nil
}

// write writes the files of results.
func (f *benchFlags) write(store *report.Store, rep *report.Report) error {
	var files map[string][]byte
	var err error
	if f.repository == "" {
		files, err = report.Folder(rep, report.Pages{Command: f.command, Compare: f.whole("--peers"), All: f.whole()})
	} else {
		all := bench.Claims()
		known := func(r report.Row) bool { // it belongs to a point of the claims, or to the comparison
			return r.IsComparison() || slices.ContainsFunc(all, func(c bench.Claim) bool {
				return c.Number == r.Claim && slices.ContainsFunc(c.Series, func(s bench.Series) bool {
					return s.Name == r.Series && slices.Contains(report.AnySize(&s), r.Size)
				})
			})
		}
		if err := store.Compact(known); err != nil {
			return err
		}
		files, err = report.Repository(store.Report(all, report.Selection{Sizes: report.AnySize, Tasks: report.AnyTask()}))
	}
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(f.root(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := command.WriteFile(path, text); err != nil {
			return err
		}
	}
	return nil
}

// root is the folder that results are written into.
func (f *benchFlags) root() string { return cmp.Or(f.repository, f.out) }

// command returns the command that repeats the measurement of a claim.
func (f *benchFlags) command(c *bench.Claim) string {
	if c.Number != 0 {
		return f.whole("--claim", strconv.Itoa(c.Number))
	}
	args := []string{"--family", command.Quote(f.family)}
	for _, p := range f.params {
		args = append(args, "--param", command.Quote(p))
	}
	for _, s := range f.sets {
		args = append(args, "--set", command.Quote(s))
	}
	return f.whole(append(args, "--law", f.law.String())...)
}

// tell prints the results.
func (a *app) tell(rep *report.Report, f *benchFlags) error {
	if f.json {
		text, err := report.JSON(rep)
		a.Out.Write(text)
		return err
	}
	if f.family != "" {
		a.Out.WriteString(report.Points(rep.Outcomes[0]) + "\n" + report.Findings(rep.Outcomes[0]))
	} else if !f.peers {
		a.Out.WriteString(report.Text(rep))
	}
	bound, err := report.BoundText(rep)
	if err != nil {
		return err
	}
	a.Out.WriteString(bound)
	if comparison := report.ComparisonText(rep); comparison != "" {
		if !f.peers {
			a.Out.WriteString("\n")
		}
		a.Out.WriteString(comparison)
	}
	fmt.Fprintf(&a.Out, "\nwritten to %s\n", filepath.Join(f.root(), "BENCHMARKS.md"))
	return nil
}

// writeError describes a system error on a file of results.
func writeError(err error) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot write results: %s: %w", system.Path, system.Err)
	}
	return err
}

// tasks returns the tasks of the comparison that are measured: all, together with all claims or with --peers; otherwise
// none.
func (f *benchFlags) tasks(all []peers.Task) []peers.Task {
	if f.family != "" || len(f.claims) > 0 || f.counts {
		return nil
	}
	return all
}

// whole returns the command that repeats the measurement that args ask for.
func (f *benchFlags) whole(args ...string) string {
	if f.quick {
		args = append(args, "--quick")
	}
	return strings.Join(append([]string{"gram", "bench"}, append(args, "--out", command.Quote(f.out))...), " ")
}

// told returns what is told of an event of the run: a line, or none, and what is being measured.
func told(e report.Event) (line, doing string) {
	if e.Task != nil {
		return "peers: " + e.Task.Name(), "peers, " + e.Task.Name()
	}
	claim, series := e.Claim.Name(), e.Series.Name
	if e.Size > 0 {
		return "", fmt.Sprintf("%s, %s, size %s", claim, series, load.Grouped(uint64(e.Size)))
	}
	return fmt.Sprintf("%s: %s, %s", claim, series, load.Counted(e.Points, "point")), claim + ", " + series
}
