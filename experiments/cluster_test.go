package experiments

import (
	"math"
	"testing"
)

func clusterTimes(t *testing.T, c Cluster, draws int) ClusterTimes {
	t.Helper()
	got, err := c.Run(t.Context(), draws)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestClusterOfEqualWorkers: a pass takes the time of the shards of one worker, and that of each level of merging.
func TestClusterOfEqualWorkers(t *testing.T) {
	got := clusterTimes(t, Cluster{Workers: 9, Shards: 27, Seconds: 2, FanIn: 3, Merge: 3}, 2)
	if want := (ClusterTimes{Ideal: 6, Mean: 2, High: 2}); got != want { // 3 shards of 2 s, and two levels of 3 s
		t.Errorf("%+v, want %+v", got, want)
	}
	if got = clusterTimes(t, Cluster{Workers: 9, Shards: 28, Seconds: 2, FanIn: 3}, 2); math.Abs(got.Mean*got.Ideal-8) > 1e-9 {
		t.Errorf("one shard more takes %g s, want 8", got.Mean*got.Ideal)
	}
}

// TestClusterOfLostWorkers: one shard of length T on one worker that is lost at rate 1/M and comes back after R takes (exp(T/M) - 1)(M + R) on average, in exp(T/M) attempts.
func TestClusterOfLostWorkers(t *testing.T) {
	const length, mean, restart, draws = 3., 2., 1., 20000
	got := clusterTimes(t, Cluster{Workers: 1, Shards: 1, Seconds: length, Lost: mean, Restart: restart, FanIn: 2, Seed: 1}, draws)
	want := (math.Exp(length/mean) - 1) * (mean + restart) / length
	// The time has about the spread of a geometric number of attempts, as large as the mean: 4 standard errors are 3 % of it.
	if math.Abs(got.Mean-want) > .03*want {
		t.Errorf("%g times the ideal time, want %g", got.Mean, want)
	}
	if again := math.Exp(length/mean) - 1; math.Abs(got.Again-again) > .04*again {
		t.Errorf("%g shards are begun again, want %g", got.Again, again)
	}
}

// TestClusterOfSlowWorkers: of two workers with a shard each, of which each is slow with probability 1/2, the faster one takes the other's shard as well if it may.
func TestClusterOfSlowWorkers(t *testing.T) {
	const draws = 4000
	c := Cluster{Workers: 2, Shards: 2, Seconds: 1, Slow: .5, SlowTimes: 10, FanIn: 2, Seed: 1}
	// 1 with probability 1/4, else 10; with backup 1, 2 or 10 with probabilities 1/4, 1/2 and 1/4. 4 standard errors are 0.25 and 0.23.
	for _, want := range []struct {
		backup      bool
		mean, again float64
	}{{false, 7.75, 0}, {true, 3.75, .5}} {
		c.Backup = want.backup
		got := clusterTimes(t, c, draws)
		if math.Abs(got.Mean-want.mean) > .25 || !want.backup && got.Again != 0 || want.backup && got.Again == 0 {
			t.Errorf("backup %v: %+v, want a mean of %g", want.backup, got, want.mean)
		}
	}
	c.Slow = 1
	if got := clusterTimes(t, c, 3); got.Mean != 10 {
		t.Errorf("all slow: %+v", got)
	}
}

// TestClusterIsDeterministic: a seed gives the same times again, and another one others; all shards are summed with everything at once.
func TestClusterIsDeterministic(t *testing.T) {
	c := Cluster{Workers: 30, Shards: 100, Seconds: 5, Spread: .3, Slow: .1, SlowTimes: 4, Lost: 20, Restart: 2, Backup: true, FanIn: 4, Merge: 1, Seed: 7}
	one, two := clusterTimes(t, c, 20), clusterTimes(t, c, 20)
	if one != two || one.Mean < 1 || one.High < one.Mean || one.Again <= 0 {
		t.Errorf("%+v and %+v", one, two)
	}
	c.Seed++
	if clusterTimes(t, c, 20) == one {
		t.Error("another seed gives the same times")
	}
}

func TestClusterRefuses(t *testing.T) {
	ok := Cluster{Workers: 1, Shards: 1, Seconds: 1, FanIn: 2}
	for name, change := range map[string]func(*Cluster){
		"Workers": func(c *Cluster) { c.Workers = 0 }, "Shards": func(c *Cluster) { c.Shards = 0 }, "FanIn": func(c *Cluster) { c.FanIn = 1 },
		"Seconds": func(c *Cluster) { c.Seconds = -1 }, "Spread": func(c *Cluster) { c.Spread = math.NaN() }, "Lost": func(c *Cluster) { c.Lost = -1 },
		"Slow": func(c *Cluster) { c.Slow = 2 }, "SlowTimes": func(c *Cluster) { c.Slow, c.SlowTimes = .5, .5 },
	} {
		c := ok
		change(&c)
		if _, err := c.Run(t.Context(), 1); err == nil {
			t.Errorf("%s out of range is taken", name)
		}
	}
	if _, err := ok.Run(t.Context(), 0); err == nil {
		t.Error("no draws are taken")
	}
}
