package study

import (
	"context"
	"fmt"
	"os"

	"mediant/internal/corruption"
)

// A Run is one corruption of one pair, and what came of it.
type Run struct {
	Group      string           `json:"group"`
	Corruption string           `json:"corruption"`
	Strength   string           `json:"strength"`
	Place      corruption.Place `json:"place"`
	Pair       string           `json:"pair"`
	Seed       uint64           `json:"seed"`
	Full       bool             `json:"full"`
	Columns    []string         `json:"columns"`
	Verdict    Verdict          `json:"verdict"`
	Right      bool             `json:"right"`
	Named      bool             `json:"named"`
	Again      int              `json:"again"` // how often it is silent wrong on other draws
	Draws      int              `json:"draws"` // of so many whose clean pairs are right
	Clean      *Result          `json:"clean"`
	Spoilt     *Result          `json:"spoilt"`
}

// A lab runs the command in a folder, and keeps what it says of clean pairs.
type lab struct {
	*Study
	dir   string
	clean map[string]*Result
	pairs map[string]*corruption.Pair
}

func (s *Study) newLab(parent string) (*lab, error) {
	dir, err := os.MkdirTemp(parent, "lab-*")
	return &lab{Study: s, dir: dir, clean: map[string]*Result{}, pairs: map[string]*corruption.Pair{}}, err
}

// try runs one corruption, and again on other draws where a wrong number is silent.
func (l *lab) try(ctx context.Context, t trial) (*Run, error) {
	r, err := l.run(ctx, t)
	if err == nil && r != nil && r.Verdict == SilentWrong {
		err = l.repeat(ctx, t, r)
	}
	return r, err
}

// run applies one corruption; nil if the pair has nothing that could be spoilt so.
func (l *lab) run(ctx context.Context, t trial) (*Run, error) {
	key := fmt.Sprintf("%s %d", t.source.Name, t.seed)
	pair := l.pairs[key]
	if pair == nil {
		var err error
		if pair, err = t.source.Make(t.seed); err != nil {
			return nil, err
		}
		l.pairs[key] = pair
	}
	spoilt, ok := t.Apply(pair, t.place, t.strength, t.seed)
	if !ok {
		return nil, nil
	}
	key += fmt.Sprint(" ", t.full)
	clean := l.clean[key]
	if clean == nil {
		var err error
		if clean, err = l.command(ctx, pair, t.full); err != nil {
			return nil, err
		}
		l.clean[key] = clean
	}
	got, err := l.command(ctx, spoilt.Pair, t.full)
	if err != nil {
		return nil, err
	}
	r := &Run{Group: t.Group, Corruption: t.Name, Strength: t.Strengths[t.strength], Place: t.place, Pair: t.source.Name, Seed: t.seed, Full: t.full,
		Columns: spoilt.Columns, Clean: clean, Spoilt: got}
	r.classify(spoilt.Unseen)
	return r, nil
}

// A silent wrong number on otherDraws is by chance if it is so on at most chanceShare of them: intervals of 95 % miss in as many.
const (
	otherDraws  = 20
	chanceShare = .1
)

// repeat tries a corruption on other draws of its pair.
func (l *lab) repeat(ctx context.Context, t trial, r *Run) error {
	for d := range uint64(otherDraws) {
		t.seed = r.Seed + 1000 + d
		again, err := l.run(ctx, t)
		if err != nil {
			return err
		}
		if again == nil || again.Clean.Estimate == nil || !again.Clean.holds() {
			continue
		}
		r.Draws++
		if again.Verdict == SilentWrong {
			r.Again++
		}
	}
	if float64(r.Again) <= chanceShare*float64(r.Draws) {
		r.Verdict = ByChance
	}
	return nil
}
