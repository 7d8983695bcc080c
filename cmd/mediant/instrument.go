package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant"
	"mediant/check"
	"mediant/instrument"
	"mediant/internal/outfile"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

type instrumentFlags struct {
	twoTableFlags
	out                    string
	kernel                 bool
	phi, psi               string
	size                   int
	bandwidthX, bandwidthU float64
	lambdaXU, lambdaF      float64
	memory                 memoryFlag
	seed                   uint64
	json                   bool

	given func(flag string) bool
}

// kernelFlags mean nothing without --kernel.
var kernelFlags = []string{"phi", "psi", "features", "bandwidth-x", "bandwidth-u", "lambda-xu", "lambda-f"}

func newInstrument() *cobra.Command {
	var f instrumentFlags
	cmd := &cobra.Command{
		Use:   "instrument --xu A.csv --uy B.csv",
		Short: "Estimate what X does to Y where the shared columns are an instrument for X",
		Long: `Estimate Y = f(X) + error from a table of X and an instrument, and a table of the instrument and Y:
two-sample instrumental variables. The instrument is the columns U that both tables have, X the columns only in the first,
Y those only in the second; --x, --u and --y override that.

fit takes the same two tables, and needs another assumption. fit: U is a mediator, E[Y|U,X] = E[Y|U], X affects Y only through U.
instrument: X changes Y, U affects Y only through X and is independent of the error, and E[X|U] is the same in both tables. The tables cannot
show which one holds, and neither command chooses the other.

--controls names columns of both tables that are no instruments: they enter both stages, and may affect Y on their own.

f is linear and estimated by two-stage least squares (TS2SLS): a coefficient for each column of X and each control, in their units, with
a standard error of two independent samples that is robust to heteroscedastic errors. Columns of text have a coefficient for each level but the first, with which it is compared.
There must be at least as many instruments as coefficients of X. For each of these the output has the F statistic of the first stage; below 10 a warning says that the
instrument is weak. With more instruments it has a test of whether all imply the same coefficients.

With --kernel f is a function of features (kernel instrumental variable regression), without standard errors. Penalties are chosen by cross-validation.

-o writes a model that predict reads: f of X and the controls. It is not the prediction of Y with the least error, which
the confounding of X and Y would help. Rows of the first table without X and rows of the second without Y are left out.`,
		Example: `  mediant instrument --xu schooling.csv --uy earnings.csv --controls age,region
  mediant instrument --xu prices.csv --uy sales.csv --u cost --kernel -o demand.mediant`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = cmd.Flags().Changed
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.registerTables(flags, `file of X and the instrument U in any format, "-" for standard input, or parts of it (comma list, globs)`, true)
	columnsVar(flags, &f.roles.Controls, "controls", "columns of both tables that may affect Y on their own and enter both stages (comma list, globs)")
	inGroup(flags, columnGroup)
	flags.StringVarP(&f.out, "output", "o", "", "model file to write (default: none)")
	inGroup(flags, outputGroup)
	flags.StringVar(&f.phi, "phi", "auto", "with --kernel: features of X, as in fit (default: Gaussian)")
	flags.StringVar(&f.psi, "psi", "auto", "with --kernel: features of U (likewise)")
	flags.IntVar(&f.size, "features", 0, "with --kernel: number of features of X and of U each (default 512)")
	flags.Float64Var(&f.bandwidthX, "bandwidth-x", 0, "with --kernel: bandwidth of the kernel of X in encoded units (default: median rule)")
	flags.Float64Var(&f.bandwidthU, "bandwidth-u", 0, "with --kernel: bandwidth of the kernel of U (likewise)")
	inGroup(flags, featureGroup)
	flags.BoolVar(&f.kernel, "kernel", false, "fit a function of features, not a linear one")
	flags.Float64Var(&f.lambdaXU, "lambda-xu", 0, "with --kernel: ridge penalty of the first stage, of the features of X given U (default: by cross-validation)")
	flags.Float64Var(&f.lambdaF, "lambda-f", 0, "with --kernel: ridge penalty of f (default: by cross-validation)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of all random choices")
	inGroup(flags, methodGroup)
	f.memory.register(flags)
	f.checkFlags.register(flags)
	f.registerCopies(flags)
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	inGroup(flags, outputGroup)
	mostUsed(flags, "xu", "uy", "controls", "kernel", "output", "x", "u", "y", "ignore", "json")
	return cmd
}

// An instrumentEstimator is instrument.TS2SLS or instrument.Kernel.
type instrumentEstimator interface {
	Estimate(ctx context.Context, xu, uy tables.Source) (*instrument.Result, error)
	CheckMemory(xu, uy problem.Preview) error
}

// estimator is that of a setup.
func (f *instrumentFlags) estimator(s problem.Setup) instrumentEstimator {
	if !f.kernel {
		return instrument.TS2SLS{Setup: s}
	}
	e := instrument.Kernel{Setup: s}
	if f.given("lambda-xu") {
		e.LambdaXU = rr.Value(f.lambdaXU)
	}
	if f.given("lambda-f") {
		e.LambdaF = rr.Value(f.lambdaF)
	}
	return e
}

func (f *instrumentFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	setup, err := f.setup()
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.out != "" {
		if err := checkOutput(f.out, slices.Concat(filesOf(f.xu), filesOf(f.uy))...); err != nil {
			return err
		}
	}
	if err := tryStdout(stdout); err != nil {
		return err
	}
	if err := f.estimator(setup).CheckMemory(f.of(f.ofXU).preview(f.xu), f.of(f.ofUY).preview(f.uy)); err != nil {
		return memoryHint(err)
	}
	defer keepWithin(setup.Memory)()
	f.readFlags.memory = setup.Memory
	two, err := f.openTwo(ctx, f.xu, f.uy)
	if err != nil {
		return err
	}
	defer two.close()
	report, err := f.checkFlags.tables(ctx, two.xu, two.uy, check.Options{Roles: f.roles, Instrument: true, Explicit: two.text, Seed: f.seed})
	if err != nil {
		return err
	}
	writeFindings(stderr, report.Findings)
	if err := report.Refusal(); err != nil {
		return err
	}
	setup.Roles = f.roles
	setup.Roles.Ignore = append(slices.Clip(setup.Roles.Ignore), report.LeftOut...)
	setup.Copies = f.copyRule()
	result, err := f.estimator(setup).Estimate(ctx, two.xu, two.uy)
	if err != nil {
		return hinted(err)
	}
	if err := f.save(ctx, result); err != nil {
		return err
	}
	for _, w := range result.Warnings {
		fmt.Fprintln(stderr, "warning: "+oneLine(w))
	}
	if f.json {
		return writeJSON(stdout, struct {
			*instrument.Result
			Findings []check.Finding `json:"findings"`
		}{result, report.Findings})
	}
	return describeInstrument(stdout, result, f.out)
}

// save writes the model, if a flag asks for it.
func (f *instrumentFlags) save(ctx context.Context, r *instrument.Result) error {
	if f.out == "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	model := &mediant.Model{Model: r.Model, Reading: f.readFlags.reading()}
	return outfile.Write(f.out, model.Save)
}

// setup checks the flags.
func (f *instrumentFlags) setup() (problem.Setup, error) {
	s := problem.Setup{Roles: f.roles, Seed: f.seed}
	err := f.checkGiven()
	if err != nil {
		return s, err
	}
	if s.Memory, err = f.memory.limit(); err != nil {
		return s, err
	}
	if !f.kernel {
		for _, flag := range kernelFlags {
			if f.given(flag) {
				return s, usagef("--%s has no meaning without --kernel", flag)
			}
		}
		return s, nil
	}
	if err := cmp.Or(checkPenalty("lambda-xu", f.lambdaXU), checkPenalty("lambda-f", f.lambdaF)); err != nil {
		return s, err
	}
	specs := fitFlags{size: f.size, given: f.given}
	if s.Phi, err = specs.spec("phi", f.phi, "bandwidth-x", f.bandwidthX); err != nil {
		return s, err
	}
	if s.Psi, err = specs.spec("psi", f.psi, "bandwidth-u", f.bandwidthU); err != nil {
		return s, err
	}
	return s, specs.checkMaps(s.Phi, s.Psi)
}

// describeInstrument writes a result for people; warnings are on standard error.
func describeInstrument(w io.Writer, r *instrument.Result, out string) error {
	var b strings.Builder
	for _, c := range r.Coefficients {
		control := ""
		if c.Control {
			control = "control "
		}
		fmt.Fprintf(&b, "coefficient of %s%s on %s: %s\n", control, oneLine(c.Column), oneLine(c.Output), formatInterval(c.Interval))
	}
	for _, s := range r.FirstStage {
		if s.F == nil {
			fmt.Fprintf(&b, "first stage of %s: an exact function of the instruments and controls\n", oneLine(s.Column))
			continue
		}
		fmt.Fprintf(&b, "first stage of %s: F %s with %d and %g degrees of freedom\n", oneLine(s.Column), formatNumber(*s.F), s.Instruments, s.Freedom)
	}
	for _, t := range r.Overidentification {
		fmt.Fprintf(&b, "over-identification on %s: J %s with %s, p %.2g\n", oneLine(t.Output), formatNumber(t.J), count(t.Freedom, "degree")+" of freedom", t.P)
	}
	if r.Explained != nil {
		fmt.Fprintf(&b, "f of %s on %s: features, lambda_xu %g, lambda_f %g\n", oneLine(listed(r.X)), oneLine(listed(r.Y)), *r.LambdaXU, *r.LambdaF)
		fmt.Fprintf(&b, "first stage: the instruments and controls explain %s %% of the variance of the features of X in held-out rows\n", formatShare(*r.Explained))
	}
	fmt.Fprintf(&b, "instruments: %s; %d rows with X, %d rows with Y\n", oneLine(listed(r.Instruments)), r.Rows.XU, r.Rows.UY)
	if len(r.Controls) > 0 {
		fmt.Fprintf(&b, "controls: %s\n", oneLine(listed(r.Controls)))
	}
	fmt.Fprintf(&b, "assumed: %s (Z: the instruments)\n", r.Assumptions.Instrument)
	fmt.Fprintf(&b, "fit on these tables assumes instead: %s\n", r.Assumptions.Mediator)
	for _, d := range []struct {
		rows int
		what string
	}{{r.DroppedXU, "X"}, {r.Rows.Dropped, allOfY(len(r.Y))}} {
		if d.rows > 0 {
			fmt.Fprintf(&b, "left out: %s without %s\n", count(d.rows, "row"), d.what)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", oneLine(note))
	}
	if out != "" {
		fmt.Fprintf(&b, "written to %s\n", out)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
