package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"mediant/internal/draw"
	"mediant/tables"
)

// Codes of findings about U of the two tables.
const (
	LevelSpelling       Code = "level-spelling"
	LevelsDisjoint      Code = "levels-disjoint"
	LevelUnseen         Code = "level-unseen"
	UnitDiffers         Code = "unit-differs"
	ColumnsSwapped      Code = "columns-swapped"
	DistributionDiffers Code = "distribution-differs"
	PrecisionDiffers    Code = "precision-differs"
	MissingDiffers      Code = "missing-differs"
	JointDistribution   Code = "joint-distribution"
)

// shiftRemedy settles a difference that is one of the populations.
func (c *checker) shiftRemedy() string {
	switch {
	case c.opt.Instrument:
		return "if the populations differ so, the mean of X given these columns must be the same in both"
	case c.apart:
		return "if the populations differ so, the second table cannot tell what Y is where it has no such U"
	case c.opt.Treatment != "":
		return "if the populations differ so, the estimate allows for it where the second table has such U"
	}
	return "if the populations differ so, --shift allows for it"
}

// compare compares the columns of U of both tables, one by one and together. Each column has one finding at most: what is wrong
// with its levels, units or missing values explains why its distribution differs.
func (c *checker) compare(ctx context.Context, xu, uy tables.Source) error {
	rows := sampleU(c.xu, c.uy, [2]string{c.opt.Roles.WeightsXU, c.opt.Roles.WeightsUY}, draw.Rand(c.opt.Seed, "check rows", 0))
	m := comparer{checker: c, columns: rows.columns(c.roles.U), settled: make(map[string]bool)}
	for _, f := range c.report.Findings {
		if f.Code == MissingDiffers {
			m.settled[f.column()] = true
		}
	}
	for _, arm := range rows.arms(c.opt.Treatment) {
		m.arms = append(m.arms, arm.columns(c.roles.U))
	}
	m.missing()
	if err := m.swapped(ctx, m.ownLevels(m.places()), m.levelsSwapped); err != nil {
		return err
	}
	m.levels()
	if err := m.distributions(ctx, draw.Rand(c.opt.Seed, "check distributions", 0)); err != nil {
		return err
	}
	return m.jointly(ctx, draw.Rand(c.opt.Seed, "check joint", 0))
}

// A comparer is one comparison of U under way.
type comparer struct {
	*checker
	columns []*uColumn
	// arms are the columns by arms of a treatment, and of all arms. The treatment may change U, and the second table may be of one arm
	// or of all: its distribution is another one if it is that of none of these. Without a treatment all rows are one arm.
	arms    [][]*uColumn
	settled map[string]bool // columns that a warning or an error has been said of
}

// causeFirst is what the gravity of a cause (units, spellings, markers) is above that of what it does (columns without overlap, and
// distributions that differ), whatever the shares of rows.
const causeFirst = 1

// say adds a finding about the columns that it names.
func (m *comparer) say(f Finding) {
	f.Table = Both
	switch f.Code {
	case DistributionDiffers, PrecisionDiffers, JointDistribution:
		f.gravity -= causeFirst
	default:
		f.gravity += causeFirst
	}
	m.add(f)
	if f.Severity == Note {
		return
	}
	for _, name := range f.Columns {
		m.settled[name] = true
	}
}

// places are those of all columns of which nothing has been said.
func (m *comparer) places() []int {
	var places []int
	for j, u := range m.columns {
		if !m.settled[u.name] {
			places = append(places, j)
		}
	}
	return places
}

// open are those columns of an arm of which nothing has been said.
func (m *comparer) open(columns []*uColumn) []*uColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(u *uColumn) bool { return m.settled[u.name] })
}

// openArms are the open columns of each arm.
func (m *comparer) openArms() [][]*uColumn {
	var arms [][]*uColumn
	for _, columns := range m.arms {
		arms = append(arms, m.open(columns))
	}
	return arms
}

// jointly tests how the columns depend on each other, those of which nothing has been said.
func (m *comparer) jointly(ctx context.Context, rnd *rand.Rand) error {
	var t *JointTest
	for _, columns := range m.arms {
		columns = m.open(columns)
		if len(columns) < 2 {
			return nil
		}
		var err error
		if t, err = testJoint(ctx, columns, false, rnd); err != nil || t == nil || t.PValue > alarm {
			return err
		}
	}
	names, most := t.Columns[:2], fmt.Sprintf("%q and %q the most", t.Columns[0], t.Columns[1])
	if t.together {
		names, most = t.Columns, "no two or three of them more than others"
	}
	if name := reversedOrder(m.openArms()); name != "" {
		m.say(Finding{Code: UnitDiffers, Severity: Warning, Columns: []string{name}, Rows: t.RowsXU + t.RowsUY, gravity: 1,
			What:   fmt.Sprintf("%q goes with the other columns of U the other way in the second table than in the first one: the order of its values seems to be reversed in one table", name),
			Effect: "E[Y given U] is learned on one scale and asked on another",
			Remedy: fmt.Sprintf("one order for both tables, or --accept %s:%q if the populations differ so", UnitDiffers, name)})
		return nil
	}
	m.say(Finding{Code: JointDistribution, Severity: Warning, Columns: names, Rows: t.RowsXU + t.RowsUY,
		What:   fmt.Sprintf("the columns of U depend on each other otherwise in the second table than in the first one, %s, though each by itself is alike (permutation p = %.2g)", most, t.PValue),
		Effect: "Y is learned from U of one distribution and asked of another: form 1 of the risk and the brackets may be far off",
		Remedy: m.shiftRemedy() + ", and if not, rows or cells of one table have been mixed up"})
	return nil
}
