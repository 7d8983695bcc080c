package report

import (
	"fmt"
	"strings"
)

// check refuses what no format could show; the error names the place.
func (d *Document) check() error {
	names := map[string]bool{}
	for _, s := range d.Sections {
		for _, f := range s.Formulas {
			if _, err := mathML(f); err != nil {
				return fmt.Errorf("report: section %q: formula %q: %w", s.Title, f, err)
			}
		}
		for i := range s.Tables {
			if err := s.Tables[i].check(); err != nil {
				return fmt.Errorf("report: section %q: table %d %q: %w", s.Title, i+1, s.Tables[i].Caption, err)
			}
		}
		for i := range s.Charts {
			c := &s.Charts[i]
			if err := c.check(); err != nil {
				return fmt.Errorf("report: section %q: chart %q: %w", s.Title, c.Name, err)
			}
			if names[c.Name] {
				return fmt.Errorf("report: section %q: chart %q: another chart has this name", s.Title, c.Name)
			}
			names[c.Name] = true
		}
	}
	return nil
}

func (t *Table) check() error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("has no columns")
	}
	for r, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("row %d has %d cells, want %d", r+1, len(row), len(t.Columns))
		}
		for c, cell := range row {
			switch cell.Mark {
			case NoMark, Good, Bad:
			default:
				return fmt.Errorf("row %d, column %q: mark %q is not known", r+1, t.Columns[c], cell.Mark)
			}
		}
	}
	return nil
}

func (c *Chart) check() error {
	if err := checkName(c.Name); err != nil {
		return err
	}
	if len(c.XNames) > 0 && c.LogX {
		return fmt.Errorf("has names along a logarithmic x axis")
	}
	if len(c.YNames) > 0 && c.LogY {
		return fmt.Errorf("has names along a logarithmic y axis")
	}
	for i, s := range c.Series {
		switch s.Kind {
		case Points, Dots, Line, LinePoints, Bars, Intervals:
		case Band:
			if s.Err == nil {
				return fmt.Errorf("series %d %q: is a band without a width", i+1, s.Name)
			}
		default:
			return fmt.Errorf("series %d %q: kind %q is not known", i+1, s.Name, s.Kind)
		}
		if len(s.X) != len(s.Y) {
			return fmt.Errorf("series %d %q: has %d x and %d y", i+1, s.Name, len(s.X), len(s.Y))
		}
		if s.Err != nil && len(s.Err) != len(s.Y) {
			return fmt.Errorf("series %d %q: has %d error bars and %d y", i+1, s.Name, len(s.Err), len(s.Y))
		}
	}
	return nil
}

// maxName keeps names below every file system's limit of 255 bytes, with room for an extension.
const maxName = 100

// checkName accepts what is a good file name everywhere and needs no escaping in a link.
func checkName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("name has %d letters, want 1 to %d", len(name), maxName)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) }) {
		return fmt.Errorf("name is not made of a-z, 0-9 and hyphens")
	}
	if name[0] == '-' {
		return fmt.Errorf("name starts with a hyphen, as an option would")
	}
	if windowsDevice(name) {
		return fmt.Errorf("name is a device on Windows")
	}
	return nil
}

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-'
}

// windowsDevice tells names that Windows does not give to files, whatever their extension.
func windowsDevice(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	stem, digit := strings.CutPrefix(name, "com")
	if !digit {
		stem, digit = strings.CutPrefix(name, "lpt")
	}
	return digit && len(stem) == 1 && '0' <= stem[0] && stem[0] <= '9'
}
