package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant/features"
	"mediant/rr"
)

func newInspect() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Show what a model file holds",
		Args:  arguments("the model file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := tryStdout(cmd.OutOrStdout()); err != nil {
				return err
			}
			model, err := loadModel(args[0], 0)
			if err != nil {
				return err
			}
			if asJSON {
				text, err := model.Header()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
				return err
			}
			return describeModel(cmd.OutOrStdout(), model, nil, "")
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the header of the file as JSON")
	return cmd
}

// describeModel writes a model for people: for fit, with a diagnosis and a last line, or for inspect.
func describeModel(w io.Writer, m *rr.Model, d *rr.Diagnosis, last string) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s%s\n", name, oneLine(fmt.Sprintf(format, args...)))
	}
	line("method", "%s", m.Method)
	if p := m.Params; p.W != nil && m.Method == "joint" {
		line("w", "%g, penalty %s", *p.W, p.Penalty)
	}
	if m.Params.Precision {
		line("weights", "rows of X and U by the precision of h(U) given X")
	}
	for _, l := range []struct {
		name  string
		value *float64
	}{{"lambda_f", m.Params.LambdaF}, {"lambda_g", m.Params.LambdaG}, {"lambda_h", m.Params.LambdaH}} {
		if l.value != nil {
			line(l.name, "%g", *l.value)
		}
	}
	line("rows", "%d of X and U, %d of U and Y", m.Rows.XU, m.Rows.UY)
	line("X", "%s", names(m.Roles.X))
	line("U", "%s", names(m.Roles.U))
	line("Y", "%s", names(m.Roles.Y))
	if len(m.Reading.NA) > 0 {
		line("missing", "%s", names(m.Reading.NA))
	}
	if len(m.Reading.Dates) > 0 {
		line("dates", "%s", names(m.Reading.Dates))
	}
	if classes := m.Y.Classes(); classes != nil {
		line("classes", "%s", names(classes))
	}
	for _, f := range []struct {
		name string
		of   rr.Predictor
	}{{"f", m.F}, {"h", m.H}} {
		if f.of != nil {
			line(f.name, "%s", describePredictor(f.of))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Condition)) {
		c := m.Condition[name]
		if c.Number == nil {
			line("system "+name, "rank %d, singular to rounding", c.Rank)
		} else {
			line("system "+name, "rank %d, condition number %.2g", c.Rank, *c.Number)
		}
	}
	if m.Assessment != nil {
		b.WriteString(describeAssessment(m.Assessment))
	}
	for _, note := range m.Notes {
		line("note", "%s", note)
	}
	b.WriteString(describeDiagnosis(d))
	if last != "" { // fit has shown the warnings on stderr
		line("model", "%s", last)
	} else {
		for _, warning := range m.Warnings {
			line("warning", "%s", warning)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// names lists at most a line's worth of names.
func names(all []string) string {
	const most = 8
	text := strings.Join(all[:min(len(all), most)], ", ")
	if len(all) > most {
		text += fmt.Sprintf(", ... (%d in all)", len(all))
	}
	return text
}

func describePredictor(p rr.Predictor) string {
	switch p := p.(type) {
	case *rr.Linear:
		in, out := p.Map.Dims()
		return fmt.Sprintf("%s, %s -> %s -> %s", features.Describe(p.Map), count(in, "column"), count(out, "feature"), count(len(p.Intercept), "output"))
	case rr.Chain:
		return describePredictor(p.First) + ", then " + describePredictor(p.Then)
	case fmt.Stringer:
		return p.String()
	}
	return fmt.Sprintf("%T", p)
}
