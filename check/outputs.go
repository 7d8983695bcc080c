package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

// Codes of findings about which columns are Y.
const (
	SeveralY Code = "several-y"
	YRepeats Code = "y-repeats"
)

// outputs tells which columns are Y where there are several and no flag says so, and finds those that are another column of Y, or one of U, in
// another scale.
func (c *checker) outputs() {
	text := slices.ContainsFunc(c.roles.Y, func(name string) bool { return c.uy.of(name).column.Kind == tables.Text }) // which a fit refuses beside others
	if len(c.roles.Y) > 1 && c.opt.Roles.Y == nil && !text {
		c.severalY()
	}
	c.yRepeats()
	c.averaged()
	c.weightColumns()
}

// weightNames are those of columns that count or weigh rows.
var weightNames = strings.Fields("weight weights wt wgt pweight fweight aweight n count counts freq frequency nobs gewicht gewichte häufigkeit haeufigkeit anzahl poids effectif effectifs fréquence nombre")

// namesWeights reports whether a column of that name may count or weigh rows: "wt", "sampling weight", "sampleWeight".
func namesWeights(name string) bool {
	all := wordsOf(name)
	last := all[strings.LastIndex(all, " ")+1:]
	return slices.Contains(weightNames, all) || strings.HasPrefix(last, "weight") || last == "wt"
}

func (c *checker) severalY() {
	var weights []string
	for _, name := range c.roles.Y {
		if look := c.uy.of(name); look.column.Kind == tables.Numeric && look.present() > 0 && look.numbers.low[0].value >= 0 && namesWeights(name) {
			weights = append(weights, name)
		}
	}
	// The finding is listed under what is doubtful about it.
	f := Finding{Code: SeveralY, Severity: Note, Table: UY, Columns: append(slices.Clone(weights), namesBut(c.roles.Y, weights)...), gravity: causeFirst,
		What:   fmt.Sprintf("Y is taken to be %s: the columns that only the second table has", quotedList(c.roles.Y)),
		Effect: "errors are summed over them",
		Remedy: "--y names those that are meant"}
	if c.opt.Treatment != "" {
		f.Effect = "each has an effect of its own"
	}
	if weights != nil {
		f.Severity = Warning
		f.What += fmt.Sprintf("; %s may count or weigh rows", quotedList(weights))
		f.Remedy = fmt.Sprintf("--weights-uy %q takes it as weights; %s", weights[0], f.Remedy)
		if c.aggregated(c.uy.of(weights[0])) {
			f.Effect += "; if a row is the mean of so many, what varied among those is lost"
			f.Remedy += "; the rows that were averaged are better than both, since means are not as many rows, and with their number as weights the risk is too low"
		}
	}
	c.add(f)
}

// averaged doubts weights that are numbers of rows which each row of the second table is the mean of: each U is there once, though its columns
// have few values.
func (c *checker) averaged() {
	weights := c.uy.of(c.opt.Roles.WeightsUY)
	if weights == nil || !c.aggregated(weights) {
		return
	}
	for _, name := range c.roles.U {
		if u := c.uy.of(name); u.column.Kind == tables.Vector || u.distinct.count()*tiedRows > c.uy.rows {
			return
		}
	}
	c.add(Finding{Code: GroupedRows, Severity: Warning, Table: UY, Columns: []string{weights.column.Name}, Rows: c.uy.rows, Of: c.uy.rows, gravity: causeFirst + 1,
		What:   fmt.Sprintf("each U is in one row of the second table, and %q is a whole number: rows that are the means of so many others", weights.column.Name),
		Effect: "what Y varied by among rows of one U is lost, and the risk too low",
		Remedy: fmt.Sprintf("the rows that were averaged; --accept %s:%q if a Y that hardly varies makes them so", GroupedRows, weights.column.Name)})
}

// tiedRows of a value of U there are at least in the mean where rows of the same U are to be expected.
const tiedRows = 10

// aggregated reports whether a column may be the number of rows that each row of the second table is the mean of: whole, at least 1 and not always, and the
// sampled rows have each U once.
func (c *checker) aggregated(weights *columnLook) bool {
	if weights.column.Kind != tables.Numeric || weights.fraction || weights.present() == 0 || weights.numbers.low[0].value < 1 || weights.distinct.count() < 2 {
		return false
	}
	seen := make(map[string]bool)
	for _, row := range c.uy.sample.heap {
		var key strings.Builder
		for _, name := range c.roles.U {
			u := c.uy.of(name)
			if u.column.Kind == tables.Vector {
				return false
			}
			key.WriteString(row.word(u) + "\x00")
		}
		if seen[key.String()] {
			return false
		}
		seen[key.String()] = true
	}
	return true
}

// namesBut is a list less some of its items.
func namesBut(list, some []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(some, item) })
}

// listedNames is how many names a sentence has.
const listedNames = 6

// quotedList writes names in quotes.
func quotedList(names []string) string {
	var parts []string
	for _, name := range names[:min(len(names), listedNames)] {
		parts = append(parts, fmt.Sprintf("%q", name))
	}
	if more := len(names) - listedNames; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

const (
	// repeatPairs of columns are compared at most, repeatRows are the least that tell, and repeatValues how many different ones a column must have of
	// which another one is a multiple; repeatSteps of rounding must fit in its range, so that few lines through it are as good.
	repeatPairs, repeatRows, repeatValues, repeatSteps = 100_000, 20, 10, 50
)

// yRepeats finds columns of Y that are a linear function of another one, or of a column of U, in all rows that are sampled.
func (c *checker) yRepeats() {
	numbers := func(names []string) []*columnLook {
		var all []*columnLook
		for _, name := range names {
			if look := c.uy.of(name); look.column.Kind == tables.Numeric && look.distinct.count() >= repeatValues {
				all = append(all, look)
			}
		}
		return all
	}
	y := numbers(c.roles.Y)
	others := slices.Concat(numbers(c.roles.U), y)
	if len(y)*len(others) > repeatPairs {
		return
	}
	for i, look := range y {
		for _, other := range others[:len(others)-len(y)+i] { // U, and columns of Y before this one
			line, ok := c.uy.line(other, look)
			if !ok {
				if slices.Contains(c.roles.U, other.column.Name) && c.seemsY(other, look) {
					break
				}
				continue
			}
			f := Finding{Code: YRepeats, Severity: Warning, Table: UY, Columns: []string{look.column.Name, other.column.Name}, Rows: look.present(), gravity: causeFirst,
				What:   fmt.Sprintf("%q is %s in all rows of the second table", look.column.Name, line.of(other.column.Name)),
				Effect: "errors are summed over the columns of Y, and this one counts again",
				Remedy: fmt.Sprintf(ignoreRemedy, look.column.Name)}
			if slices.Contains(c.roles.U, other.column.Name) {
				f.Effect = "U explains all of it, and it says nothing of another Y"
				f.Remedy = fmt.Sprintf("--ignore the one of them that is not meant; --accept %s:%q if both are", YRepeats, look.column.Name)
			} else if c.opt.Treatment != "" {
				f.Effect = "its effect says nothing new"
			}
			c.add(f)
			break
		}
	}
}

const (
	// A column of U that explains leakShare of Y, and leakRanks of its ranks, so that it is not a few far values alone, is taken for Y itself, measured again.
	leakShare, leakRanks = .999, .998
)

// seemsY finds a column of U that is Y but for little.
func (c *checker) seemsY(u, y *columnLook) bool {
	var values [2][]float64
	for _, row := range c.uy.sample.heap {
		if a, b := row.num[u.place], row.num[y.place]; !math.IsNaN(a) && !math.IsNaN(b) {
			values[0], values[1] = append(values[0], a), append(values[1], b)
		}
	}
	if len(values[0]) < repeatRows {
		return false
	}
	explained := stat.Correlation(values[0], values[1], nil)
	if !(explained*explained > leakShare) {
		return false
	}
	if ranks := stat.Correlation(ranksOf(values[0]), ranksOf(values[1]), nil); !(ranks*ranks > leakRanks) {
		return false
	}
	c.add(Finding{Code: YRepeats, Severity: Warning, Table: UY, Columns: []string{u.column.Name, y.column.Name}, Rows: y.present(), gravity: causeFirst,
		What:   fmt.Sprintf("%q of U explains %s %% of %q in the second table: it seems to be Y itself", u.column.Name, strconv.FormatFloat(math.Floor(1e5*explained*explained)/1e3, 'f', -1, 64), y.column.Name),
		Effect: "Y is learned from itself, and asked of what the first table has in that column: if that is a guess of Y, every result is wrong",
		Remedy: fmt.Sprintf(ignoreRemedy+"; --accept %s:%q if both tables measure it alike", u.column.Name, YRepeats, u.column.Name)})
	return true
}

// A line is slope*x + shift.
type line struct{ slope, shift float64 }

// of writes a line of a column.
func (l line) of(name string) string {
	text := fmt.Sprintf("%q", name)
	if l.slope != 1 {
		text = fmt.Sprintf("%s times %s", text, short(l.slope))
	}
	switch {
	case l.shift > 0:
		text += " plus " + short(l.shift)
	case l.shift < 0:
		text += " less " + short(-l.shift)
	}
	if text == fmt.Sprintf("%q", name) {
		return "equal to " + text
	}
	return text
}

// line finds the line through the sampled rows of two columns that have both, up to the rounding of each; not ok if there is none.
func (t *tableLook) line(x, y *columnLook) (line, bool) {
	if x.present() != y.present() {
		return line{}, false
	}
	var rows [][2]float64
	lo, hi := [2]float64{math.Inf(1)}, [2]float64{math.Inf(-1)} // by x
	for _, row := range t.sample.heap {
		p := [2]float64{row.num[x.place], row.num[y.place]}
		if math.IsNaN(p[0]) != math.IsNaN(p[1]) {
			return line{}, false
		}
		if math.IsNaN(p[0]) {
			continue
		}
		rows = append(rows, p)
		if p[0] < lo[0] {
			lo = p
		}
		if p[0] > hi[0] {
			hi = p
		}
	}
	if len(rows) < repeatRows || !(hi[0] > lo[0]) {
		return line{}, false
	}
	l := line{slope: (hi[1] - lo[1]) / (hi[0] - lo[0])}
	l.shift = lo[1] - l.slope*lo[0]
	// Ends that are rounded move the line by as much again as a row is off it.
	loose := 1e-9 * (math.Abs(l.slope)*math.Max(math.Abs(lo[0]), math.Abs(hi[0])) + math.Abs(l.shift))
	for _, p := range rows { // full precision first, which most pairs fail at once
		if off := math.Abs(p[1] - l.slope*p[0] - l.shift); off > loose {
			loose += 1.01 * (decimalStep(rows, 1) + math.Abs(l.slope)*decimalStep(rows, 0))
			break
		}
	}
	if !(math.Abs(hi[1]-lo[1]) > repeatSteps*loose) {
		return line{}, false
	}
	for _, p := range rows {
		if math.Abs(p[1]-l.slope*p[0]-l.shift) > loose {
			return line{}, false
		}
	}
	// A line of rounded numbers is reported with the digits that they determine: 1.19 and not 1.18996.
	if near := math.Round(l.slope); near != 0 && math.Abs(near-l.slope)*(hi[0]-lo[0]) <= loose {
		l.slope = near
		l.shift = lo[1] - near*lo[0]
	}
	if math.Abs(l.shift) <= loose {
		l.shift = 0
	}
	return l, true
}

// decimalStep is the step of rounding of a coordinate of some rows as decimals, 0 if it has more than eight.
func decimalStep(rows [][2]float64, of int) float64 {
	step := 1.
	for range 8 {
		if !slices.ContainsFunc(rows, func(p [2]float64) bool { return !isMultiple(p[of], step) }) {
			return step
		}
		step /= 10
	}
	return 0
}
