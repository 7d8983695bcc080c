package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mediant/tables"
)

// unrelated is the probability of a dependence by chance above which none is seen.
const unrelated = .001

// sorted finds a column that is in order, in all rows or in a part of them, where what else is in the row, of which others makes a basis, does not go
// along, as it does where whole rows were sorted.
func (o *rowOrder) sorted(t *uColumn, functions []series, role string, others func() basis) (misplaced, bool) {
	if len(functions) == 0 {
		return misplaced{}, false
	}
	keys, rows := t.keys()
	run := longestRun(keys)
	run.chance += math.Log(float64(len(o.columns) + len(o.uColumns)))
	if !(run.chance < math.Log(orderAlarm)) || run.last-run.first < shortestSorted {
		return misplaced{}, false
	}
	if counts(keys) {
		return misplaced{}, false
	}
	whole := 10*(run.last-run.first) >= 9*len(keys)
	first, last := rows[run.first], rows[run.last-1]+1
	b := others()
	if len(b) == 0 {
		return misplaced{}, false
	}
	related := b.related(functions)
	if whole && related < unrelated || !whole && related > orderAlarm {
		return misplaced{}, false
	}
	_, ordered := serial(slices.DeleteFunc(o.series(), func(s series) bool { return s.column == t.name }), 1)
	if !whole {
		outside := make([]series, len(functions))
		for i, y := range functions {
			outside[i].values = slices.Concat(y.values[:first], y.values[last:])
			normalise(outside[i].values)
		}
		if _, alsoOutside := serial(outside, 1); ordered || alsoOutside {
			return misplaced{}, false
		}
		if _, _, _, ok := b.silent(functions, first, last); !ok {
			return misplaced{}, false
		}
	}
	// X may be a treatment without effect on U in a table that is sorted by it, and U what says nothing of Y.
	m := misplaced{column: t, chance: math.Exp(run.chance), ordered: ordered || whole && role != "Y"}
	m.say = func(_ misplaced, names string) (string, string) {
		order, where := "ascending", "throughout"
		if run.descending {
			order = "descending"
		}
		if !whole {
			where = fmt.Sprintf("in rows %d to %d", o.rows[first].number+1, o.rows[last-1].number+1)
		}
		other := "U"
		if role == "U" {
			other = "the rest of the row"
		}
		return fmt.Sprintf("%s of %s is in %s order %s, and %s does not go along", names, o.table.words(), order, where, other),
			fmt.Sprintf("if it was sorted by itself, its values are of other rows than %s", other)
	}
	return m, true
}

// keys are the values of a column, text by its order, without missing ones, and their rows.
func (u *uColumn) keys() (keys []float64, rows []int) {
	var cells []string
	if u.kind == tables.Text {
		cells = slices.Clone(u.cells[0])
		slices.Sort(cells)
	}
	for i := range u.rows(0) {
		if u.missing(0, i) {
			continue
		}
		rows = append(rows, i)
		if u.kind == tables.Text {
			at, _ := slices.BinarySearch(cells, u.cells[0][i])
			keys = append(keys, float64(at))
		} else {
			keys = append(keys, u.numbers[0][i])
		}
	}
	return keys, rows
}

// counts reports whether values in order number the rows, or groups of them, as years do: there are many, and each is one step from the next.
func counts(keys []float64) bool {
	step, values := 0., 1
	for i := 1; i < len(keys); i++ {
		d := keys[i] - keys[i-1]
		switch {
		case d == 0:
			continue
		case step == 0:
			step = d
		case d != step:
			return false
		}
		values++
	}
	return values >= leastGroups
}

// A sortedRun is an interval of values in order.
type sortedRun struct {
	first, last int
	descending  bool
	chance      float64 // logarithm of a bound of the probability that some interval is in order where it means nothing
}

// longestRun is the one that is in order by chance least likely: of the orders of l values of which m, m', ... are equal l!/(m! m'! ...) differ.
func longestRun(keys []float64) sortedRun {
	var best sortedRun
	n := float64(len(keys))
	for _, descending := range []bool{false, true} {
		for first := 0; first < len(keys); {
			last, equal, orders := first+1, 1, 0.
			for ; last < len(keys); last++ {
				c := cmp.Compare(keys[last], keys[last-1])
				if descending {
					c = -c
				}
				if c < 0 {
					break
				}
				if equal++; c > 0 {
					equal = 1
				}
				orders += math.Log(float64(last-first+1)) - math.Log(float64(equal))
			}
			if chance := 2*math.Log(n) - orders; chance < best.chance {
				best = sortedRun{first, last, descending, chance}
			}
			first = last
		}
	}
	return best
}
