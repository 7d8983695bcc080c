package corruption

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"mediant/internal/draw"
)

// Folder finds the pairs of a folder: a folder each with xu.csv, uy.csv and xuy.csv, coupled rows. A pair has so many rows of either
// table, drawn by its seed, and coupled ones.
func Folder(dir string, rows, coupled int) ([]Source, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []Source
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(path, "xuy.csv")); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		make := func(treatment string) func(seed uint64) (*Pair, error) {
			return func(seed uint64) (*Pair, error) { return readPair(path, treatment, rows, coupled, seed) }
		}
		first, err := make("")(0)
		if err != nil {
			return nil, err
		}
		all = append(all, Source{e.Name(), first.Text, make("")})
		if treatment, err := treatmentOf(filepath.Join(path, "xu.csv")); err == nil && treatment != "" {
			all = append(all, Source{e.Name() + ", effect", first.Text, make(treatment)})
		}
	}
	if all == nil {
		return nil, fmt.Errorf("corruption: %s has no folder with an xuy.csv", dir)
	}
	return all, nil
}

// treatmentOf is the column of a file that was drawn by lot, "" if there is none: "assignment".
func treatmentOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	names, err := csv.NewReader(file).Read()
	if err != nil || !slices.Contains(names, "assignment") {
		return "", err
	}
	return "assignment", nil
}

func readPair(path, treatment string, rows, coupled int, seed uint64) (*Pair, error) {
	p := &Pair{Name: filepath.Base(path), Treatment: treatment}
	for _, t := range []struct {
		file string
		to   **Sheet
		rows int
	}{{"xu.csv", &p.XU, rows}, {"uy.csv", &p.UY, rows}, {"xuy.csv", &p.Coupled, coupled}} {
		file, err := os.Open(filepath.Join(path, t.file))
		if err != nil {
			return nil, err
		}
		s, err := ReadSheet(file)
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, file.Name())
		}
		rnd := draw.Rand(seed, "corruption/"+p.Name+"/"+t.file, 0)
		rnd.Shuffle(len(s.Rows), func(i, j int) { s.Rows[i], s.Rows[j] = s.Rows[j], s.Rows[i] })
		*t.to = s
		if treatment == "" || t.to != &p.Coupled { // an effect takes all coupled rows
			s.Rows = s.Rows[:min(len(s.Rows), t.rows)]
		}
	}
	for _, name := range p.XU.Names {
		p.Text = p.Text || len(p.XU.summary(name).levels) > rows/2 && p.XU.summary(name).numbers == nil
	}
	if treatment != "" {
		p.Name += ", effect"
		p.Effect, p.EffectSE = difference(p.Coupled, treatment, p.Y()[0])
	}
	return p, nil
}

// difference is the mean of Y where a column is 1 less that where it is 0, with its standard error.
func difference(s *Sheet, treatment, y string) (value, se float64) {
	var arms [2][]float64
	outcome := s.column(y)
	for i, cell := range s.column(treatment) {
		arm, _ := number(cell)
		if v, ok := number(outcome[i]); ok {
			arms[int(arm)] = append(arms[int(arm)], v)
		}
	}
	variance := 0.0
	for arm, values := range arms {
		mean, m2 := 0.0, 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for _, v := range values {
			m2 += (v - mean) * (v - mean)
		}
		value += float64(2*arm-1) * mean
		variance += m2 / float64(len(values)*(len(values)-1))
	}
	return value, math.Sqrt(variance)
}
