package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mediant/tables"
)

const (
	// A treatment is one of clusters if each of clusterLevels or more has one arm, two of them in either arm, which drawn arms have with a probability of clusterChance at most.
	clusterLevels, clusterChance = 4, 1e-8
)

// clusteredArms finds columns of the first table each of whose values has one arm: the treatment was drawn by clinic, say, and not by row. It returns their names.
func (c *checker) clusteredArms() []string {
	if name := c.opt.Roles.ClusterXU; name != "" {
		return []string{name}
	}
	type clusters struct {
		name   string
		levels int
		rows   float64 // of each, in the mean
	}
	var found []clusters
	for i := range c.xu.looks {
		look := &c.xu.looks[i]
		name := look.column.Name
		known := slices.ContainsFunc(c.report.Findings, func(f Finding) bool { return f.Code == GroupedRows && slices.Contains(f.Columns, name) })
		if known || look.column.Kind == tables.Vector || look.fraction || name == c.opt.Treatment || slices.Contains(c.beside, name) {
			continue
		}
		if levels, rows, ok := c.constantArms(look); ok {
			found = append(found, clusters{name, levels, rows})
		}
	}
	if found == nil {
		return nil
	}
	slices.SortStableFunc(found, func(a, b clusters) int { return cmp.Compare(a.levels, b.levels) }) // persons within clinics have one arm too
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.name
	}
	first := found[0]
	c.add(Finding{Code: GroupedRows, Severity: Warning, Table: XU, Columns: names, Rows: c.xu.rows, Of: c.xu.rows, gravity: causeFirst + 1,
		What: fmt.Sprintf("%q has one arm of %q in all rows of each of its %d values: the treatment seems to have been drawn by %q and not by row",
			first.name, c.opt.Treatment, first.levels, first.name),
		Effect: c.groupsEffect(first.rows),
		Remedy: fmt.Sprintf("--cluster %q counts each as one, or --accept %s:%[1]q if its rows have nothing in common", first.name, GroupedRows)})
	return names
}

// constantArms counts the values of a column in the sampled rows, and the rows of each in the mean, if each has one arm, and this is no chance.
func (c *checker) constantArms(look *columnLook) (levels int, rows float64, ok bool) {
	arm := c.xu.of(c.opt.Treatment)
	type cluster struct {
		arm  string
		rows int
	}
	of := make(map[string]*cluster)
	arms := make(map[string]int)
	for _, row := range c.xu.sample.heap {
		value, a := cellOf(look, row), cellOf(arm, row)
		if value == "" || a == "" {
			continue
		}
		arms[a]++
		rows++
		switch had := of[value]; {
		case had == nil:
			of[value] = &cluster{a, 1}
		case had.arm != a:
			return 0, 0, false
		default:
			had.rows++
		}
	}
	each := make(map[string]int) // clusters of an arm
	chance := 0.
	for _, k := range of {
		each[k.arm]++
		all := 0.
		for _, n := range arms {
			all += math.Pow(float64(n)/rows, float64(k.rows))
		}
		chance += math.Log(all)
	}
	for a := range arms {
		if each[a] < 2 { // one has a dose, the other none
			return 0, 0, false
		}
	}
	return len(of), rows / float64(len(of)), len(arms) > 1 && len(of) >= clusterLevels && chance < math.Log(clusterChance)
}

// cellOf is the value of a column in a row as a word, "" if missing.
func cellOf(look *columnLook, row sampledRow) string {
	if look.column.Kind == tables.Text {
		return row.text[look.place]
	}
	if v := row.num[look.place]; !math.IsNaN(v) {
		return fmt.Sprint(v)
	}
	return ""
}
