package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// flagMaps are feature maps by the names of --phi and --psi, and what they have; only auto leaves all open.
var flagMaps = []struct {
	name                            string
	size, bandwidth, pick, additive bool
}{
	{"auto", true, true, false, true},
	{"linear", false, false, false, false},
	{"gaussian", true, true, false, false},
	{"laplacian", true, true, false, false},
	{"matern12", true, true, false, false},
	{"matern32", true, true, false, false},
	{"matern52", true, true, false, false},
	{"matern:2", true, true, false, false},
	{"rq:1.5", true, true, false, false},
	{"periodic:2", true, true, false, false},
	{"quasi:gaussian", true, true, false, false},
	{"quasi:matern32", true, true, false, false},
	{"additive:gaussian", true, true, false, true},
	{"additive:laplacian", true, true, false, true},
	{"nystrom:gaussian", true, true, true, false},
	{"nystrom:laplacian", true, true, true, false},
	{"nystrom:linear", true, false, true, false},
	{"nystrom:cosine", true, false, true, false},
	{"nystrom:chi2", true, false, true, false},
	{"nystrom:expchi2", true, true, true, false},
	{"nystrom:polynomial:2", true, false, true, false},
	{"polynomial:2", false, false, false, false},
	{"tensorsketch:2", true, false, false, false},
	{"countsketch", true, false, false, false},
	{"chi2", false, false, false, false},
}

// TestFlagsOfMaps goes through every flag that says something of a feature map and every map of either side: a flag that means nothing for
// either is refused (scikit-learn/scikit-learn#19614), and one that means something for a side is not. Tables are missing: flags come
// first.
func TestFlagsOfMaps(t *testing.T) {
	inFolder(t)
	few := []string{"auto", "linear", "nystrom:linear"} // beside all others
	for _, phi := range flagMaps {
		for _, psi := range flagMaps {
			if !slices.Contains(few, phi.name) && !slices.Contains(few, psi.name) {
				continue
			}
			for _, c := range []struct {
				flags string
				means bool
			}{
				{"--features 10", phi.size || psi.size},
				{"--bandwidth-x 2", phi.bandwidth},
				{"--bandwidth-u 2", psi.bandwidth},
				{"--landmarks uniform", phi.pick || psi.pick},
				{"--landmarks pivoted", phi.pick || psi.pick},
				{"--landmarks-x nosuch.csv", phi.pick},
				{"--landmarks-u nosuch.csv", psi.pick},
				{"--landmarks-x nosuch.csv --features 10", phi.pick && psi.size},
				{"--landmarks-u nosuch.csv --features 10", psi.pick && phi.size},
				{"--landmarks-x nosuch.csv --landmarks-u nosuch.csv --features 10", false},
				{"--landmarks-x nosuch.csv --landmarks uniform", phi.pick && psi.pick},
				{"--components", phi.additive},
				{"--components=false", true},
				{"--precision", true},
				{"--arithmetic mixed", true},
				{"--arithmetic float32", false},
				{"--seed 3", true},
				{"--no-standardize", true},
				{"--word-ngrams 2 --char-ngrams none --hash-columns 1024", true},
			} {
				line := fmt.Sprintf("fit --xu nosuch.csv --uy nosuch.csv -o m --phi %s --psi %s %s", phi.name, psi.name, c.flags)
				checkMeans(t, line, c.flags, c.means)
			}
		}
	}
	for _, psi := range flagMaps {
		for flags, means := range map[string]bool{
			"--features 10": psi.size, "--bandwidth-u 2": psi.bandwidth, "--lambda-h 1": true, "--mu 1": true, "--seed 3": true, "--folds 2": true,
		} {
			if flags != "--mu 1" && flags != "--folds 2" && flags != "--lambda-h 1" {
				checkMeans(t, fmt.Sprintf("instrument --xu nosuch.csv --uy nosuch.csv --kernel --phi linear --psi %s %s", psi.name, flags), flags, means)
			}
			checkMeans(t, fmt.Sprintf("effect --xu nosuch.csv --uy nosuch.csv --treatment t --psi %s %s", psi.name, flags), flags, means)
		}
	}
}

// checkMeans runs a command line whose tables are missing, which is what is said of it if its flags mean something; else one of them
// is named.
func checkMeans(t *testing.T, line, flags string, means bool) {
	t.Helper()
	got := invoke(words(line)...)
	named := slices.ContainsFunc(words(flags), func(word string) bool {
		flag, _, _ := strings.Cut(word, "=")
		return strings.HasPrefix(flag, "--") && strings.Contains(got.stderr, flag)
	})
	switch {
	case means && (got.status != statusData || !strings.Contains(got.stderr, "nosuch.csv")):
		t.Errorf("%s: refused: %+v", line, got)
	case !means && (got.status != statusUsage || !named || strings.Count(got.stderr, "\n") != 1):
		t.Errorf("%s: taken, or refused for something else: %+v", line, got)
	}
}

// TestFlagsOfMethods: flags that mean nothing for a method, or for what a command is asked to do, are refused.
func TestFlagsOfMethods(t *testing.T) {
	inFolder(t)
	for _, method := range []string{"auto", "joint", "2step", "naive", "cme"} {
		ridge := method == "auto" || method == "joint" || method == "2step"
		for flags, means := range map[string]bool{
			"--w 0.5": method == "auto" || method == "joint", "--penalty paper": method == "auto" || method == "joint", "--se": ridge,
			"--precision": ridge, "--precision=false": ridge, "--components": method == "auto" || method == "2step",
			"--lambda 1": true, "--lambda-f 1": true, "--lambda-h 1": true, "--shift": true, "--form 2": true, "--no-intercept": true,
		} {
			checkMeans(t, "fit --xu nosuch.csv --uy nosuch.csv -o m --method "+method+" "+flags, flags, means)
		}
	}
	for _, flags := range []string{"--form 2", "--form 1", "--weights-xu w", "--weights-uy w"} {
		checkMeans(t, "evaluate m.mediant --xy nosuch.csv "+flags, flags, false)
	}
	for _, flags := range []string{"--splits 1", "--landmarks 20", "--data nosuch", "--output nosuch", "--json", "--quiet"} {
		checkMeans(t, "demo --write new "+flags, flags, false)
	}
}
