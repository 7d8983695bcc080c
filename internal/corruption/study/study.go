package study

import (
	"context"
	"errors"

	"mediant"
	"mediant/internal/corruption"
	"mediant/internal/draw"
	"mediant/internal/parallel"
)

// A Study runs the command on spoilt pairs.
type Study struct {
	// Runs are how many are done, in rounds over all corruptions.
	Runs int
	// Draws of each pair, of consecutive seeds from Seed on; one of a pair of free text.
	Draws int
	Seed  uint64
	// Rows are those of either table.
	Rows int
	// Full is such that one fit in so many searches for its settings. The others have fixed ones, which is faster.
	Full int
	// Only keeps the corruptions whose name contains it.
	Only string
	// Mediant runs the command in this process.
	Mediant Command
	// Load reads the file of a model.
	Load func(path string) (*mediant.Model, error)
}

// A trial is a corruption of a pair that is to be tried.
type trial struct {
	corruption.Corruption
	place    corruption.Place
	strength int
	source   corruption.Source
	seed     uint64
	full     bool
}

// plan lists all that could be tried: each corruption in each place and strength once, then each again on another pair or draw.
func (s *Study) plan(sources []corruption.Source) []trial {
	var rounds [][]trial
	variant := 0
	for _, c := range corruption.Find(s.Only) {
		for _, place := range c.Places {
			for strength := range corruption.Strengths {
				all := s.variant(trial{Corruption: c, place: place, strength: strength}, sources)
				rnd := draw.Rand(s.Seed, "study/corruption", variant)
				variant++
				rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				for i := range all {
					all[i].full = rnd.IntN(s.Full) == 0
				}
				rounds = append(rounds, all)
			}
		}
	}
	// In random order, so that few runs are of all groups.
	rnd := draw.Rand(s.Seed, "study/corruption/order", 0)
	rnd.Shuffle(len(rounds), func(i, j int) { rounds[i], rounds[j] = rounds[j], rounds[i] })
	var plan []trial
	for k := 0; ; k++ {
		before := len(plan)
		for _, all := range rounds {
			if k < len(all) {
				plan = append(plan, all[k])
			}
		}
		if len(plan) == before {
			return plan
		}
	}
}

// variant is a trial on each draw of each pair.
func (s *Study) variant(t trial, sources []corruption.Source) []trial {
	var all []trial
	for _, source := range sources {
		draws := s.Draws
		if source.Text {
			draws = 1
		}
		for d := range draws {
			t.source, t.seed = source, s.Seed+uint64(d)
			all = append(all, t)
		}
	}
	return all
}

// runsAtOnce is how many runs are begun before their results are looked at.
const runsAtOnce = 32

// Run tries corruptions of the sources, in folders within dir, and returns the runs in the order of the plan, fewer than s.Runs where there is
// no more to try. show is called with the number of runs that are done. An error is of a file, or of ctx.
func (s *Study) Run(ctx context.Context, sources []corruption.Source, dir string, show func(done int)) ([]Run, error) {
	plan := s.plan(sources)
	labs := make(chan *lab, runsAtOnce) // each is for one run at a time
	var done []Run
	for start := 0; start < len(plan) && len(done) < s.Runs; start += runsAtOnce {
		show(len(done))
		batch := plan[start:min(len(plan), start+runsAtOnce)]
		runs, errs := make([]*Run, len(batch)), make([]error, len(batch))
		parallel.Blocks(len(batch), 1, func(i, _ int) {
			var l *lab
			select {
			case l = <-labs:
			default:
				if l, errs[i] = s.newLab(dir); errs[i] != nil {
					return
				}
			}
			runs[i], errs[i] = l.try(ctx, batch[i])
			labs <- l
		})
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		for _, r := range runs {
			if r != nil && len(done) < s.Runs {
				done = append(done, *r)
			}
		}
	}
	return done, nil
}
