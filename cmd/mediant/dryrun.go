package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/problem"
	"mediant/search"
)

// A dryRun is what fit --dry-run --json prints.
type dryRun struct {
	Rows struct {
		XU        int `json:"xu"`
		UY        int `json:"uy"`
		NoOverlap int `json:"no_overlap,omitempty"`
	} `json:"rows"`
	Roles struct {
		X []column `json:"x"`
		U []column `json:"u"`
		Y []column `json:"y"`
	} `json:"roles"`
	Classes []string `json:"classes,omitempty"`
	Columns struct { // after encoding
		X int `json:"x"`
		U int `json:"u"`
	} `json:"encoded_columns"`
	// Features are the numbers of features of X and of U where maps are compared, and of the final fit.
	Features struct {
		Phi      []string `json:"phi"`
		Psi      []string `json:"psi"`
		Compared [2]int   `json:"compared"`
		Final    [2]int   `json:"final"`
	} `json:"features"`
	Memory struct {
		Bytes int64 `json:"bytes"`
		Limit int64 `json:"limit"`
	} `json:"memory"`
	Seconds struct {
		Estimate float64 `json:"estimate"`
		Low      float64 `json:"low"`
		High     float64 `json:"high"`
	} `json:"seconds"`
	Findings []check.Finding `json:"findings"`
	Notes    []string        `json:"notes"`
}

type column struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// profiledColumns are columns with the kinds that their profiles have.
func profiledColumns(names []string, of check.TableProfile) []column {
	out := make([]column, len(names))
	for i, name := range names {
		out[i].Name = name
		for _, p := range of.Columns {
			if p.Name == name {
				out[i].Kind = string(p.Kind)
			}
		}
	}
	return out
}

// doubtfulTime is the factor by which an estimated time may be off in either direction, beside what depends on the maps that are the best.
const doubtfulTime = 3

// outline says what a fit would do, having read the tables for roles, kinds and encoders, and compared the maps on a sample. start is when reading them began: a fit reads them as well.
func (f *fitFlags) outline(ctx context.Context, p plan, two *twoTables, report *check.Report, start time.Time, stdout io.Writer) error {
	p.setup.Folds = search.Folds
	e, err := problem.Encode(ctx, p.setup, two.xu, two.uy)
	if err != nil {
		return hinted(err)
	}
	read := time.Since(start).Seconds()
	o, err := p.outline(ctx, e, f.noRisk)
	if err != nil {
		return hinted(err)
	}
	if f.se {
		x, u, k, features := float64(e.X().Rows()), float64(e.U().Rows()), float64(e.Y().Len()), float64(max(o.Final[0], o.Final[1]))
		more := features * features * (10*x + 4*u + k*(2*u+8*features)) // inference.Estimate
		o.Flops, o.Least, o.Most = o.Flops+more, o.Least+more, o.Most+more
	}
	f.distribution.addTo(&o, e)
	d := dryRun{Findings: report.Findings, Notes: emptyNotNil(e.Notes()), Classes: e.Y().Classes()}
	d.Rows.XU, d.Rows.UY = e.Counts()[problem.TableXU], e.Counts()[problem.TableUY]
	if none := e.NoOverlap(); none != nil {
		d.Rows.NoOverlap = none.Rows
	}
	d.Roles.X, d.Roles.U, d.Roles.Y = profiledColumns(e.Roles().X, report.XU), profiledColumns(e.Roles().U, report.UY), profiledColumns(e.Roles().Y, report.UY)
	d.Columns.X, d.Columns.U = e.X().Width(), e.U().Width()
	d.Features.Phi, d.Features.Psi, d.Features.Compared, d.Features.Final = o.Phi, o.Psi, o.Compared, o.Final
	d.Memory.Bytes, d.Memory.Limit = int64(o.Bytes), p.setup.Memory
	a := speed()
	d.Seconds.Estimate, d.Seconds.Low, d.Seconds.High = read+o.Flops/a, (read+o.Least/a)/doubtfulTime, (read+o.Most/a)*doubtfulTime
	if f.json {
		return writeJSON(stdout, d)
	}
	if f.quiet {
		return nil
	}
	_, err = io.WriteString(stdout, describeProfiles(f.xu, f.uy, report)+d.describe())
	return err
}

// outline is that of a fit of the plan, or of conjugate gradients where fit would take them.
func (p plan) outline(ctx context.Context, e *problem.Encoded, noRisk bool) (o search.Outline, err error) {
	if p.method == nil {
		o, err = p.search.Outline(ctx, e)
	} else {
		o = search.OutlineOf(e, p.method, !noRisk)
	}
	short := new(problem.MemoryError)
	if p.large != nil && (errors.As(err, &short) || err == nil && p.setup.Memory > 0 && o.Bytes > float64(p.setup.Memory)) {
		return search.OutlineOf(e, p.large, !noRisk), nil
	}
	return o, err
}

// describe writes what follows from the columns for people.
func (d *dryRun) describe() string {
	var b lines
	b.line("rows", "%d of X and U, %d of U and Y", d.Rows.XU, d.Rows.UY)
	b.line("encoded", "%s of X, %s of U", count(d.Columns.X, "column"), count(d.Columns.U, "column"))
	if len(d.Classes) > 0 {
		b.line("classes", "%s", listed(d.Classes))
	}
	for _, side := range []struct {
		name, of string
		maps     []string
		at       int
	}{{"phi", "X", d.Features.Phi, 0}, {"psi", "U", d.Features.Psi, 1}} {
		if len(side.maps) > 1 {
			b.line(side.name, "%d maps of %s are compared at %d features: %s", len(side.maps), side.of, d.Features.Compared[side.at], strings.Join(side.maps, "; "))
		}
	}
	b.line("features", "%d of X and %d of U in the final fit, fewer if the best map has fewer", d.Features.Final[0], d.Features.Final[1])
	for _, note := range d.Notes {
		b.line("note", "%s", note)
	}
	memory := "at most " + formatBytes(float64(d.Memory.Bytes)) + " in use"
	if d.Memory.Limit > 0 {
		memory += " of " + formatBytes(float64(d.Memory.Limit))
	}
	memory += "; garbage adds about a quarter, of small tables up to as much again, within the limit"
	b.line("memory", "%s", memory)
	depends := ""
	if d.Seconds.High > 2*doubtfulTime*doubtfulTime*d.Seconds.Low {
		if depends = ", by how many passes it takes"; len(d.Features.Phi)*len(d.Features.Psi) > 1 {
			depends = ", by which maps are the best"
		}
	}
	b.line("time", "about %s (%s to %s%s)", roundSeconds(d.Seconds.Estimate), roundSeconds(d.Seconds.Low), roundSeconds(d.Seconds.High), depends)
	b.line("dry run", "nothing was fitted or written")
	return b.String()
}

// roundSeconds writes a time with one or two digits.
func roundSeconds(s float64) string {
	switch {
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 7200:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

// speed measures the number of floating-point operations a second of products, and returns that of a fit, which is lower: its matrices are smaller, and much of
// its time goes into factorisations, cosines and copies. It is that of the fastest product, which no other program has interrupted.
func speed() float64 {
	const order = 384
	a, b := mat.NewDense(order, order, nil), new(mat.Dense)
	for i := range order {
		for j := range order {
			a.Set(i, j, math.Sin(float64(i*order+j)))
		}
	}
	b.Mul(a, a) // threads begin
	fastest := time.Duration(math.MaxInt64)
	for begin := time.Now(); time.Since(begin) < 50*time.Millisecond; {
		one := time.Now()
		b.Mul(a, a)
		fastest = min(fastest, time.Since(one))
	}
	return 2 * order * order * order / fastest.Seconds() / fitSlowness
}

// fitSlowness is by how much a fit is slower than products of matrices, as measured: 1.2 to 2 times in time of processors, and threads wait for each other.
const fitSlowness = 2
