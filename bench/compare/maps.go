package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/experiments"
	"mediant/features"
	"mediant/internal/draw"
	"mediant/kernels"
)

//go:embed maps.py
var mapsScript string

// A mapPair is a map of ours and the peer's of the same kernel.
type mapPair struct {
	spec features.Spec
	peer string
}

// mapPairs are what is compared.
var mapPairs = []mapPair{
	{features.Spec{Kernel: "gaussian"}, "RBFSampler"},
	{features.Spec{Kernel: "gaussian", Quasi: true}, "RBFSampler"},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian"}, "Nystroem"},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Landmarks: features.Uniform}, "Nystroem"},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Landmarks: features.KMeansPlusPlus}, "Nystroem"},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Landmarks: features.RidgeLeverage}, "Nystroem"},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "polynomial", Degree: 3}, "Nystroem polynomial"},
	{features.Spec{Kind: features.TensorSketchFeatures, Degree: 2}, "PolynomialCountSketch"},
	{features.Spec{Kind: features.TensorSketchFeatures, Degree: 3}, "PolynomialCountSketch"},
}

// maps compares features at equal size: the kernel error and the test error of both sides are computed by
// the same code from the features.
type maps struct {
	python  string
	columns []int // of X, a table each
	sizes   []int
	seeds   int
	train   int
	stderr  io.Writer
}

// A mapTable is what one number of columns gives: of ours and of the peer, by pair, size and seed.
type mapTable [][][][2]experiments.MapResult

func (m *maps) tables(ctx context.Context, out io.Writer) error {
	w, err := startWorker(ctx, m.python, mapsScript, runtime.NumCPU(), m.stderr)
	if err != nil {
		return err
	}
	if err := writeMachine(out, w); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mediant-maps")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, columns := range m.columns {
		table, err := m.measure(ctx, w, dir, columns)
		if err != nil {
			return fmt.Errorf("compare: maps: %d columns: %w", columns, err)
		}
		m.write(out, columns, table)
	}
	return w.close()
}

// measure draws new rows for each seed, on which both sides' maps are drawn anew.
func (m *maps) measure(ctx context.Context, w *worker, dir string, columns int) (mapTable, error) {
	table := make(mapTable, len(mapPairs))
	for p := range table {
		table[p] = make([][][2]experiments.MapResult, len(m.sizes))
	}
	for seed := range uint64(m.seeds) {
		trial := experiments.Synthetic{D: columns, Noise: 0.1}.MapTrial(m.train, seed)
		if err := give(w, dir, trial); err != nil {
			return nil, err
		}
		bandwidth, _ := kernels.Median(trial.Train(), draw.Source(seed, "compare/bandwidth", 0))
		for p, pair := range mapPairs {
			for s, size := range m.sizes {
				both, err := pair.run(ctx, w, dir, trial, bandwidth, size, seed)
				if err != nil {
					return nil, fmt.Errorf("%s, %d features: %w", pair.spec, size, err)
				}
				table[p][s] = append(table[p][s], both)
			}
		}
	}
	return table, nil
}

// give hands the rows to the peer.
func give(w *worker, dir string, trial *experiments.MapTrial) error {
	x, train := trial.X()
	rows, _ := x.Dims()
	data, err := binary.Append(nil, binary.LittleEndian, x.RawMatrix().Data)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "rows")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	_, err = w.ask(fmt.Sprintf("rows %s\t%d\t%d", file, rows, train))
	return err
}

// run measures both sides against the kernel that both approximate, of a bandwidth if it is not polynomial.
func (p mapPair) run(ctx context.Context, w *worker, dir string, trial *experiments.MapTrial, bandwidth float64, size int, seed uint64) (both [2]experiments.MapResult, err error) {
	spec := p.spec
	spec.Size = size
	k, param, err := p.kernel(bandwidth)
	if err != nil {
		return both, err
	}
	if spec.Degree == 0 {
		spec.Bandwidth = bandwidth
	}
	if both[0], err = trial.Fit(ctx, spec, seed); err != nil {
		return both, err
	}
	phi, seconds, err := p.askPeer(w, dir, trial, size, seed, param)
	if err != nil {
		return both, err
	}
	both[1], err = trial.Measure(ctx, phi, k)
	both[1].Map = seconds
	return both, err
}

// kernel is the pair's, with the parameter by which the peer knows it: gamma, or the degree.
func (p mapPair) kernel(bandwidth float64) (k kernels.Kernel, param float64, err error) {
	if degree := p.spec.Degree; degree > 0 {
		k, err = kernels.NewPolynomial(degree)
		return k, float64(degree), err
	}
	k, err = kernels.NewGaussian(bandwidth)
	return k, 1 / (2 * bandwidth * bandwidth), err
}

// askPeer returns the peer's features of all rows, and the seconds they took it.
func (p mapPair) askPeer(w *worker, dir string, trial *experiments.MapTrial, size int, seed uint64, param float64) (*mat.Dense, float64, error) {
	out := filepath.Join(dir, "features")
	answer, err := w.ask(fmt.Sprintf("map %s\t%d\t%d\t%g\t%s", p.peer, size, seed, param, out))
	if err != nil {
		return nil, 0, err
	}
	seconds, err := parseSeconds(answer)
	if err != nil {
		return nil, 0, err
	}
	x, _ := trial.X()
	rows, _ := x.Dims()
	phi, err := readFeatures(out, rows)
	return phi, seconds, err
}

// readFeatures reads what the peer has written, row by row.
func readFeatures(file string, rows int) (*mat.Dense, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 || len(data)%(8*rows) != 0 {
		return nil, fmt.Errorf("%d bytes of features are no %d rows", len(data), rows)
	}
	phi := mat.NewDense(rows, len(data)/8/rows, nil)
	_, err = binary.Decode(data, binary.LittleEndian, phi.RawMatrix().Data)
	return phi, err
}

// write writes a table.
func (m *maps) write(out io.Writer, columns int, table mapTable) {
	fmt.Fprintf(out, "\nX in %d columns, %d rows to fit, %d draws of rows and maps. Means ± standard errors; ratios of means, below 1: ours is better.\n\n", columns, m.train, m.seeds)
	fmt.Fprintln(out, "| ours | scikit-learn | features | kernel error | theirs | ratio | test MSE | theirs | ratio | s | theirs |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|---|")
	for p, pair := range mapPairs {
		for s, size := range m.sizes {
			both := table[p][s]
			kernel := func(r experiments.MapResult) float64 { return r.Kernel }
			mse := func(r experiments.MapResult) float64 { return r.MSE }
			seconds := func(r experiments.MapResult) float64 { return r.Fit + r.Map }
			fmt.Fprintf(out, "| %s | %s | %d | %s | %s | %.3f | %.3f |\n", pair.name(), pair.peer, size, compared(both, kernel), compared(both, mse),
				stat.Mean(side(both, 0, seconds), nil), stat.Mean(side(both, 1, seconds), nil))
		}
	}
}

// name is the map's, with the rule of its landmarks.
func (p mapPair) name() string {
	if p.spec.Landmarks != features.RandomlyPivoted {
		return fmt.Sprintf("%s, %s", p.spec, p.spec.Landmarks)
	}
	return p.spec.String()
}

// side is one side's values.
func side(both [][2]experiments.MapResult, which int, of func(experiments.MapResult) float64) []float64 {
	values := make([]float64, len(both))
	for i, pair := range both {
		values[i] = of(pair[which])
	}
	return values
}

// compared writes both sides' means and their ratio.
func compared(both [][2]experiments.MapResult, of func(experiments.MapResult) float64) string {
	ours, peer := side(both, 0, of), side(both, 1, of)
	return fmt.Sprintf("%s | %s | %s", meanText(ours), meanText(peer), ratioText(ours, peer))
}

// ratioText is the ratio r of the means of paired values with its standard error by the delta method, the root of
// Σ (ours - r peer)²/n(n-1) over the peer's mean. The mean of ratios would be that of its smallest denominators: a
// draw in which the peer happens to be exact to rounding, or exact, would be all there is to see. A
// dash if the peer is exact in all draws.
func ratioText(ours, peer []float64) string {
	mean := stat.Mean(peer, nil)
	if mean == 0 {
		return "–"
	}
	r, n := stat.Mean(ours, nil)/mean, float64(len(ours))
	off := slices.Clone(ours)
	floats.AddScaled(off, -r, peer)
	return fmt.Sprintf("%.3g ± %.1g", r, math.Sqrt(floats.Dot(off, off)/(n*(n-1)))/mean)
}

// meanText is the mean with its standard error.
func meanText(values []float64) string {
	mean, std := stat.MeanStdDev(values, nil)
	return fmt.Sprintf("%.3g ± %.1g", mean, std/math.Sqrt(float64(len(values))))
}
