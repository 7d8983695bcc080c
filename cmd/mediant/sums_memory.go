package main

import (
	"fmt"
	"os"

	"mediant/problem"
)

// checkMemory refuses sums that need more memory than the limit, from the plan and the beginnings of the files. What is damaged is left to who reads it.
func (f *sumsFlags) checkMemory(limit int64, parts []string) error {
	var all problem.SumsSize
	need, what := 0., ""
	add := func(more problem.SumsSize, of string) {
		sum, peak := all.Plus(more)
		if f.discount < 1 && all.Bytes() > 0 { // older sums are multiplied
			peak += all.Merged[problem.TableXU] + all.Merged[problem.TableUY]
		}
		if all = sum; peak+problem.ProgramBytes > need {
			need, what = peak+problem.ProgramBytes, of
		}
	}
	for i, path := range parts {
		size, err := sizeOfSums(path)
		if err != nil {
			return nil
		}
		of := "the sums of " + path
		if i > 0 {
			of = fmt.Sprintf("merging %s with those before", path)
		}
		add(size, of)
	}
	if f.plan == "" {
		return overLimit(need, limit, what)
	}
	p, err := readPlan(f.plan)
	if err != nil {
		return nil
	}
	var own problem.SumsSize
	for t, path := range []string{f.xu, f.uy} {
		if path == "" || t == problem.TableXU && p.X == nil || t == problem.TableUY && p.Y == nil {
			continue
		}
		own, _ = own.Plus(p.SizeOfSums(t))
		pass := all.Bytes() + own.Bytes() + p.PassBytes(t)
		if f.private.epsilon > 0 { // noise is added to exact sums, which are held as well
			pass += own.Bytes()
		}
		if pass > need {
			need, what = pass, fmt.Sprintf("the sums of %s, %s of each product", path, count(max(1, p.Folds)*p.Blocks, "block"))
		}
	}
	if all.Bytes() > 0 {
		add(own, "merging them with those before")
	}
	return overLimit(need, limit, what)
}

// overLimit is a MemoryError if need is more than the limit.
func overLimit(need float64, limit int64, what string) error {
	if limit <= 0 || need <= float64(limit) {
		return nil
	}
	return &problem.MemoryError{Need: need, Limit: limit, What: what}
}

// sizeOfSums is what a file of sums takes in memory.
func sizeOfSums(path string) (problem.SumsSize, error) {
	file, err := os.Open(path)
	if err != nil {
		return problem.SumsSize{}, err
	}
	defer file.Close()
	return problem.SizeOfSums(file)
}
