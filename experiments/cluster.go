package experiments

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mediant/internal/bounds"
	"mediant/internal/draw"
)

// A Cluster is a simulation of one pass over a table in shards that workers sum, one shard at a time, from a common queue. It counts time alone: what is summed does not depend on who sums it,
// or how often, because a shard counts once (problem.Run).
type Cluster struct {
	Workers, Shards int
	// Seconds is the time of a shard on a worker of speed 1.
	Seconds float64
	// Spread is the standard deviation of the logarithm of a worker's speed.
	Spread float64
	// Slow is the share of workers that take SlowTimes as long for as long as they live, as where a machine has other work.
	Slow, SlowTimes float64
	// Lost is the mean time in seconds until a worker is lost, with the shard that it has begun; 0: none is. Another takes its place after Restart seconds.
	Lost, Restart float64
	// Backup has idle workers begin shards that others have begun, the one begun first first, once none is left; the first that is done counts.
	Backup bool
	// Merge is the time that each level of the tree takes in which sums of FanIn workers are merged into one.
	Merge float64
	FanIn int
	Seed  uint64
}

// ClusterTimes are the outcome of a Cluster over draws, as multiples of the time of equal workers that none is lost of: Shards·Seconds/Workers.
type ClusterTimes struct {
	Ideal      float64 // that time, in seconds
	Mean, High float64 // High is the 95th percentile
	Again      float64 // mean number of shards that were begun again or twice, as a share of all
}

// Validate returns an error that names the first field out of range.
func (c Cluster) Validate() error {
	for name, v := range map[string]float64{"Seconds": c.Seconds, "Spread": c.Spread, "Lost": c.Lost, "Restart": c.Restart, "Merge": c.Merge} {
		if err := bounds.Penalty("experiments: Cluster."+name, v); err != nil {
			return err
		}
	}
	if !(c.Slow >= 0 && c.Slow <= 1) || c.Slow > 0 && !(c.SlowTimes >= 1) {
		return fmt.Errorf("experiments: Cluster.Slow is %g by %g times, must be a share, and times at least 1", c.Slow, c.SlowTimes)
	}
	return bounds.First(atLeast("Cluster.Workers", c.Workers, 1), atLeast("Cluster.Shards", c.Shards, 1), atLeast("Cluster.FanIn", c.FanIn, 2))
}

// Run simulates so many passes.
func (c Cluster) Run(ctx context.Context, draws int) (ClusterTimes, error) {
	if err := bounds.First(c.Validate(), atLeast("the number of draws", draws, 1)); err != nil {
		return ClusterTimes{}, err
	}
	out := ClusterTimes{Ideal: float64(c.Shards) * c.Seconds / float64(c.Workers)}
	var times []float64
	for d := range draws {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		p := clusterPass{Cluster: c, rnd: draw.Rand(c.Seed, "experiments/cluster", d)}
		took := p.run()
		for width := 1; width < c.Workers; width *= c.FanIn {
			took += c.Merge
		}
		times = append(times, took/out.Ideal)
		out.Again += float64(p.attempts-c.Shards) / float64(c.Shards) / float64(draws)
	}
	slices.Sort(times)
	out.Mean, out.High = stat.Mean(times, nil), stat.Quantile(.95, stat.Empirical, times, nil)
	return out, nil
}

// A clusterPass is the state of one pass.
type clusterPass struct {
	Cluster
	rnd      *rand.Rand
	events   clusterEvents
	queue    []int // shards that nobody has
	copies   []int // workers that each shard is with, -1 once it is summed
	begun    []int // shards in the order in which they were begun first
	idle     []*clusterWorker
	left     int // shards that are not summed
	attempts int
}

// A clusterWorker is a place for a worker; the one that is there has a speed, and a time at which it is lost.
type clusterWorker struct {
	times float64 // as long as one of speed 1
	lost  float64
}

// An event is the end of what a worker does: a shard, or, if that is -1, the absence of a worker.
type clusterEvent struct {
	at     float64
	worker *clusterWorker
	shard  int
	lost   bool
}

type clusterEvents []clusterEvent

func (e clusterEvents) Len() int           { return len(e) }
func (e clusterEvents) Less(i, j int) bool { return e[i].at < e[j].at }
func (e clusterEvents) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *clusterEvents) Push(x any)        { *e = append(*e, x.(clusterEvent)) }
func (e *clusterEvents) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// run returns the time at which all shards are summed.
func (p *clusterPass) run() float64 {
	p.copies, p.left = make([]int, p.Shards), p.Shards
	for i := range p.Shards {
		p.queue = append(p.queue, i)
	}
	for range p.Workers {
		w := new(clusterWorker)
		p.renew(w, 0)
		p.next(w, 0)
	}
	for {
		e := heap.Pop(&p.events).(clusterEvent)
		switch {
		case e.lost:
			p.lose(e.shard, e.at)
			heap.Push(&p.events, clusterEvent{at: e.at + p.Restart, worker: e.worker, shard: -1})
			continue
		case e.shard < 0:
			p.renew(e.worker, e.at)
		case p.copies[e.shard] > 0:
			p.copies[e.shard] = -1
			if p.left--; p.left == 0 {
				return e.at
			}
		}
		p.next(e.worker, e.at)
	}
}

// renew puts a new worker in a place.
func (p *clusterPass) renew(w *clusterWorker, now float64) {
	w.times, w.lost = math.Exp(p.Spread*p.rnd.NormFloat64()), math.Inf(1)
	if p.Slow > 0 && p.rnd.Float64() < p.Slow {
		w.times *= p.SlowTimes
	}
	if p.Lost > 0 {
		w.lost = now + p.Lost*p.rnd.ExpFloat64()
	}
}

// lose puts a shard back into the queue if nobody else has it, for those who wait.
func (p *clusterPass) lose(shard int, now float64) {
	if p.copies[shard] < 0 { // summed by another
		return
	}
	if p.copies[shard]--; p.copies[shard] > 0 {
		return
	}
	p.queue = append(p.queue, shard)
	for len(p.queue) > 0 && len(p.idle) > 0 {
		w := p.idle[0]
		p.idle = p.idle[1:]
		p.next(w, now)
	}
}

// next has a worker begin a shard, or wait.
func (p *clusterPass) next(w *clusterWorker, now float64) {
	if w.lost <= now { // while it was idle
		heap.Push(&p.events, clusterEvent{at: now + p.Restart, worker: w, shard: -1})
		return
	}
	shard := p.pick()
	if shard < 0 {
		p.idle = append(p.idle, w)
		return
	}
	p.attempts++
	p.copies[shard]++
	done := now + p.Seconds*w.times
	heap.Push(&p.events, clusterEvent{at: min(done, w.lost), worker: w, shard: shard, lost: w.lost < done})
}

// pick is the shard to begin; -1 if there is none.
func (p *clusterPass) pick() int {
	if len(p.queue) > 0 {
		shard := p.queue[0]
		p.queue = p.queue[1:]
		p.begun = append(p.begun, shard)
		return shard
	}
	if !p.Backup {
		return -1
	}
	for len(p.begun) > 0 { // each is begun a second time at most
		shard := p.begun[0]
		p.begun = p.begun[1:]
		if p.copies[shard] == 1 {
			return shard
		}
	}
	return -1
}
