package check

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"mediant/internal/parallel"
	"mediant/tables"
)

// Learned is what a model keeps of the two tables that it learned from, so that later rows can be compared with them: a profile
// of each column that has a role, without its levels, which encoders have, and fingerprints of the rows. It does not change.
type Learned struct {
	XU LearnedTable `json:"xu"` // X and U
	UY LearnedTable `json:"uy"` // U and Y
}

// A LearnedTable is what is kept of one table.
type LearnedTable struct {
	TableProfile
	Fingerprints *Fingerprints `json:"fingerprints"`
}

// What a fit keeps is made by itself in every fit, of tables that may be wide, so it counts fewer distinct values and samples
// fewer rows than a check: a fifth of its time, and 10 kB a column.
const (
	learnedDistinct = 256
	learnedSample   = 1024
)

// Learn reads both tables once, one after the other, for their columns with these roles. A table of which there are only sums is nil: nothing is known of it. The error is
// one of reading, or names columns that are not there.
func Learn(ctx context.Context, xu, uy tables.Source, roles tables.Roles, seed uint64) (*Learned, error) {
	l := &Learned{}
	of := []struct {
		to   *LearnedTable
		src  tables.Source
		name Table
	}{{&l.XU, xu, XU}, {&l.UY, uy, UY}}
	var errs [2]error
	parallel.Blocks(len(of), 1, func(i, _ int) {
		if t := of[i]; t.src == nil {
			t.to.Fingerprints = newFingerprints(distinct{most: fingerprintRows})
		} else {
			errs[i] = t.to.learn(ctx, t.src, namesOf(roles, t.name), seed)
		}
	})
	return l, cmp.Or(errs[:]...)
}

func (l *LearnedTable) learn(ctx context.Context, src tables.Source, names []string, seed uint64) error {
	keys, err := newRowKeys(src.Columns(), names)
	if err != nil {
		return err
	}
	prints := distinct{most: fingerprintRows}
	look, err := lookAt(ctx, src, seed, lookOptions{columns: names, distinct: learnedDistinct, rows: learnedSample, each: func(b tables.Batch) {
		for _, key := range keys.of(b) {
			prints.add(key)
		}
	}})
	if err != nil {
		return err
	}
	l.TableProfile, l.Fingerprints = look.profile(), newFingerprints(prints)
	for _, p := range l.Columns {
		p.Levels = nil
	}
	return nil
}

// Coupled reads a table of (X, Y) rows once and looks for rows that were learned from, by X and U or by U and Y as far as the table has those columns:
// a Warning, since the model has not learned from their X with their Y. A nil Learned knows of none. The error is one of reading.
func (l *Learned) Coupled(ctx context.Context, src tables.Source, roles tables.Roles) ([]Finding, error) {
	if l == nil {
		return nil, nil
	}
	guard := tables.NewGuard("", src)
	type side struct {
		prints *Fingerprints
		keys   *rowKeys
		counts distinct
		say    string
	}
	var sides []*side
	for _, t := range []struct {
		of   *LearnedTable
		name Table
		say  string
	}{{&l.XU, XU, "X and U"}, {&l.UY, UY, "U and Y"}} {
		keys, err := newRowKeys(guard.Columns(), namesOf(roles, t.name))
		if err != nil { // it has no such columns
			continue
		}
		sides = append(sides, &side{prints: t.of.Fingerprints, keys: keys, counts: distinct{level: t.of.Fingerprints.counts.level}, say: t.say})
	}
	if sides == nil {
		return nil, nil
	}
	rows := 0
	for b, err := range guard.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		rows += b.Rows
		for _, s := range sides {
			for _, key := range s.keys.of(b) {
				s.counts.add(key)
			}
		}
	}
	for _, s := range sides {
		if f := s.prints.finding(&s.counts, rows, Later); f != nil {
			f.Severity = Warning
			f.What += ", by " + s.say
			return []Finding{*f}, nil
		}
	}
	return nil, nil
}

// UnmarshalJSON reads what package json wrote. What Later could not be asked with is an error.
func (l *LearnedTable) UnmarshalJSON(text []byte) error {
	type plain LearnedTable
	var own plain
	if err := json.Unmarshal(text, &own); err != nil {
		return err
	}
	if own.Fingerprints == nil {
		return fmt.Errorf("check: a table without fingerprints")
	}
	for _, p := range own.Columns {
		if p == nil || p.Missing < 0 || p.Missing > p.Rows || p.Numbers != nil && !p.Numbers.ascend() {
			return fmt.Errorf("check: a profile that is none")
		}
	}
	*l = LearnedTable(own)
	return nil
}

// ascend reports whether least, quantiles and greatest are in order, and that a share is one.
func (n *Numbers) ascend() bool {
	all := slices.Concat([]float64{n.Min}, n.Quantiles, []float64{n.Max})
	return len(n.Quantiles) == len(quantilesAt) && slices.IsSorted(all) && n.ModeShare >= 0 && n.ModeShare <= 1
}
