package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediant/baselines"
	"mediant/features"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// fitFlags are the flags of fit.
type fitFlags struct {
	readFlags
	xu, uy, out                 string
	roles                       tables.RoleOptions
	method, phi, psi            string
	size                        int
	bandwidthX, bandwidthU      float64
	lambda, lambdaF, lambdaH, w float64
	penalty, task, memory       string
	noIntercept, noStandardize  bool
	se, shift                   bool
	seed                        uint64
	json, quiet                 bool
	noRisk                      bool
	form                        int

	given func(flag string) bool
}

func newFit() *cobra.Command {
	var f fitFlags
	cmd := &cobra.Command{
		Use:   "fit --xu A.csv --uy B.csv -o MODEL",
		Short: "Fit a model to a table of (X, U) and a table of (U, Y)",
		Long: `Fit a model to a table of (X, U) and a table of (U, Y).

Columns get their roles by name: U = columns that both tables have, X = columns only
in the first, Y = columns only in the second; --x, --u and --y override that. If Y is
one text column the model classifies, else it regresses.

A setting given by hand is used exactly. The others are, in this version, documented
constants: joint, w 0.5, penalty scaled, lambda 1e-4, 512 Gaussian random Fourier
features a side, median bandwidths, standardised columns. The mean embedding (cme)
chooses its own lambda_f by cross-validation.

The risk is the mean squared error of the method, estimated without one pair (X, Y): each
of 5 models is fitted on 4/5 of the rows and judged on the others. It is right if X says
nothing more about the mean of Y once U is known. The bracket holds without that. With
--form 2 the law of U may differ between the tables (there is no bracket then).`,
		Example: `  mediant fit --xu A.csv --uy B.csv -o model.mediant
  mediant fit --xu A.csv --uy B.csv --y 'mood' --method 2step --lambda 1e-3 -o m.mediant
  mediant fit --xu A.csv.gz --uy B.csv.gz --phi nystrom:gaussian --features 1000 --json -o m.mediant`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = cmd.Flags().Changed
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.xu, "xu", "", `CSV file of X and U (.csv or .csv.gz, "-" for standard input)`)
	flags.StringVar(&f.uy, "uy", "", `CSV file of U and Y (likewise)`)
	flags.StringVarP(&f.out, "output", "o", "", "model file to write")
	flags.StringSliceVar(&f.roles.X, "x", nil, "columns of X (comma list, globs)")
	flags.StringSliceVar(&f.roles.U, "u", nil, "columns of U (comma list, globs)")
	flags.StringSliceVar(&f.roles.Y, "y", nil, "columns of Y (comma list, globs)")
	flags.StringVar(&f.roles.WeightsXU, "weights-xu", "", "column of sample weights in the first table")
	flags.StringVar(&f.roles.WeightsUY, "weights-uy", "", "column of sample weights in the second table")
	f.readFlags.register(flags)
	flags.StringSliceVar(&f.text, "text", nil, "columns to read as text whatever they look like (comma list, globs)")
	flags.StringVar(&f.method, "method", "auto", "auto, joint, 2step, naive or cme")
	flags.StringVar(&f.phi, "phi", "auto", "features of X: auto, linear, gaussian, laplacian, matern12, matern32, matern52 (Fourier), additive:KERNEL, nystrom:KERNEL, polynomial:DEGREE")
	flags.StringVar(&f.psi, "psi", "auto", "features of U (likewise)")
	flags.IntVar(&f.size, "features", 0, "features a side, twice the frequencies (default 512)")
	flags.Float64Var(&f.bandwidthX, "bandwidth-x", 0, "bandwidth of the kernel of X in encoded units (default: median rule)")
	flags.Float64Var(&f.bandwidthU, "bandwidth-u", 0, "bandwidth of the kernel of U (likewise)")
	flags.Float64Var(&f.lambda, "lambda", rr.DefaultLambda, "ridge penalty of f and of h, per sample")
	flags.Float64Var(&f.lambdaF, "lambda-f", 0, "ridge penalty of f (overrides --lambda)")
	flags.Float64Var(&f.lambdaH, "lambda-h", 0, "ridge penalty of h (overrides --lambda)")
	flags.Float64Var(&f.w, "w", rr.DefaultW, "weight of Joint-RR in (0, 1]; 1 is 2Step-RR")
	flags.StringVar(&f.penalty, "penalty", "scaled", "where the penalties of Joint-RR stand: scaled or paper")
	flags.BoolVar(&f.noIntercept, "no-intercept", false, "fit without intercepts")
	flags.BoolVar(&f.noStandardize, "no-standardize", false, "do not scale numeric columns")
	flags.StringVar(&f.task, "task", "auto", "auto, regress or classify")
	flags.BoolVar(&f.se, "se", false, "keep standard errors of f for predict --se (one more pass; joint and 2step)")
	flags.BoolVar(&f.shift, "shift", false, "weigh the rows of U and Y by the ratio of the laws of U in the two tables")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of all random choices")
	flags.StringVar(&f.memory, "memory", "", "refuse a fit that needs more than this, such as 4GiB (default: what is free)")
	flags.BoolVar(&f.noRisk, "no-risk", false, "do not estimate the risk")
	flags.IntVar(&f.form, "form", 1, "form of the risk: 1, same law of U in both tables, or 2, laws may differ")
	flags.BoolVar(&f.json, "json", false, "print the summary as JSON")
	flags.BoolVar(&f.quiet, "quiet", false, "print nothing but errors and what --json asks for")
	return cmd
}

// summary is what fit --json prints. Keys may be added, none of these change.
type summary struct {
	Method  string   `json:"method"`
	W       *float64 `json:"w"`
	LambdaF *float64 `json:"lambda_f"`
	LambdaH *float64 `json:"lambda_h"`
	Rows    rr.Rows  `json:"rows"`
	Seconds struct {
		Read   float64 `json:"read"`
		Select float64 `json:"select"`
		Fit    float64 `json:"fit"`
		Risk   float64 `json:"risk"`
		Total  float64 `json:"total"`
	} `json:"seconds"`
	*rr.Assessment
	Conditions map[string]rr.Condition `json:"conditions,omitempty"`
	Notes      []string                `json:"notes"`
	Warnings   []string                `json:"warnings"`
	Model      string                  `json:"model"`
}

func (f *fitFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	setup, err := f.setup()
	if err != nil {
		return err
	}
	method, err := f.solver(setup)
	if err != nil {
		return err
	}
	if _, err := f.options(nil); err != nil {
		return err
	}
	if err := checkOutput(f.out, f.xu, f.uy); err != nil {
		return err
	}
	var s summary
	clock := time.Now()
	xu, closeXU, err := f.open(ctx, f.xu, nil)
	if err != nil {
		return err
	}
	defer closeXU()
	uy, closeUY, err := f.openUY(ctx, xu)
	if err != nil {
		return err
	}
	defer closeUY()
	if _, err := tables.MatchNames(slices.Concat(xu.Columns(), uy.Columns()), f.text); err != nil {
		return fmt.Errorf("--text: %w", err)
	}
	s.Seconds.Read = lap(&clock)
	model, problem, err := f.fit(ctx, method, setup, xu, uy)
	if err != nil {
		return hinted(err)
	}
	s.Seconds.Fit = lap(&clock)
	if problem != nil {
		if err := f.assess(ctx, model, problem, method); err != nil {
			return err
		}
	}
	s.Seconds.Risk = lap(&clock)
	if err := ctx.Err(); err != nil { // solving does not stop half-way
		return err
	}
	if err := tables.WriteFile(f.out, model.Save); err != nil {
		return err
	}
	s.Seconds.Total = s.Seconds.Read + s.Seconds.Fit + s.Seconds.Risk + lap(&clock)
	s.Method, s.W, s.LambdaF, s.LambdaH = model.Method, model.Params.W, model.Params.LambdaF, model.Params.LambdaH
	if model.Params.LambdaG != nil {
		s.LambdaF = model.Params.LambdaG
	}
	s.Assessment = model.Assessment
	s.Rows, s.Conditions, s.Model = model.Rows, model.Condition, f.out
	s.Notes, s.Warnings = emptyNotNil(model.Notes), emptyNotNil(model.Warnings)
	switch {
	case f.json:
		return writeJSON(stdout, s)
	case f.quiet:
		return nil
	}
	for _, w := range model.Warnings {
		fmt.Fprintln(stderr, "warning: "+oneLine(w))
	}
	return describeModel(stdout, model, fmt.Sprintf("written to %s in %.2f s", f.out, s.Seconds.Total))
}

// fit fits the method; the problem is nil if the risk is not asked for.
func (f *fitFlags) fit(ctx context.Context, method rr.Solver, setup rr.Setup, xu, uy tables.Source) (*rr.Model, *rr.Problem, error) {
	if f.noRisk {
		model, err := method.Fit(ctx, xu, uy)
		return model, nil, err
	}
	setup.Folds = rr.RiskFolds
	problem, err := rr.Prepare(ctx, setup, xu, uy)
	if err != nil {
		return nil, nil, err
	}
	model, err := method.Solve(ctx, problem)
	return model, problem, err
}

// assess adds the risk to the model, or a warning that says why there is none.
func (f *fitFlags) assess(ctx context.Context, model *rr.Model, problem *rr.Problem, method rr.Solver) error {
	var err error
	model.Assessment, err = problem.Assess(ctx, rr.Solved(method), rr.AssessOptions{Form: rr.Form(f.form)})
	if errors.Is(err, rr.ErrNoRisk) {
		model.Warnings = append(model.Warnings, plain(err.Error()))
		return nil
	}
	return err
}

// hinted adds the flags to change to errors of the library that mention none.
func hinted(err error) error {
	switch text := err.Error(); {
	case strings.Contains(text, "ask for fewer features or raise the limit"):
		return fmt.Errorf("%w (--features, --memory)", err)
	case strings.Contains(text, "read it as text to classify"):
		return fmt.Errorf("%w (--text)", err)
	}
	return err
}

func emptyNotNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// lap returns the seconds since *clock and starts it anew.
func lap(clock *time.Time) float64 {
	now := time.Now()
	defer func() { *clock = now }()
	return now.Sub(*clock).Seconds()
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

// openUY opens the table of U and Y. To classify a label that looks like a number, its column is
// read again as text.
func (f *fitFlags) openUY(ctx context.Context, xu tables.Source) (tables.Source, func() error, error) {
	uy, close, err := f.open(ctx, f.uy, nil)
	if err != nil || f.task != "classify" || f.uy == "-" {
		return uy, close, err
	}
	roles, err := tables.AssignRoles(xu.Columns(), uy.Columns(), f.roles)
	if err != nil || len(roles.Y) != 1 {
		return uy, close, nil // Fit says what is wrong
	}
	i := slices.IndexFunc(uy.Columns(), func(c tables.Column) bool { return c.Name == roles.Y[0] })
	if uy.Columns()[i].Kind == tables.Text {
		return uy, close, nil
	}
	if err := close(); err != nil {
		return nil, nil, err
	}
	again := f.readFlags
	again.text = append(slices.Clone(f.text), roles.Y[0])
	return again.open(ctx, f.uy, nil)
}

// setup checks the flags that say how tables become features.
func (f *fitFlags) setup() (rr.Setup, error) {
	s := rr.Setup{Roles: f.roles, NoIntercept: f.noIntercept, NoStandardize: f.noStandardize, Seed: f.seed}
	for _, required := range []struct{ flag, value string }{{"--xu", f.xu}, {"--uy", f.uy}, {"-o", f.out}} {
		if required.value == "" {
			return s, usagef("%s is missing", required.flag)
		}
	}
	if f.xu == "-" && f.uy == "-" {
		return s, usagef("only one of --xu and --uy can be standard input")
	}
	if err := checkForm(f.form); err != nil {
		return s, err
	}
	tasks := map[string]features.Task{"auto": features.AutoTask, "regress": features.Regress, "classify": features.Classify}
	s.Shift = f.shift
	if f.se {
		s.Errors = rr.Corrected
	}
	task, ok := tasks[f.task]
	if !ok {
		return s, usagef("--task %q, want auto, regress or classify", f.task)
	}
	s.Task = task
	var err error
	if s.Memory, err = parseBytes(f.memory); err != nil {
		return s, err
	}
	if f.memory == "" {
		s.Memory = defaultMemory()
	}
	if s.Phi, err = f.spec("phi", f.phi, "bandwidth-x", f.bandwidthX); err != nil {
		return s, err
	}
	s.Psi, err = f.spec("psi", f.psi, "bandwidth-u", f.bandwidthU)
	return s, err
}

func (f *fitFlags) spec(flag, text, bandwidthFlag string, bandwidth float64) (features.Spec, error) {
	spec, err := features.ParseSpec(text)
	if err != nil {
		return spec, usagef("--%s: %w", flag, err)
	}
	if f.given("features") && (f.size < 1 || f.size > features.MaxMonomials) { // beyond it moments take 32 GiB and more
		return spec, usagef("--features is %d, must be from 1 to %d", f.size, features.MaxMonomials)
	}
	if f.given(bandwidthFlag) && !(bandwidth > 0) {
		return spec, usagef("--%s is %g, must be above 0", bandwidthFlag, bandwidth)
	}
	spec.Size, spec.Bandwidth = f.size, bandwidth
	if err := spec.Validate(); err != nil {
		switch text := err.Error(); { // what ParseSpec let pass is the fault of another flag
		case f.given(bandwidthFlag) && strings.Contains(text, "bandwidth"):
			flag += ", --" + bandwidthFlag
		case f.given("features") && strings.Contains(text, "size"):
			flag += ", --features"
		}
		return spec, usagef("--%s: %w", flag, err)
	}
	return spec, nil
}

// solver returns the method that the flags name, having checked its numbers.
func (f *fitFlags) solver(setup rr.Setup) (rr.Solver, error) {
	penalties := map[string]solvers.Penalty{"scaled": solvers.Scaled, "paper": solvers.Paper}
	penalty, ok := penalties[f.penalty]
	if !ok {
		return nil, usagef("--penalty %q, want scaled or paper", f.penalty)
	}
	if !slices.Contains([]string{"auto", "joint", "2step", "naive", "cme"}, f.method) {
		return nil, usagef("--method %q, want auto, joint, 2step, naive or cme", f.method)
	}
	if f.se && (f.method == "naive" || f.method == "cme") {
		return nil, usagef("--se has no meaning with --method %s", f.method)
	}
	if err := f.checkLambdas(); err != nil {
		return nil, err
	}
	lambdaF, lambdaH := f.setting("lambda-f", f.lambdaF), f.setting("lambda-h", f.lambdaH)
	w := rr.Auto
	if f.given("w") {
		w = rr.Value(f.w)
	}
	params := solvers.Params{W: w.Or(rr.DefaultW), LambdaF: lambdaF.Or(rr.DefaultLambda), LambdaH: lambdaH.Or(rr.DefaultLambda), Penalty: penalty}
	if f.method != "auto" && f.method != "joint" {
		if f.given("w") && f.w != 1 {
			return nil, usagef("--w %g has no meaning with --method %s", f.w, f.method)
		}
		if penalty == solvers.Paper {
			return nil, usagef("--penalty paper has no meaning with --method %s", f.method)
		}
		params.W = 1
	}
	if err := params.Check(); err != nil {
		return nil, usageError{errors.New("--w, --penalty: " + strings.TrimPrefix(err.Error(), "solvers: "))}
	}
	switch f.method {
	case "2step":
		return rr.TwoStep{Setup: setup, LambdaF: lambdaF, LambdaH: lambdaH}, nil
	case "naive":
		return baselines.Naive{Setup: setup, LambdaG: lambdaF, LambdaH: lambdaH}, nil
	case "cme":
		return baselines.MeanEmbedding{Setup: setup, Lambda: lambdaF, LambdaH: lambdaH}, nil
	}
	return rr.Joint{Setup: setup, W: w, LambdaF: lambdaF, LambdaH: lambdaH, Penalty: penalty}, nil
}

// checkLambdas refuses penalties out of range, by the flag that gave them.
func (f *fitFlags) checkLambdas() error {
	for _, l := range []struct {
		flag  string
		value float64
	}{{"lambda", f.lambda}, {"lambda-f", f.lambdaF}, {"lambda-h", f.lambdaH}} {
		if !(l.value >= 0) || math.IsInf(l.value, 1) {
			return usagef("--%s is %g, must be finite and at least 0", l.flag, l.value)
		}
	}
	return nil
}

// setting returns the penalty of a flag of its own, or of --lambda.
func (f *fitFlags) setting(flag string, value float64) rr.Setting {
	switch {
	case f.given(flag):
		return rr.Value(value)
	case f.given("lambda"):
		return rr.Value(f.lambda)
	}
	return rr.Auto
}
