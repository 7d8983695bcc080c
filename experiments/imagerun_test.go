package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mediant/features"
	"mediant/internal/draw"
)

// stripes are n noisy images of 8×8 pixels in colour: class 0 has stripes from left to right, class 1 from
// top to bottom.
func stripes(n int, seed uint64) Images {
	rnd := draw.Rand(seed, "stripes", 0)
	m := Images{Planes: 2, Side: 8}
	for range n {
		label, phase := rnd.IntN(2), 2*rnd.IntN(2)
		m.Labels = append(m.Labels, byte(label))
		for range m.Planes {
			for r := range 8 {
				for c := range 8 {
					at := r
					if label == 1 {
						at = c
					}
					v := 60 + rnd.IntN(80)
					if (at+phase)/2%2 == 0 {
						v += 90
					}
					m.Pixels = append(m.Pixels, byte(v))
				}
			}
		}
	}
	return m
}

func stripedData() *ImageData {
	return &ImageData{Set: CIFAR10, Train: stripes(600, 1), Test: stripes(300, 2), SHA256: "stripes"}
}

var smallPlan = ImagePlan{
	X:         []features.PatchSpec{{Side: 2, Filters: 8, Grid: 1, Threshold: .1}},
	U:         []features.PatchSpec{{Side: 3, Filters: 8, Grid: 2, Threshold: .1}, {Side: 5, Filters: 4, Grid: 1, Threshold: .1}},
	MultipleX: 1, MultipleU: 1, Landmarks: 60, Mirror: true,
}

// TestImageRunLearns: pooled stripes of two pixels are easy; a guess would be right for 50 of 100 images, and
// for 90 never.
func TestImageRunLearns(t *testing.T) {
	result, err := ImageRun{Data: stripedData(), Plan: smallPlan, Rows: 250, Seed: 1, Beside: true}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(ImageMethods, BesideMethods) {
		m := result.Methods[name]
		if m.Accuracy < .9 || m.Accuracy > 1 || m.MSE > .2 || m.MSE > m.RawMSE {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m := result.Methods["2step"]; m.W != 1 {
		t.Errorf("2step has w = %g", m.W)
	}
	if m := result.Methods["joint"]; m.W >= 1 {
		t.Errorf("joint has w = %g", m.W)
	}
	if m, joint := result.Methods["half"], result.Methods["joint"]; m.W != .5 || m.Risk < joint.Risk {
		t.Errorf("w = 1/2 is %+v, joint %+v", m, joint)
	}
	if m := result.Methods["2step"]; m.SquareAccuracy != m.Accuracy || m.SquareMSE > m.RawMSE {
		t.Errorf("squares of 2step: %+v", m)
	}
}

// TestImageRunIsReproducible: the same bytes for any number of threads, other ones for another seed.
func TestImageRunIsReproducible(t *testing.T) {
	line := func(seed uint64, threads int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		r, err := ImageRun{Data: stripedData(), Plan: smallPlan, Rows: 100, Seed: seed}.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	one := line(3, 1)
	if again := line(3, 4); again != one {
		t.Errorf("other threads give\n%s\nafter\n%s", again, one)
	}
	if line(4, 2) == one {
		t.Error("another seed gives the same result")
	}
}

func TestImageRunRefuses(t *testing.T) {
	_, err := ImageRun{Data: stripedData(), Plan: smallPlan, Rows: 301}.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "2×301 images from 600") {
		t.Errorf("too many rows: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (ImageRun{Data: stripedData(), Plan: smallPlan, Rows: 50}).Run(ctx); err == nil {
		t.Error("a run that was stopped ends without an error")
	}
}

func TestRowsTo(t *testing.T) {
	m := Images{Planes: 1, Side: 2, Pixels: []byte{9, 9, 9, 9, 0, 51, 102, 255}}
	whole, pooled := make([]float64, 4), []float64{7}
	m.rowsTo(whole, pooled, 1, false)
	if want := []float64{0, .2, .4, 1}; !near(whole, want) || !near(pooled, []float64{.4}) {
		t.Errorf("got %v and %v", whole, pooled)
	}
	m.rowsTo(whole, nil, 1, true)
	if want := []float64{.2, 0, 1, .4}; !near(whole, want) {
		t.Errorf("mirrored: got %v", whole)
	}
}

func near(a, b []float64) bool {
	for i := range a {
		if d := a[i] - b[i]; d > 1e-15 || d < -1e-15 {
			return false
		}
	}
	return len(a) == len(b)
}

func TestImageLogResumes(t *testing.T) {
	log := ImageLog{Dir: filepath.Join(t.TempDir(), "a")}
	if all, err := log.Read(); err != nil || len(all) != 0 {
		t.Fatalf("an empty log: %v, %v", all, err)
	}
	for seed := range uint64(3) {
		r := &ImageResult{Set: Digits, Seed: seed, Plan: smallPlan, Methods: map[string]ImageMethod{"2step": {W: 1, Accuracy: .5}}, Seconds: ImageSeconds{Total: float64(seed)}}
		if err := log.Append(r); err != nil {
			t.Fatal(err)
		}
		// An interruption leaves a part of a line.
		path := filepath.Join(log.Dir, resultsFile)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(raw, `{"set":"mn`...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, err := log.Read()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || all[2].Seed != 2 || all[2].Seconds.Total != 2 || all[1].Methods["2step"].Accuracy != .5 {
		t.Errorf("read %+v", all)
	}
	if raw, _ := os.ReadFile(filepath.Join(log.Dir, resultsFile)); bytes.Contains(raw, []byte("seconds")) {
		t.Error("results have times, and so not the same bytes again")
	}
	if err := os.WriteFile(filepath.Join(log.Dir, resultsFile), []byte("{\"odd\":1}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Read(); err == nil || !strings.Contains(err.Error(), "results.jsonl:1") {
		t.Errorf("a damaged log: %v", err)
	}
}
