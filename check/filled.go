package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
)

const (
	// Up to filledValues of a column may each have been put in for missing ones: the means of a few groups.
	filledValues = 4
	// Each is in filledRows rows or more, and in filledShare of all, and no other value in otherShare.
	filledRows              = 8
	filledShare, otherShare = .05, .03
	// A value that is alone in so large a share is doubted whatever it is, others where they are the mean or the median.
	filledAlone = .2
)

// tally are the distinct ones of sorted values with their counts, the most frequent first and equally frequent ones ascending.
func tally(sorted []float64) []valueCount {
	var all []valueCount
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			all = append(all, valueCount{v, 0})
		}
		all[len(all)-1].rows++
	}
	slices.SortStableFunc(all, func(a, b valueCount) int { return cmp.Compare(b.rows, a.rows) })
	return all
}

// frequentValues are those of sorted values that each occur more than spikeTimes as often as all values but them, which are many and hardly
// repeated; nil if there are none.
func frequentValues(sorted []float64) []valueCount {
	counts := tally(sorted)
	n := float64(len(sorted))
	for j := min(filledValues, len(counts)-spikeDistinct-1); j > 0; j-- {
		least, next := counts[j-1].rows, counts[j].rows
		if least >= max(filledRows, int(math.Ceil(filledShare*n)), spikeTimes*next) && next <= max(3, int(otherShare*n)) {
			return counts[:j]
		}
	}
	return nil
}

// without are sorted values less some.
func without(sorted []float64, drop []valueCount) []float64 {
	return slices.DeleteFunc(slices.Clone(sorted), func(v float64) bool {
		return slices.ContainsFunc(drop, func(c valueCount) bool { return c.value == v })
	})
}

// filled finds values that seem to have been put in for missing ones: within the range of a column of numbers that hardly repeat, one fills a
// large part of the rows.
func (c *checker) filled(table Table, look *columnLook, p *Profile, t *tableLook) {
	values := t.sample.values(look.place)
	frequent := frequentValues(values)
	rest := without(values, frequent)
	// What is at an end of the range is another thing, or a marker beyond it.
	frequent = slices.DeleteFunc(frequent, func(v valueCount) bool { return v.value <= rest[0] || v.value >= rest[len(rest)-1] })
	if len(frequent) == 0 {
		return
	}
	sampled, are, flags := listed(p.Name, frequent)
	share, about := float64(sampled)/float64(len(values)), ""
	if p.Rows > len(t.sample.heap) {
		about = "about "
	}
	rows := int(math.Round(share * float64(p.Rows-p.Missing)))
	f := Finding{Code: MissingMarker, Severity: Note, Table: table, Columns: []string{p.Name}, Rows: rows, Of: p.Rows, gravity: causeFirst + share,
		What:   fmt.Sprintf("%q is %s in %s%d of %d rows of %s, more than %d times as often as others", p.Name, are, about, rows, p.Rows, table.words(), spikeTimes),
		Effect: "if it was put in for missing values, it hides what the others say, and relations and effects seem smaller than they are",
		Remedy: fmt.Sprintf("%s takes it as missing, or --accept %s:%q if it was measured", flags, MissingMarker, p.Name)}
	if len(frequent) == 1 { // several may be round numbers that were preferred
		of, middle := middleOf(frequent[0].value, rest)
		if middle {
			f.What += fmt.Sprintf(", and is %s of the others", of)
		}
		if middle || share >= filledAlone {
			f.Severity = Warning
		}
	}
	c.add(f)
}

// middleOf reports whether a value is the mean or the median of sorted others, up to three of its standard errors and to the rounding of the value.
func middleOf(v float64, sorted []float64) (words string, ok bool) {
	of, se, step := stat.Mean(sorted, nil), stat.PopStdDev(sorted, nil)/math.Sqrt(float64(len(sorted))), .5
	if _, decimals, fraction := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), "."); fraction {
		step *= math.Pow(10, -float64(len(decimals)))
	}
	switch {
	case math.Abs(v-of) <= 3*se+step:
		return "about the mean", true
	case math.Abs(v-quantile(sorted, .5)) <= 3*1.2533*se+step: // the error of a median of normal values
		return "about the median", true
	}
	return "", false
}
