package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mediant/tables"
	"mediant/tables/notes"
)

// Codes of findings about single columns.
const (
	RowIdentifier Code = "identifier"
	DateColumn    Code = "date"
	MarkedNumbers Code = "number-with-marks"
	MissingMarker Code = "missing-marker"
	MixedCells    Code = "mixed-cells"
	KindsDiffer   Code = "kinds-differ"
	NamesDiffer   Code = "names-nearly-equal"
)

// codes are all of them.
var codes = []Code{
	RowIdentifier, DateColumn, MarkedNumbers, MixedCells, MissingMarker, KindsDiffer, NamesDiffer,
	LevelSpelling, LevelsDisjoint, LevelUnseen, UnitDiffers, ColumnsSwapped, DistributionDiffers, PrecisionDiffers, MissingDiffers, JointDistribution,
	CopiedRows, NoOverlap, NothingKnown, ClassSpelling, GroupedRows, FarValue, InfluentialRows, MixedUnits, Censored, MisalignedRows, FilledDown, RowsDepend, ArmsDiffer, SeveralY, YRepeats, WeightsUnused, ScaledApart,
	LearnedRows, LaterRange, LaterLevel, LaterMissing, LaterPlaces, LaterUnit, LaterSpike, LaterError,
	Code(notes.EmptyRows), Code(notes.RepeatedHeader), Code(notes.UnitRow), Code(notes.TotalRow), Code(notes.SubtotalRows), Code(notes.NoteRow), Code(notes.CommentLines), Code(notes.SeparatorLine), Code(notes.EmptyPart),
}

// skips tells what reading the files left out.
func (c *checker) skips(xu, uy tables.Source) {
	for _, t := range []struct {
		table Table
		src   tables.Source
	}{{XU, xu}, {UY, uy}} {
		for _, s := range tables.FactsOf(t.src).Skips {
			c.add(Finding{Code: Code(s.Reason), Severity: Note, Table: t.table, Rows: s.Lines, What: s.String()})
		}
	}
}

// mixed names the columns that are text only because they were read leniently, to be looked at: a fit refuses each. Their
// content is doubted for nothing else.
func (c *checker) mixed(xu, uy tables.Source) {
	for _, t := range []struct {
		table Table
		src   tables.Source
	}{{XU, xu}, {UY, uy}} {
		for _, m := range tables.FactsOf(t.src).Mixed {
			c.opt.Explicit = append(c.opt.Explicit, m.Column)
			c.add(Finding{Code: MixedCells, Severity: Error, Table: t.table, Columns: []string{m.Column}, Rows: m.Cells, Of: m.Of,
				What:   fmt.Sprintf("%d of %d cells of %q in %s cannot be read as the others are; the first is on line %d: %q %s", m.Cells, m.Of, m.Column, t.table.words(), m.Line, m.Cell, m.Why),
				Effect: "the column is neither numbers nor text", Remedy: optionFlags.Replace(m.Remedy)})
		}
	}
}

// optionFlags puts flags in the place of the options of package tables that a remedy names.
var optionFlags = strings.NewReplacer("Options.NA", "--na", "Options.Text", "--text", "Options.Decimal", "--decimal", "Options.Dates", "--dates")

// contents looks at the columns that have a role.
func (c *checker) contents() {
	for _, side := range []struct {
		table       Table
		look, other *tableLook
		of          *TableProfile
		names       []string
	}{{XU, c.xu, c.uy, &c.report.XU, slices.Concat(c.roles.X, c.roles.U, c.covariates())}, {UY, c.uy, c.xu, &c.report.UY, slices.Concat(c.roles.U, c.roles.Y)}} {
		for _, name := range side.names {
			i := side.look.place(name)
			look, p, before := &side.look.looks[i], side.of.Columns[i], len(c.report.Findings)
			if look.compactDates(side.look) {
				c.numbersAsDates(side.table, look, side.other)
				continue
			}
			c.marked(side.table, look, p, side.look)
			c.readAsThousandths(side.table, look, p, side.look)
			c.missingMarker(side.table, look, p, side.look)
			doubted := func() bool {
				return slices.ContainsFunc(c.report.Findings[before:], func(f Finding) bool { return f.Severity != Note })
			}
			if c.mixedUnits(side.table, look, p, side.look); !doubted() && side.look.sums.found == nil {
				c.farGroup(side.table, look, p, side.look)
			}
			if doubted() || slices.Contains(c.roles.U, name) {
				continue
			}
			if side.table == UY {
				c.mixedGivenU(look, p)
			}
			noted := slices.ContainsFunc(c.report.Findings[before:], func(f Finding) bool { return f.Code == MixedUnits })
			if !doubted() && !noted { // two humps that the values alone leave open bend the line
				c.offTheLine(side.table, look, p, side.look)
				c.imputed(side.table, look, p, side.look)
			}
		}
	}
}

// marked finds text that is numbers to a reader.
func (c *checker) marked(table Table, look *columnLook, p *Profile, t *tableLook) {
	if p.Kind != Marked || slices.Contains(c.opt.Explicit, p.Name) {
		return
	}
	mark := ""
	for _, cell := range look.cells(t) {
		if m, ok := markOf(cell.Level); ok && m != "" {
			mark = m
			break
		}
	}
	what := fmt.Sprintf("the cells of %q in %s are numbers with the unit %q (%s)", p.Name, table.words(), mark, examples(p.Levels))
	switch mark {
	case "":
		what = fmt.Sprintf("the cells of %q in %s look like numbers and were read as text (%s)", p.Name, table.words(), examples(p.Levels))
	case "decimal comma":
		what = fmt.Sprintf("the cells of %q in %s are numbers with decimal commas (%s)", p.Name, table.words(), examples(p.Levels))
	case "spelling":
		what = fmt.Sprintf("the cells of %q in %s are numbers in another spelling (%s)", p.Name, table.words(), examples(p.Levels))
	case "thousands":
		what = fmt.Sprintf("the cells of %q in %s are numbers with marks between thousands (%s)", p.Name, table.words(), examples(p.Levels))
	}
	c.add(Finding{Code: MarkedNumbers, Severity: Error, Table: table, Columns: []string{p.Name}, Rows: p.Rows - p.Missing, Of: p.Rows, What: what,
		Effect: "each would be a level or a class of its own",
		Remedy: decimalRemedy(table, p, fmt.Sprintf("write plain numbers, or --text %q if they are labels", p.Name))})
}

// decimalRemedy puts the flag for decimal commas before another remedy where the levels of a column are numbers with such, and the commas are not all before
// thousands.
func decimalRemedy(table Table, p *Profile, other string) string {
	thousands := true
	for _, l := range p.Levels {
		if !decimalComma.MatchString(l.Level) {
			return other
		}
		thousands = thousands && thousandsComma.MatchString(l.Level)
	}
	if thousands {
		return other
	}
	return fmt.Sprintf("--decimal-%s \",\" reads decimal commas; or %s", table, other)
}

// thousandsComma is a number whose only commas are before thousands, or a whole one below 1000.
var thousandsComma = regexp.MustCompile(`^\s*[+-]?[1-9]\d{0,2}(,\d{3})*\s*$`)

// decimalComma is a number that has one, or a whole one.
var decimalComma = regexp.MustCompile(`^\s*[+-]?\d*(,\d+)?\s*$`)

// missingMarker finds values that seem to mark missing ones.
func (c *checker) missingMarker(table Table, look *columnLook, p *Profile, t *tableLook) {
	if p.Numbers == nil {
		return
	}
	codes, scale, surely, scaled := look.beside()
	if scaled && surely {
		c.noAnswer(table, p, codes, scale, true)
		return
	}
	v, rest, ok := look.marker(t)
	if !ok {
		switch {
		case scaled:
			c.noAnswer(table, p, codes, scale, false)
		case c.markerWithin(table, look, p):
		default:
			c.filled(table, look, p, t)
			if !c.apartFromOthers(table, look, p, t) {
				c.censored(table, look, p, t)
				if t.sums.found == nil { // which are far
					c.far(table, look, p, t)
				}
			}
		}
		return
	}
	c.add(Finding{Code: MissingMarker, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: v.rows, Of: p.Rows,
		What:    fmt.Sprintf("%q is %g in %d of %d rows of %s, far from all other values (%.6g to %.6g)", p.Name, v.value, v.rows, p.Rows, table.words(), rest[0], rest[1]),
		Effect:  "if that marks missing values, it is learned from as a number",
		Remedy:  naFlag(p.Name, v.value),
		gravity: causeFirst + float64(v.rows)/float64(p.Rows)})
}
