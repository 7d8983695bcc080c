package experiments

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"mediant/internal/outfile"
	"mediant/internal/unfinished"
	"mediant/tables"
	"mediant/tables/csv"
)

//go:embed peers.py
var peersScript string

// Peers, made by FindPeers, are learners of scikit-learn in two steps, h of Y on U and f of h(U) on X: gradient boosting, random forests, and exact kernel
// ridge regression with one bandwidth for all columns, which is chosen with the penalty by leave-one-out error.
type Peers struct{ python string }

// PeerNames are the names of the learners.
func PeerNames() []string { return []string{"GBM", "RF", "iso"} }

// ErrNoPeers reports that no Python with scikit-learn was found.
var ErrNoPeers = errors.New("experiments: no python3 with numpy, scipy, scikit-learn and pandas (Debian's python3-sklearn and python3-pandas)")

// FindPeers tries Debian's Python, and then the first of the search path; the error is ErrNoPeers.
func FindPeers(ctx context.Context) (*Peers, error) {
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.CommandContext(ctx, path, "-c", "import numpy, scipy, sklearn, pandas").Run() == nil {
			return &Peers{path}, nil
		}
	}
	return nil, ErrNoPeers
}

// A peerOutcome is what the script prints of a learner.
type peerOutcome struct {
	Unexplained float64  `json:"unexplained"`
	MSE         float64  `json:"mse"`
	Accuracy    *float64 `json:"accuracy"`
	Seconds     float64  `json:"seconds"`
}

// fit fits all learners to a pair of tables, and measures them on rows of X and Y.
func (p *Peers) fit(ctx context.Context, xu, uy, xy tables.Source) (map[string]peerOutcome, error) {
	dir, err := unfinished.CreateFolder(func() (string, error) { return os.MkdirTemp("", "mediant-peers-*") })
	if err != nil {
		return nil, err
	}
	defer unfinished.RemoveFolder(dir)
	for name, src := range map[string]tables.Source{"xu.csv": xu, "uy.csv": uy, "xy.csv": xy} {
		if err := outfile.Write(filepath.Join(dir, name), func(w io.Writer) error { return csv.Write(ctx, w, src) }); err != nil {
			return nil, err
		}
	}
	printed, err := exec.CommandContext(ctx, p.python, "-c", peersScript, dir).Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		return nil, fmt.Errorf("experiments: python: %w: %s", err, bytes.TrimSpace(failed.Stderr))
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: python: %w", err)
	}
	var outcomes map[string]peerOutcome
	if err := json.Unmarshal(printed, &outcomes); err != nil {
		return nil, fmt.Errorf("experiments: python: %w", err)
	}
	return outcomes, nil
}
