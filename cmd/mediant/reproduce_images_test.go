package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediant/experiments"
	"mediant/features"
	"mediant/internal/draw"
)

// withSmallImages puts a tiny CIFAR-10 into the folder data, and makes features cheap.
func withSmallImages(t *testing.T) {
	t.Helper()
	old := imagePlan
	t.Cleanup(func() { imagePlan = old })
	imagePlan = func(experiments.ImageSet) experiments.ImagePlan {
		small := []features.PatchSpec{{Side: 3, Filters: 4, Grid: 2, Threshold: .1}}
		return experiments.ImagePlan{X: small, U: small, MultipleX: 1, MultipleU: 1, Landmarks: 30}
	}
	if err := os.Mkdir("data", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"data_batch_1.bin": 220, "test_batch.bin": 50} {
		rnd := draw.Rand(1, name, 0)
		var all []byte
		for i := range n {
			all = append(all, byte(i%10))
			for range 3 * 32 * 32 {
				all = append(all, byte(rnd.IntN(30)+20*(i%10)))
			}
		}
		if err := os.WriteFile(filepath.Join("data", name), all, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReproduceImages: a run goes on where it stopped, and from the beginning it writes the same results.
func TestReproduceImages(t *testing.T) {
	inFolder(t)
	withSmallImages(t)
	const command = "reproduce images --set cifar10 --data data --rows 100 --quiet "
	out := succeed(t, words(command+"--repetitions 1 -o a")...)
	for _, want := range []string{"CIFAR-10, low-quality images; 1 repetition", "2step ", "joint ", "paper's best", "69.10%"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	first := read(t, "a/results.jsonl")
	succeed(t, words(command+"--repetitions 9 -o a")...)
	all := read(t, "a/results.jsonl")
	if !strings.HasPrefix(all, first) || strings.Count(all, "\n") != 9 {
		t.Errorf("after 1 and 9 repetitions there are %d results", strings.Count(all, "\n"))
	}
	if report := read(t, "a/report.md"); !strings.Contains(report, "signed-rank test of 2step and joint over 9 repetitions: p = ") {
		t.Errorf("no test in the report: %s", report)
	}
	times := read(t, "a/seconds.jsonl")
	succeed(t, words(command+"--repetitions 9 -o a")...)
	if read(t, "a/seconds.jsonl") != times {
		t.Error("repetitions that are there were repeated")
	}
	succeed(t, words(command+"--repetitions 2 -o b --threads 1")...)
	if again := read(t, "b/results.jsonl"); !strings.HasPrefix(all, again) {
		t.Errorf("the same seeds give\n%s\nafter\n%s", again, all)
	}
}

func TestReproduceImagesJSON(t *testing.T) {
	inFolder(t)
	withSmallImages(t)
	out := succeed(t, words("reproduce images --set cifar10 --data data --rows 100 --repetitions 1 --json")...)
	for _, key := range []string{`"accuracy"`, `"uncoupled_risk"`, `"data_sha256"`, `"scale"`} {
		if !bytes.Contains([]byte(out), []byte(key)) {
			t.Errorf("no %s in %s", key, out)
		}
	}
	if _, err := os.Stat("mediant-images-cifar10/report.html"); err != nil {
		t.Error(err)
	}
}

// TestReproduceImagesByLogLoss: results of the two losses are in folders of their own.
func TestReproduceImagesByLogLoss(t *testing.T) {
	inFolder(t)
	withSmallImages(t)
	const command = "reproduce images --set cifar10 --data data --rows 100 --repetitions 1 --quiet "
	out := succeed(t, words(command+"--loss log")...)
	if lines := strings.Split(out, "\n"); !strings.HasSuffix(lines[2], " log loss      se") || !strings.HasPrefix(lines[3], "2step ") || !strings.HasPrefix(lines[4], "paper's best") {
		t.Errorf("printed %s", out)
	}
	if of := object(t, read(t, "mediant-images-cifar10-log/results.jsonl")); at(t, of, "loss") != "log" || !(at(t, of, "methods", "2step", "log_loss").(float64) > 0) {
		t.Errorf("result %v", of)
	}
	for with, want := range map[string]string{"--loss poisson": "--loss is \"poisson\", want squared or log", "--loss log --beside": "--beside is for squared loss", "--loss squared -o mediant-images-cifar10-log": "with other data, rows, plan, loss or methods"} {
		if r := invoke(words(command + with)...); r.status == statusDone || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %q", with, r.status, r.stderr)
		}
	}
}

// TestReproduceImagesRefusesOtherResults: a folder with results of another experiment is not added to.
func TestReproduceImagesRefusesOtherResults(t *testing.T) {
	inFolder(t)
	withSmallImages(t)
	succeed(t, words("reproduce images --set cifar10 --data data --rows 100 --repetitions 1 -o a --quiet")...)
	before := read(t, "a/results.jsonl")
	r := invoke(words("reproduce images --set cifar10 --data data --rows 110 --repetitions 1 -o a --quiet")...)
	if r.status != statusData || !strings.Contains(r.stderr, "results.jsonl has a result of seed 0 with other data, rows, plan, loss or methods") {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
	if read(t, "a/results.jsonl") != before {
		t.Error("results were changed")
	}
	if r := invoke("reproduce", "images", "--set", "cifar10"); r.status != statusData || !strings.Contains(r.stderr, "CIFAR-10: name the folder") {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
}
