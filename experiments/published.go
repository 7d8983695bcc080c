package experiments

import "mediant/report"

// torchErrors are mean squared errors of the paper's networks in PyTorch where conditional mean independence holds, by
// method and dimension: 1,000 rows of each table, noise variance 0.1, the better of steps of 1e-2 with batches of 512
// and 1e-3 with 32, means over 4 seeds. Joint-RR has w = 1/2.
var torchErrors = map[string]map[int]float64{
	NaiveMethod:   {2: .240, 5: .631, 10: 1.895, 20: 6.668},
	TwoStepMethod: {2: .217, 5: .474, 10: .943, 20: 2.286},
	JointMethod:   {2: .224, 5: .473, 10: .920, 20: 2.086},
}

// published has what the paper's text leaves open, and the differences of the authors' examples from it.
const published = "Errors by PyTorch are those of the paper's networks at the same sizes, the better of two settings of the optimiser (steps of 1e-2 with batches of 512, 1e-3 with 32), means over 4 seeds. " +
	"Distributions, sizes, networks, steps and epochs follow the paper's text, which states neither the size of batches nor the number of repetitions; it prints curves and no numbers. " +
	"The authors' examples (github.com/i-yamane/mu_learning_examples, toy_experiment1.py) differ from the text in three places: the noise of U is drawn from [-1, 0] in place of [-1/2, 1/2], the noise of Y has a standard deviation of 0.1 in place of a variance of 0.1, and what is called Joint-RR trains 2Step-RR (two_step=True)."

// indistinguishable is the paper's remark on its curves, and what comes out here.
const indistinguishable = "The paper remarks that the curves of 2Step-RR and of Joint-RR are almost indistinguishable. By networks they are not here: compare them in the tables of both settings."

// torchTable sets them beside ours, nil if the experiment is another one.
func (r Reproduced) torchTable() *report.Table {
	if e := r.Experiment; e.Noise != .1 || e.Rows != 1000 {
		return nil
	}
	t := report.Table{
		Caption: "Mean squared error beside PyTorch's, and the excess over the Bayes error of kernels as a share of PyTorch's",
		Columns: []string{"method", "d", "PyTorch", "networks", "kernels", "ratio of excess", "seconds, networks", "seconds, kernels"},
	}
	for _, method := range ReproducedMethods() {
		for _, d := range r.Experiment.Dims {
			theirs, ok := torchErrors[method][d]
			if !ok {
				continue
			}
			networks, _, slow := Means(r.Outcomes, d, false, method, Networks)
			kernels, excess, fast := Means(r.Outcomes, d, false, method, Kernels)
			bayes := r.Experiment.distribution(d, false).Bayes()
			t.Rows = append(t.Rows, []report.Cell{
				report.TextCell(method), report.Number(float64(d)), report.Number(theirs), meanCell(networks), meanCell(kernels),
				report.Number(excess.Value / (theirs - bayes)), report.Number(slow), report.Number(fast),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return &t
}
