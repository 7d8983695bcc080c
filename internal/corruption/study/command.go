package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"mediant/check"
	"mediant/internal/corruption"
	"mediant/risk"
	"mediant/tables/csv"
)

// A Command runs mediant with arguments, and returns its exit status: 0 where all went well.
type Command func(ctx context.Context, args []string, stdout, stderr io.Writer) (status int)

// A Result is what one run of the command said, and what is true.
type Result struct {
	Refused  string          `json:"refused,omitempty"` // the line of an error
	Estimate *float64        `json:"estimate"`          // nil: no number was given
	SE       float64         `json:"se"`
	Lo       float64         `json:"lo"` // of all rows, where the estimate is of those with overlap
	Hi       float64         `json:"hi"`
	Truth    float64         `json:"truth"`
	TruthSE  float64         `json:"truth_se"`
	NoTruth  string          `json:"no_truth,omitempty"` // why there is none
	Findings []check.Finding `json:"findings,omitempty"`
	Said     []string        `json:"said,omitempty"` // warnings, notes and signs of other kinds
	Doubted  bool            `json:"doubted"`        // a warning, or a sign that U is distributed differently
}

// holds reports whether the truth is within the interval, widened by the error of the truth.
func (r *Result) holds() bool {
	more := 1.96 * (math.Hypot(r.SE, r.TruthSE) - r.SE)
	return r.Truth >= r.Lo-more && r.Truth <= r.Hi+more
}

// fixedSettings are those of fits that do not search; each takes a tenth of a second.
var fixedSettings = []string{"--method", "2step", "--phi", "gaussian", "--psi", "gaussian", "--features", "64", "--lambda", "1e-3"}

// textSettings are fixedSettings for free text.
var textSettings = []string{"--method", "2step", "--phi", "nystrom:linear", "--psi", "nystrom:linear", "--features", "64", "--lambda", "1e-3"}

// command runs fit or effect on a pair.
func (l *lab) command(ctx context.Context, p *corruption.Pair, full bool) (*Result, error) {
	xu, uy, model := filepath.Join(l.dir, "xu.csv"), filepath.Join(l.dir, "uy.csv"), filepath.Join(l.dir, "model.mediant")
	for _, t := range []struct {
		path string
		of   *corruption.Sheet
	}{{xu, p.XU}, {uy, p.UY}} {
		if err := os.WriteFile(t.path, t.of.Bytes(), 0o600); err != nil {
			return nil, err
		}
	}
	args := []string{"fit", "--xu", xu, "--uy", uy, "-o", model, "--json"}
	switch {
	case p.Treatment != "":
		args = []string{"effect", "--xu", xu, "--uy", uy, "--treatment", p.Treatment, "--json"}
	case p.Text:
		args = append(args, textSettings...)
	case full:
	default:
		args = append(args, fixedSettings...)
	}
	var stdout, stderr bytes.Buffer
	status := l.Mediant(ctx, args, &stdout, &stderr)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if status != 0 {
		return &Result{Refused: l.relative(lastLine(stderr.String()))}, nil
	}
	r, err := readCommand([]byte(l.relative(stdout.String())))
	if err != nil || r.Estimate == nil {
		return r, err
	}
	if p.Treatment != "" {
		r.Truth, r.TruthSE = p.Effect, p.EffectSE
		return r, nil
	}
	if err := l.truth(ctx, r, model, p.Coupled); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		r.NoTruth = err.Error()
	}
	return r, nil
}

// relative names files as they are called in the folder, which is a new one each time.
func (l *lab) relative(text string) string {
	return strings.ReplaceAll(text, l.dir+string(filepath.Separator), "")
}

// readCommand reads what fit --json or effect --json says.
func readCommand(raw []byte) (*Result, error) {
	var said struct {
		Risk *struct {
			MSE        *float64
			SE, Lo, Hi float64
		}
		Overlap *struct{ All risk.Bracket }
		Effects []struct {
			Estimate   *float64
			SE, Lo, Hi float64
			Bounds     *risk.Bracket
		}
		Diagnosis struct {
			DistributionOfU struct {
				P    *float64 `json:"p_value"`
				Text string
			} `json:"distribution_of_u"`
		}
		Findings        []check.Finding
		Warnings, Notes []string
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return nil, err
	}
	r := &Result{Findings: said.Findings, Said: slices.Concat(said.Warnings, said.Notes), Doubted: len(said.Warnings) > 0}
	r.Doubted = r.Doubted || slices.ContainsFunc(said.Findings, func(f check.Finding) bool { return f.Severity > check.Note })
	if p := said.Diagnosis.DistributionOfU.P; p != nil && *p <= .01 {
		r.Doubted = true
		r.Said = append(r.Said, said.Diagnosis.DistributionOfU.Text)
	}
	switch {
	case said.Risk != nil && said.Risk.MSE != nil:
		r.Estimate, r.SE, r.Lo, r.Hi = said.Risk.MSE, said.Risk.SE, said.Risk.Lo, said.Risk.Hi
		if said.Overlap != nil { // the risk is of part of the rows
			r.Lo, r.Hi = said.Overlap.All.Lower, said.Overlap.All.Upper
		}
	case len(said.Effects) > 0:
		e := said.Effects[0]
		r.Estimate, r.SE, r.Lo, r.Hi = e.Estimate, e.SE, e.Lo, e.Hi
		if e.Bounds != nil {
			r.Lo, r.Hi = e.Bounds.Lower, e.Bounds.Upper
		}
	}
	return r, nil
}

// CoupledRows tell the truth, in coupledParts parts, whose spread is the error of the truth.
const (
	CoupledRows  = 4000
	coupledParts = 10
)

// truth is the mean squared error of a model on coupled rows, of which nothing is checked: that would see some faults late.
func (l *lab) truth(ctx context.Context, r *Result, path string, coupled *corruption.Sheet) error {
	model, err := l.Load(path)
	if err != nil {
		return err
	}
	xy := filepath.Join(l.dir, "xy.csv")
	var parts []float64
	n := len(coupled.Rows) / coupledParts
	for k := range coupledParts {
		part := &corruption.Sheet{Names: coupled.Names, Rows: coupled.Rows[k*n : (k+1)*n]}
		if err := os.WriteFile(xy, part.Bytes(), 0o600); err != nil {
			return err
		}
		src, err := csv.Open(ctx, xy, csv.Options{Only: slices.Concat(model.X.Columns(), model.Y.Columns())})
		if err != nil {
			return err
		}
		score, err := model.Evaluate(ctx, src)
		if err := errors.Join(err, src.Close()); err != nil {
			return err
		}
		parts = append(parts, score.MSE)
	}
	var std float64
	r.Truth, std = stat.MeanStdDev(parts, nil)
	r.TruthSE = std / math.Sqrt(coupledParts)
	return nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
