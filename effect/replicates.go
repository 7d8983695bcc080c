package effect

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mediant/internal/plural"
	"mediant/tables"
)

// A ReplicateMethod says how the replicate weights of a survey were made, and so what their squared deviations are multiplied by: with R columns
//
//	variance = sum_r scale_r (theta_r - theta)²
//
// where theta_r is the estimate with the weights of column r [Wolter, Introduction to variance estimation, 2007, chapters 3 to 5].
type ReplicateMethod string

const (
	BRR         ReplicateMethod = "brr"       // balanced repeated replication: 1/R
	Fay         ReplicateMethod = "fay"       // Fay's variant of it with the coefficient K: 1/(R (1-K)²)
	JK1         ReplicateMethod = "jk1"       // the jackknife without strata: (R-1)/R
	JK2         ReplicateMethod = "jk2"       // that of paired clusters, one column for each pair: 1
	JKn         ReplicateMethod = "jkn"       // that of strata of n_h clusters: (n_h-1)/n_h, which the weights of the clusters that are left tell
	Bootstrap   ReplicateMethod = "bootstrap" // 1/R
	SDR         ReplicateMethod = "sdr"       // successive differences, as in the American Community Survey: 4/R
	OtherScales ReplicateMethod = "scale"     // as Replicates.Scales say
)

// Replicates say how the replicate weights of a table were made. The zero value is for a table without them.
type Replicates struct {
	Method ReplicateMethod
	// Fay is the coefficient K of Fay's method, at least 0 and below 1, and 0 for other methods.
	Fay float64
	// Scales are those of OtherScales, one for all columns or one for each in the order of tables.ReplicateColumns. JKn takes them too where the weights do not tell
	// them, as after calibration.
	Scales []float64
}

// ParseReplicates reads a method as people write it: brr, fay=0.3, jk1, jk2, jkn, bootstrap, sdr or scale=0.05.
func ParseReplicates(text string) (Replicates, error) {
	name, number, valued := strings.Cut(text, "=")
	r := Replicates{Method: ReplicateMethod(strings.ToLower(strings.TrimSpace(name)))}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case valued && err != nil:
		return r, fmt.Errorf("effect: replicate weights: %q is not a number", number)
	case r.Method == Fay && valued:
		r.Fay = v
	case r.Method == OtherScales && valued:
		r.Scales = []float64{v}
	case r.Method == Fay || r.Method == OtherScales:
		return r, fmt.Errorf("effect: replicate weights: method %s needs a number, as in %[1]s=0.5", r.Method)
	case valued:
		return r, fmt.Errorf("effect: replicate weights: method %q has no number", name)
	}
	return r, r.Validate()
}

// Validate returns an error that names what is out of range.
func (r Replicates) Validate() error {
	switch r.Method {
	case BRR, Fay, JK1, JK2, JKn, Bootstrap, SDR, OtherScales:
	default:
		return fmt.Errorf("effect: Replicates.Method is %q, must be brr, fay, jk1, jk2, jkn, bootstrap, sdr or scale", string(r.Method))
	}
	switch {
	case r.Method == Fay && !(r.Fay >= 0 && r.Fay < 1) || r.Method != Fay && r.Fay != 0:
		return fmt.Errorf("effect: Replicates.Fay is %g, must be at least 0 and below 1 for method fay, and 0 for others", r.Fay)
	case r.Method == OtherScales && len(r.Scales) == 0:
		return fmt.Errorf("effect: Replicates.Scales is empty, must have one number or one for each column for method scale")
	case r.Method != OtherScales && r.Method != JKn && len(r.Scales) > 0:
		return fmt.Errorf("effect: Replicates.Scales is set, which is for the methods scale and jkn")
	}
	for _, s := range r.Scales {
		if !(s >= 0) || math.IsInf(s, 1) {
			return fmt.Errorf("effect: Replicates.Scales has %g, must be finite and at least 0", s)
		}
	}
	return nil
}

// checkReplicates checks that there is a method where there are columns.
func (e Estimator) checkReplicates() error {
	columns, of := [2][]string{e.Roles.ReplicatesXU, e.Roles.ReplicatesUY}, e.replicates()
	for t, name := range []string{"XU", "UY"} {
		set := of[t].Method != "" || of[t].Fay != 0 || of[t].Scales != nil
		switch {
		case len(columns[t]) == 0 && set && !e.ReplicatesJoint:
			return fmt.Errorf("effect: Estimator.Replicates%s is set, and Estimator.Roles.Replicates%[1]s names no columns", name)
		case len(columns[t]) == 0:
		default:
			if err := of[t].Validate(); err != nil {
				return fmt.Errorf("%w (Estimator.Replicates%s)", err, name)
			}
		}
	}
	switch {
	case !e.ReplicatesJoint:
		return nil
	case len(columns[0]) == 0 || len(columns[1]) == 0:
		return fmt.Errorf("effect: Estimator.ReplicatesJoint is set, and replicate weights are not named for both tables")
	case e.ReplicatesUY.Method != "" && (e.ReplicatesUY.Method != e.ReplicatesXU.Method || e.ReplicatesUY.Fay != e.ReplicatesXU.Fay):
		return fmt.Errorf("effect: Estimator.ReplicatesXU and Estimator.ReplicatesUY differ, and Estimator.ReplicatesJoint says that they are of one survey")
	}
	return nil
}

// replicates are those of both tables; of one survey those of the first are those of both.
func (e Estimator) replicates() [2]Replicates {
	if e.ReplicatesJoint {
		return [2]Replicates{e.ReplicatesXU, e.ReplicatesXU}
	}
	return [2]Replicates{e.ReplicatesXU, e.ReplicatesUY}
}

// hasReplicates reports whether a table has replicate weights.
func (e Estimator) hasReplicates() bool {
	return len(e.Roles.ReplicatesXU)+len(e.Roles.ReplicatesUY) > 0
}

// ReplicateErrors say which standard errors are from replicate weights.
type ReplicateErrors struct {
	XU *ReplicatesUsed `json:"xu,omitempty"`
	UY *ReplicatesUsed `json:"uy,omitempty"`
	// Joint says that column r of both tables is one replicate of one survey (Estimator.ReplicatesJoint).
	Joint bool `json:"joint,omitempty"`
}

// ReplicatesUsed are the replicate weights of a table.
type ReplicatesUsed struct {
	Method  ReplicateMethod `json:"method"`
	Columns int             `json:"columns"`
	// Freedom is the number of degrees of freedom of the variance: the rank of the columns, each as its ratio to the weights less 1.
	Freedom int `json:"freedom"`
}

// findReplicates sets the names of the columns of replicate weights.
func (run *run) findReplicates(xu, uy tables.Source) (err error) {
	r := &run.Roles
	for t, patterns := range []*[]string{&r.ReplicatesXU, &r.ReplicatesUY} {
		if len(*patterns) == 0 {
			continue
		}
		if *patterns, err = tables.ReplicateColumns([]tables.Source{xu, uy}[t].Columns(), *patterns, *r); err != nil {
			return err
		}
		if n := len(*patterns); n < 2 || n > mostReplicates {
			return fmt.Errorf("effect: %s of replicate weights, must be 2 to %d", plural.Of(n, "column"), mostReplicates)
		}
	}
	if x, y := len(r.ReplicatesXU), len(r.ReplicatesUY); run.ReplicatesJoint && x != y {
		return fmt.Errorf("effect: the first table has %d columns of replicate weights and the second %d, must be as many (Estimator.ReplicatesJoint)", x, y)
	}
	return nil
}
