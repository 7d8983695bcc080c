package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"mediant"
	"mediant/check"
	"mediant/diagnose"
	"mediant/internal/outfile"
	"mediant/problem"
	"mediant/risk"
	"mediant/search"
	"mediant/tables"
)

// head is the beginning of a file, of at most 8 bytes; nil if it cannot be read, of which others say why.
func head(path string) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() { // a pipe can be read once
		return nil
	}
	b := make([]byte, 8)
	n, _ := io.ReadFull(file, b)
	return b[:n]
}

// ofSums reports whether a table is given as files of sums, or some of its parts are.
func ofSums(table string) bool {
	return slices.ContainsFunc(filesOf(table), func(path string) bool { return problem.IsSums(head(path)) })
}

// rowFlags need rows of both tables, or are part of a plan.
var rowFlags = []string{"se", "distribution", "loss", "shift", "precision", "arithmetic", "psi", "bandwidth-u", "landmarks-x", "landmarks-u", "no-standardize", "no-intercept", "task", "copies", "form", "u", "y",
	"accept", "strict", "report", "dry-run", "cost-xu", "cost-uy", "budget"}

// runSums is run with a plan, or where some part of a table is sums.
func (f *fitFlags) runSums(ctx context.Context, setup problem.Setup, stdout, stderr io.Writer) error {
	for _, flag := range slices.Concat(rowFlags, clusterNames) {
		if f.given(flag) {
			return usagef("--%s has no meaning with sums and plans: sums have no rows, and the plan says it", flag)
		}
	}
	p, err := f.plan(setup)
	if err != nil {
		return err
	}
	if f.method == "naive" || f.method == "cme" {
		return usagef("--method %s needs the rows of both tables", f.method)
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := f.checkpoint.check(f.inputs()...); err != nil {
		return err
	}
	if err := checkOutput(f.out, f.inputs()...); err != nil {
		return err
	}
	return f.checkpoint.within(ctx, f.inputs(), func(ctx context.Context) error { return f.runParts(ctx, p, setup, stdout, stderr) })
}

// runParts is runSums once flags are checked.
func (f *fitFlags) runParts(ctx context.Context, p plan, setup problem.Setup, stdout, stderr io.Writer) error {
	defer keepWithin(setup.Memory)()
	f.readFlags.memory = setup.Memory
	var s summary
	start := time.Now()
	all, trials, err := f.sumParts(ctx, p.search)
	if err != nil {
		return hinted(err)
	}
	s.Seconds.Read = time.Since(start).Seconds()
	model, err := f.fitSums(ctx, p, all, &s)
	if err != nil {
		return hinted(err)
	}
	model.Search = append(trials, model.Search...)
	if model.Learned, err = f.learn(ctx, all.Plan.Roles); err != nil {
		return hinted(err)
	}
	model.Notes = append(model.Notes, leftOut(model.Learned))
	if err := outfile.Write(f.out, model.Save); err != nil {
		return err
	}
	s.Seconds.Total = time.Since(start).Seconds()
	s.describe(model, f.out)
	return f.print(model, &s, stdout, stderr)
}

// sumParts reads the sums and sums the tables, those of U and Y first: the features of X are chosen by them.
func (f *fitFlags) sumParts(ctx context.Context, s search.Search) (*problem.Sums, []search.Trial, error) {
	var all *problem.Sums
	if f.planFile != "" {
		p, err := readPlan(f.planFile)
		if err != nil {
			return nil, nil, err
		}
		all = &problem.Sums{Plan: p}
	}
	var rows [2][]string
	for t, table := range []string{f.xu, f.uy} {
		for _, path := range filesOf(table) {
			if !problem.IsSums(head(path)) {
				rows[t] = append(rows[t], path)
				continue
			}
			part, err := readSums(path)
			if err != nil {
				return nil, nil, named(path, err)
			}
			if side := [2][]string{{"--xu", "U and Y"}, {"--uy", "X and U"}}[t]; part.XU != nil && part.UY != nil || (part.XU == nil) != (t == problem.TableUY) {
				return nil, nil, fmt.Errorf("%s: it has sums of %s, which %s does not take", path, side[1], side[0])
			}
			if all, err = addSums(all, part, 1); err != nil {
				return nil, nil, named(path, err)
			}
		}
	}
	f.readFlags.model = all.Plan.Reading
	var trials []search.Trial
	for _, t := range []int{problem.TableUY, problem.TableXU} {
		for _, path := range rows[t] {
			var own func(src tables.Source) (*problem.Sums, error)
			if t == problem.TableXU && all.Plan.X == nil {
				own = func(src tables.Source) (*problem.Sums, error) {
					part, tried, err := s.SumXU(ctx, all, src)
					trials = tried
					return part, err
				}
			}
			part, err := f.sumTable(ctx, all.Plan, t, path, own)
			if err != nil {
				return nil, nil, err
			}
			if all, err = problem.MergeSums(all, part); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return all, trials, nil
}

// learn reads a table of which all parts are rows for what later rows are compared with; nil if there is none. A fit by a plan reads none, so that one party gets the bytes of
// two.
func (f *fitFlags) learn(ctx context.Context, roles tables.Roles) (*check.Learned, error) {
	var sources [2]tables.Source
	if f.planFile != "" {
		return nil, nil
	}
	for t, of := range []struct {
		path string
		as   dialect
	}{{f.xu, f.ofXU}, {f.uy, f.ofUY}} {
		if ofSums(of.path) || of.path == "-" {
			continue
		}
		src, close, err := f.readFlags.of(of.as).open(ctx, of.path, nil)
		if err != nil {
			return nil, err
		}
		defer close()
		sources[t] = src
	}
	if sources == [2]tables.Source{} {
		return nil, nil
	}
	return check.Learn(ctx, sources[problem.TableXU], sources[problem.TableUY], roles, f.seed)
}

// leftOut says what a fit of sums lacks.
func leftOut(known *check.Learned) string {
	later := "what later rows are compared with"
	switch {
	case known == nil:
	case known.UY.Rows == 0:
		later += " but for those of X and U"
	default:
		later += " but for those of U and Y"
	}
	return "of sums without rows: the check of both tables, overlap, copies of rows, the naive chain and " + later + " are left out"
}

// fitSums fits what the flags ask for.
func (f *fitFlags) fitSums(ctx context.Context, p plan, sums *problem.Sums, s *summary) (*mediant.Model, error) {
	of, err := sums.Problem()
	if err != nil {
		return nil, err
	}
	clock := time.Now()
	var choice *search.Choice
	if p.method != nil {
		choice, err = search.ChoiceOf(of, p.method, risk.AssessOptions{})
	} else {
		p.search.Rivals = nil
		choice, err = p.search.ChooseOf(ctx, of)
	}
	s.Seconds.Select = lap(&clock)
	if err != nil {
		return nil, err
	}
	var model *mediant.Model
	if f.noRisk {
		m, err := choice.Fit(ctx)
		if err != nil {
			return nil, err
		}
		model = &mediant.Model{Model: m, Search: choice.Trials}
	} else if model, err = mediant.FitChoice(ctx, choice); err != nil {
		return nil, err
	}
	s.Seconds.Fit = lap(&clock)
	model.Reading = f.readFlags.reading()
	if of.HasNoise() {
		model.Notes = append(model.Notes, "the diagnosis is left out: its tests know nothing of noise")
	}
	if f.noRisk || f.noDiagnosis || of.HasNoise() {
		return model, nil
	}
	if s.Diagnosis, err = diagnose.DiagnoseSums(ctx, model.Model, of); err != nil {
		return nil, err
	}
	s.Diagnosis.AddSensitivity(model.Assessment)
	s.Seconds.Look = lap(&clock)
	return model, nil
}
