package check

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
	"mediant/tables"
)

// rowBlock rows are worked on at a time.
const rowBlock = 128

// marginalBlock has a group for each column alone.
func marginalBlock(columns []*uColumn) block {
	var b block
	most := max(1, allFeatures/len(columns))
	parts := ofColumns(columns, func(u *uColumn) *mat.Dense { return u.marginal(most) })
	for j, f := range parts {
		_, width := f.Dims()
		b.groups = append(b.groups, group{[]int{j}, width})
	}
	all := beside(parts)
	b.features = func() *mat.Dense { return all }
	return b
}

// ofColumns makes features of each column.
func ofColumns(columns []*uColumn, features func(u *uColumn) *mat.Dense) []*mat.Dense {
	all := make([]*mat.Dense, len(columns))
	parallel.Blocks(len(columns), 1, func(j, _ int) { all[j] = features(columns[j]) })
	return all
}

// missingBlock has a group for each column that misses some values.
func missingBlock(columns []*uColumn) (b block, ok bool) {
	var parts []*mat.Dense
	for j, u := range columns {
		if f := u.lacks(); f != nil {
			b.groups = append(b.groups, group{[]int{j}, 1})
			parts = append(parts, mat.NewDense(len(f), 1, f))
		}
	}
	if parts == nil {
		return b, false
	}
	all := beside(parts)
	b.features = func() *mat.Dense { return all }
	return b, true
}

// beside puts matrices side by side.
func beside(parts []*mat.Dense) *mat.Dense {
	n, width := 0, 0
	for _, p := range parts {
		rows, c := p.Dims()
		n, width = rows, width+c
	}
	all := mat.NewDense(n, width, nil)
	at := 0
	for _, p := range parts {
		_, c := p.Dims()
		all.Slice(0, n, at, at+c).(*mat.Dense).Copy(p)
		at += c
	}
	return all
}

// pairBlocks have a group for each pair of columns: products of their functions, which say how the two depend on each other.
func pairBlocks(columns []*uColumn, rnd *rand.Rand) []block {
	pairs := somePairs(columns, rnd)
	if len(pairs) == 0 {
		return nil
	}
	degree := jointDegree
	for degree > 1 && len(pairs)*degree*degree > allFeatures {
		degree--
	}
	functions := ofColumns(columns, func(u *uColumn) *mat.Dense {
		if u.free {
			return nil
		}
		f := u.functions(degree)
		if u.kind != tables.Text {
			lessOscillating(f)
		}
		if lacks := u.lacks(); lacks != nil {
			f = beside([]*mat.Dense{f, mat.NewDense(len(lacks), 1, lacks)})
		}
		return f
	})
	width := func(p [2]int) int {
		_, a := functions[p[0]].Dims()
		_, b := functions[p[1]].Dims()
		return a * b
	}
	var blocks []block
	var room mat.Dense // for the features of one block at a time
	for len(pairs) > 0 {
		n, total := 0, 0
		for n < len(pairs) && total < blockFeatures {
			total += width(pairs[n])
			n++
		}
		own := pairs[:n]
		pairs = pairs[n:]
		b := block{features: func() *mat.Dense {
			room.Reset()
			productsTo(&room, functions, own, total)
			return &room
		}}
		for _, p := range own {
			b.groups = append(b.groups, group{p[:], width(p)})
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// somePairs are all pairs of columns but those with free text, or allFeatures of them at random where there are more.
func somePairs(columns []*uColumn, rnd *rand.Rand) [][2]int {
	able := notFree(columns)
	var pairs [][2]int
	n := len(able)
	if n*(n-1)/2 <= allFeatures {
		for i := range n {
			for j := range i {
				pairs = append(pairs, [2]int{able[j], able[i]})
			}
		}
		return pairs
	}
	drawn := make(map[[2]int]bool)
	for len(pairs) < allFeatures {
		i, j := rnd.IntN(n), rnd.IntN(n)
		if p := [2]int{able[min(i, j)], able[max(i, j)]}; i != j && !drawn[p] {
			drawn[p] = true
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// tripleBlocks have a group of one feature for three columns: the product of the first function of each.
func tripleBlocks(columns []*uColumn, rnd *rand.Rand) []block {
	able := notFree(columns)
	n := len(able)
	if n < 3 {
		return nil
	}
	all := n * (n - 1) * (n - 2) / 6
	var triples [][3]int // of places in able
	if all <= tripleFeatures {
		for i := range n {
			for j := range i {
				for k := range j {
					triples = append(triples, [3]int{k, j, i})
				}
			}
		}
	}
	for all > tripleFeatures && len(triples) < tripleFeatures {
		p := rnd.Perm(n)
		triples = append(triples, [3]int{p[0], p[1], p[2]})
	}
	bounded := make([]*uColumn, n)
	for i, j := range able {
		bounded[i] = columns[j]
	}
	first := beside(ofColumns(bounded, func(u *uColumn) *mat.Dense { return u.functions(1) }))
	var blocks []block
	var room mat.Dense
	for own := range slices.Chunk(triples, blockFeatures) {
		b := block{features: func() *mat.Dense {
			room.Reset()
			rows, _ := first.Dims()
			room.ReuseAs(rows, len(own))
			parallel.Blocks(rows, rowBlock, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					row, of := room.RawRowView(i), first.RawRowView(i)
					for k, t := range own {
						row[k] = of[t[0]] * of[t[1]] * of[t[2]]
					}
				}
			})
			return &room
		}}
		for _, t := range own {
			b.groups = append(b.groups, group{[]int{able[t[0]], able[t[1]], able[t[2]]}, 1})
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// notFree are the places of the columns but those of free text.
func notFree(columns []*uColumn) []int {
	var places []int
	for j, u := range columns {
		if !u.free {
			places = append(places, j)
		}
	}
	return places
}

// productsTo stores in dst those of the functions of pairs of columns, total in all.
func productsTo(dst *mat.Dense, functions []*mat.Dense, pairs [][2]int, total int) {
	rows, _ := functions[pairs[0][0]].Dims()
	dst.ReuseAs(rows, total)
	parallel.Blocks(rows, rowBlock, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst.RawRowView(i)
			at := 0
			for _, p := range pairs {
				right := functions[p[1]].RawRowView(i)
				for _, a := range functions[p[0]].RawRowView(i) {
					for _, b := range right {
						row[at] = a * b
						at++
					}
				}
			}
		}
	})
}

// togetherBlock has a group for each bandwidth, of all columns.
func togetherBlock(columns []*uColumn, rnd *rand.Rand) block {
	points := space(columns)
	n, d := points.Dims()
	median := medianDistance(points, rnd)
	var b block
	all := make([]int, len(columns))
	for j := range all {
		all[j] = j
	}
	features := mat.NewDense(n, 2*frequencies*len(bandwidths), nil)
	for k, bandwidth := range bandwidths {
		w := mat.NewDense(d, frequencies, nil)
		for i := range d {
			row := w.RawRowView(i)
			for j := range row {
				row[j] = rnd.NormFloat64() / max(bandwidth*median, 1e-9)
			}
		}
		var angles mat.Dense
		angles.Mul(points, w)
		parallel.Blocks(n, rowBlock, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				to := features.RawRowView(i)[2*frequencies*k:]
				for j, a := range angles.RawRowView(i) {
					to[2*j], to[2*j+1] = math.Sincos(a)
				}
			}
		})
		b.groups = append(b.groups, group{all, 2 * frequencies})
	}
	b.features = func() *mat.Dense { return features }
	return b
}

// space has a row for each row of both tables: normal scores of numbers, indicators of levels, sums of words, each column of
// variance 1 in all, and indicators of missing values.
func space(columns []*uColumn) *mat.Dense {
	var parts []*mat.Dense
	for _, u := range columns {
		var f *mat.Dense
		if u.kind == tables.Text {
			f = u.functions(columnLevels)
			_, c := f.Dims()
			f.Scale(1/math.Sqrt(float64(c)), f)
		} else {
			ranks := u.ranks()
			f = mat.NewDense(len(ranks), 1, nil)
			for i, r := range ranks {
				if !math.IsNaN(r) {
					f.Set(i, 0, math.Sqrt2*math.Erfinv(2*r-1))
				}
			}
		}
		parts = append(parts, f)
		if lacks := u.lacks(); lacks != nil {
			parts = append(parts, mat.NewDense(len(lacks), 1, lacks))
		}
	}
	return beside(parts)
}

// medianDistance is that of pairs of rows drawn at random, of those that differ.
func medianDistance(points *mat.Dense, rnd *rand.Rand) float64 {
	n, _ := points.Dims()
	var distances []float64
	for range 1000 {
		if d := floats.Distance(points.RawRowView(rnd.IntN(n)), points.RawRowView(rnd.IntN(n)), 2); d > 0 {
			distances = append(distances, d)
		}
	}
	if distances == nil {
		return 1
	}
	slices.Sort(distances)
	return distances[len(distances)/2]
}
