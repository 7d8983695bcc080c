package main

import "github.com/spf13/pflag"

func (f *fitFlags) register(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.registerTables(flags, `file of X and U in any format, "-" for standard input, or parts of it (comma list, globs)`, true)
	registerCluster(flags, &f.cluster, &f.roles)
	flags.StringVarP(&f.out, "output", "o", "", "model file to write")
	inGroup(flags, outputGroup)
	f.text.register(flags)
	f.registerFeatures(flags)
	f.registerMethod(flags)
	f.memory.register(flags)
	f.checkpoint.register(flags)
	flags.BoolVar(&f.noRisk, "no-risk", false, "estimate no risk and print no diagnosis")
	flags.BoolVar(&f.noDiagnosis, "no-diagnosis", false, "leave out the diagnosis")
	flags.IntVar(&f.form, "form", 1, "form of the risk: 1 if U has the same distribution in both tables (after weighting with --shift), 2 if they may differ, for which there is no valid interval where they do")
	f.collect.register(flags)
	inGroup(flags, riskGroup)
	f.checkFlags.register(flags)
	f.registerCopies(flags)
	f.report.register(flags)
	flags.BoolVar(&f.dryRun, "dry-run", false, "print roles, kinds, findings, and the memory and time that the fit may take, and end without fitting")
	flags.BoolVar(&f.json, "json", false, "print the summary as JSON")
	flags.BoolVar(&f.quiet, "quiet", false, "print nothing but errors and what --json asks for")
	inGroup(flags, outputGroup)
	mostUsed(flags, "xu", "uy", "output", "x", "u", "y", "ignore", "method", "distribution", "json")
}

// registerFeatures registers how columns become features.
func (f *fitFlags) registerFeatures(flags *pflag.FlagSet) {
	flags.StringVar(&f.phi, "phi", "auto", "features of X: "+mapNames())
	flags.StringVar(&f.psi, "psi", "auto", "features of U (likewise)")
	f.landmarks.register(flags)
	flags.IntVar(&f.size, "features", 0, "number of features of X and of U each, twice the frequencies (default: 512 to 2,048, depending on the number of rows)")
	flags.Float64Var(&f.bandwidthX, "bandwidth-x", 0, "bandwidth of the kernel of X in encoded units (default: chosen among multiples of the median)")
	flags.Float64Var(&f.bandwidthU, "bandwidth-u", 0, "bandwidth of the kernel of U (likewise)")
	flags.BoolVar(&f.noStandardize, "no-standardize", false, "do not scale numeric columns")
	inGroup(flags, featureGroup)
}

// registerMethod registers the method and its hyperparameters.
func (f *fitFlags) registerMethod(flags *pflag.FlagSet) {
	flags.StringVar(&f.method, "method", "auto", "auto, joint, 2step, naive or cme")
	flags.Float64Var(&f.lambda, "lambda", 0, "ridge penalty of f and of h, per sample (default: chosen)")
	flags.Float64Var(&f.lambdaF, "lambda-f", 0, "ridge penalty of f (overrides --lambda)")
	flags.Float64Var(&f.lambdaH, "lambda-h", 0, "ridge penalty of h (overrides --lambda)")
	flags.Float64Var(&f.w, "w", 0, "weight of Joint-RR in (0, 1]; 1 is 2Step-RR (default: chosen)")
	flags.StringVar(&f.penalty, "penalty", "scaled", "penalties of Joint-RR: scaled, divided by the weights of their losses, or paper, not divided")
	flags.StringVar(&f.loss, "loss", "auto", "loss that f and h minimise: squared, log (probabilities of classes), poisson (means of counts), or auto: log for up to 100 classes, unless another flag is for squared error alone")
	flags.BoolVar(&f.noIntercept, "no-intercept", false, "fit without intercepts")
	flags.StringVar(&f.task, "task", "auto", "auto, regress or classify")
	flags.BoolVar(&f.se, "se", false, "keep standard errors of f for predict --se (one or two more passes; joint and 2step)")
	flags.BoolVar(&f.precision, "precision", false, "weight the rows of X and U by the precision of h(U) given X in the fit of f, or never (--precision=false) (default: chosen)")
	flags.BoolVar(&f.components, "components", false, "fit each part of h(U), one unless psi is additive, by itself, on the columns of X that it depends on (2step with additive phi), or never (--components=false) (default: chosen)")
	flags.StringVar(&f.arithmetic, "arithmetic", "auto", "sums of products of features: float64; mixed, in float32 within 256 rows, in about half of the time; or auto, mixed where there are many rows and features and f and h can be refined to those of float64")
	flags.StringVar(&f.solver, "solver", solverAuto, "closed form; cg, conjugate gradients over the rows, for 2step with more features than memory holds sums of (penalties: 1e-4 unless set); or auto, cg where --features is set and the closed form would need more than --memory")
	f.distribution.register(flags)
	flags.BoolVar(&f.shift, "shift", false, "weight the rows of U and Y by the ratio of the densities of U in the two tables, for covariate shift (features are chosen without)")
	flags.StringVar(&f.planFile, "plan", "", "plan file, by whose encoders, features and folds the tables are summed, as by the command sums, and fitted from sums")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of all random choices")
	inGroup(flags, methodGroup)
}
