package main

import (
	"context"
	"slices"

	"mediant/encode"
	"mediant/features"
	"mediant/inference"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// tasks are the values of --task.
var tasks = map[string]encode.Task{"auto": encode.AutoTask, "regress": encode.Regress, "classify": encode.Classify}

// setup checks the flags that say how tables become features.
func (f *fitFlags) setup() (problem.Setup, error) {
	var s problem.Setup
	if err := f.checkGiven(); err != nil {
		return s, err
	}
	if f.out == "" && !f.dryRun {
		return s, usagef("-o is missing")
	}
	return f.settings()
}

// settings is setup but for what must be set.
func (f *fitFlags) settings() (problem.Setup, error) {
	s := problem.Setup{Roles: f.roles, NoIntercept: f.noIntercept, NoStandardize: f.noStandardize, Seed: f.seed, Arithmetic: moments.Arithmetic(f.arithmetic)}
	if s.Arithmetic.Validate() != nil {
		return s, usagef("--arithmetic %q, want auto, float64 or mixed", f.arithmetic)
	}
	if err := checkForm(f.form); err != nil {
		return s, err
	}
	s.Shift = f.shift
	for _, flag := range clusterNames {
		if f.se && f.given(flag) {
			return s, usagef("--se has no meaning with --%s: standard errors of predictions are those of independent rows", flag)
		}
	}
	if f.se {
		s = inference.Reserve(s, inference.Corrected)
	}
	task, ok := tasks[f.task]
	if !ok {
		return s, usagef("--task %q, want auto, regress or classify", f.task)
	}
	s.Task = task
	var err error
	if s.Memory, err = f.memory.limit(); err != nil {
		return s, err
	}
	if s.Text, err = f.text.options(); err != nil {
		return s, err
	}
	if s.Phi, err = f.spec("phi", f.phi, "bandwidth-x", f.bandwidthX); err != nil {
		return s, err
	}
	if s.Psi, err = f.spec("psi", f.psi, "bandwidth-u", f.bandwidthU); err != nil {
		return s, err
	}
	if err := f.landmarks.pick(f.given, &s.Phi, &s.Psi); err != nil {
		return s, err
	}
	return s, f.checkMaps(s.Phi, s.Psi)
}

// checkMaps refuses flags that mean nothing for these features.
func (f *fitFlags) checkMaps(phi, psi features.Spec) error {
	x, u := phi.HasSize() && f.landmarks.x == "", psi.HasSize() && f.landmarks.u == "" // which give the landmarks, and so their number
	if f.given("features") && !x && !u {
		return usagef("--features has no meaning with --phi %s and --psi %s, whose number of features is what it is", phi, psi)
	}
	if !f.components {
		return nil
	}
	if f.phi != "auto" && phi.Kind != features.AdditiveFeatures { // auto may choose additive ones
		return usagef("--components has no meaning with --phi %s, want additive:KERNEL or pairs:KERNEL", f.phi)
	}
	return nil
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
	// What the name of the features allows is refused because of the flag whose value is then put in.
	spec.Size = f.size
	if err := spec.Validate(); err != nil {
		return spec, usagef("--%s, --features: %w", flag, err)
	}
	spec.Bandwidth = bandwidth
	if err := spec.Validate(); err != nil {
		return spec, usagef("--%s, --%s: %w", flag, bandwidthFlag, err)
	}
	return spec, nil
}

// label is the only column of Y if the task is to classify, and has no name otherwise.
func (f *fitFlags) label(two *twoTables) tables.Column {
	if f.task != "classify" {
		return tables.Column{}
	}
	return f.outcome(two)
}

// outcome is the only column of Y, and has no name if there are more, or where Fit says what is wrong with the roles.
func (f *fitFlags) outcome(two *twoTables) tables.Column {
	roles, err := tables.AssignRoles(two.xu.Columns(), two.uy.Columns(), f.roles)
	if err != nil || len(roles.Y) != 1 {
		return tables.Column{}
	}
	i := slices.IndexFunc(two.uy.Columns(), func(c tables.Column) bool { return c.Name == roles.Y[0] })
	return two.uy.Columns()[i]
}

// openLabels reads the second table again to classify a label that looks like a number, with its column as text.
func (f *fitFlags) openLabels(ctx context.Context, two *twoTables) error {
	label := f.label(two)
	if label.Name == "" || label.Kind == tables.Text || f.uy == "-" {
		return nil
	}
	again := f.readFlags
	again.text = append(slices.Clone(f.readFlags.text), label.Name)
	src, closeAgain, err := again.of(f.ofUY).open(ctx, f.uy, nil)
	if err != nil {
		return err
	}
	closeBefore := two.closeUY
	two.uy, two.closeUY = src, closeAgain
	return closeBefore()
}
