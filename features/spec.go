package features

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
)

// Kind is a kind of feature map, or the name of a registered one. The zero value is FourierFeatures.
type Kind string

const (
	// FourierFeatures are random Fourier features of Spec.Kernel.
	FourierFeatures Kind = ""
	// LinearFeatures are the encoded columns themselves.
	LinearFeatures Kind = "linear"
	// AdditiveFeatures are random Fourier features of a sum of kernels of one column each, or of two.
	AdditiveFeatures Kind = "additive"
	// NystromFeatures are whitened sections of Spec.Kernel at landmarks.
	NystromFeatures Kind = "nystrom"
	// PolynomialFeatures are all monomials up to Spec.Degree.
	PolynomialFeatures Kind = "polynomial"
	// TensorSketchFeatures are Spec.Size random features of the polynomial kernel of Spec.Degree.
	TensorSketchFeatures Kind = "tensorsketch"
	// CountSketchFeatures are the columns added up in Spec.Size buckets.
	CountSketchFeatures Kind = "countsketch"
	// ChiSquaredFeatures are seven a column for the additive chi-squared kernel, those of NewChiSquared.
	ChiSquaredFeatures Kind = "chi2"
	// MetricFeatures are random Fourier features of Spec.Kernel in a learned metric, k(R'x, R'y), or its Nyström features.
	MetricFeatures Kind = "metric"
	// AdaptiveFeatures are the monomials up to Spec.Degree with scales that are learned, so that few of them count, of columns clipped by NewFence.
	AdaptiveFeatures Kind = "adaptive"
	// WarpedFeatures are Nyström features of Spec.Kernel of columns moved by a Warp.
	WarpedFeatures Kind = "warped"
)

// defaultSize is the number of features or landmarks where Spec.Size is 0.
const defaultSize = 512

// Spec says which map to make; Fit makes it for given rows. The zero value is 512 Fourier features of
// a Gaussian kernel with the median bandwidth.
type Spec struct {
	Kind Kind `json:"kind,omitempty"`
	// Kernel is gaussian (also where empty), laplacian, matern12, matern32, matern52, matern:NU, rq:ALPHA or
	// periodic:PERIOD, or a kernels.Spectral that is registered; for Nyström features linear, cosine, chi2, expchi2, polynomial and all that
	// are registered as well.
	Kernel string `json:"kernel,omitempty"`
	// Degree of polynomial and adaptive features, or of the polynomial kernel.
	Degree int `json:"degree,omitempty"`
	// Size is the number of features: twice the frequencies (even), or the landmarks. 0 is 512; for
	// additive features, two for each column, or pair of columns, if that is more. Linear, polynomial, adaptive and chi-squared features have the
	// size they have, whatever this says.
	Size int `json:"size,omitempty"`
	// Bandwidth of the kernel in units of encoded columns; 0 selects the default rule of the kernel (kernels.Bandwidth), for most kernels the median
	// distance. The bandwidth of a periodic kernel is its length, which has no units; 0 is 1.
	Bandwidth float64 `json:"bandwidth,omitempty"`
	// Multiple multiplies the bandwidth that the rule selects, for searches; 0 is 1.
	Multiple float64 `json:"multiple,omitempty"`
	// Landmarks is the rule by which Nyström landmarks are picked.
	Landmarks Landmarks `json:"landmarks,omitempty"`
	// Orthogonal draws Fourier frequencies in orthogonal blocks, for radial kernels (not laplacian, periodic). It is the default, with two
	// exceptions: in at most 3 columns the default is NewQuasi, and with more than 128 columns and at least 128 frequencies it is NewStructured.
	Orthogonal bool `json:"orthogonal,omitempty"`
	// Independent draws Fourier frequencies one by one, as is always done for kernels that are not radial. It is
	// faster for very sparse rows.
	Independent bool `json:"independent,omitempty"`
	// Quasi takes scrambled Sobol' points for Fourier frequencies, for radial kernels and at most MaxQuasiColumns
	// columns.
	Quasi bool `json:"quasi,omitempty"`
	// Full has a metric learned in full, with products of columns, where there are at most MaxFullMetric columns; without it each column has its own scale.
	Full bool `json:"full,omitempty"`
	// AtLandmarks has Nyström features of the kernel in a learned metric, at Size landmarks, in the place of Fourier features.
	AtLandmarks bool `json:"at_landmarks,omitempty"`
	// Pairs has additive features of every two columns, whose kernel is the product of their two, so that a sum of functions of two columns can be learned.
	Pairs bool `json:"pairs,omitempty"`
	// Among are the encoded columns that additive features have; nil: all. They are not written to JSON; the fitted map is.
	Among *[]int `json:"-"`
	// Metric is that of MetricFeatures, or the scales of the monomials of AdaptiveFeatures; nil: package problem learns it, and Fit, which has no target to learn it from, takes the identity. It is not written to JSON; the fitted map is.
	Metric *Metric `json:"-"`
	// Warp is that of WarpedFeatures, as Metric is; without one Fit takes that of quantiles.
	Warp *Warp `json:"-"`
	// Argument is the text that follows in the name of a registered map, after a colon.
	Argument string `json:"argument,omitempty"`
	// LandmarkRows are encoded rows that serve as Nyström landmarks, in place of Size rows selected by a rule; Size is then ignored. They are not
	// written to JSON; the fitted map is.
	LandmarkRows mat.Matrix `json:"-"`

	fixed *fixed // a map that there is; see Fixed
}

// ParseSpec reads the names that the command line uses:
//
//	auto                                            the zero value
//	linear
//	gaussian laplacian matern12 matern32 matern52   Fourier features of that kernel
//	matern:NU rq:ALPHA periodic:PERIOD              the same: Matérn of any order, rational quadratic, periodic
//	chi2                                            features of the additive chi-squared kernel
//	quasi:KERNEL                                    the same of quasi-Monte-Carlo frequencies, not laplacian or periodic
//	additive:KERNEL                                 one of these kernels, but chi2, for each column
//	pairs:KERNEL                                    the same for every two columns
//	metric:KERNEL                                   the same of columns scaled by a learned metric
//	fullmetric:KERNEL                               the same of a learned metric with products of columns
//	metric:nystrom:KERNEL fullmetric:nystrom:KERNEL  Nyström features in such a metric
//	nystrom:KERNEL                                  of these, linear, cosine, expchi2, or polynomial:DEGREE
//	polynomial:DEGREE
//	adaptive:DEGREE                                 monomials with learned scales, so that few count
//	tensorsketch:DEGREE
//	countsketch
//
// and the names of kernels and maps that are registered. The error lists them, and says which number is out of range.
func ParseSpec(text string) (Spec, error) {
	s, ok := parseSpec(text)
	if !ok {
		return Spec{}, fmt.Errorf("features: %q is no feature map, want one of %s", text, syntax())
	}
	if err := s.Validate(); err != nil {
		return Spec{}, fmt.Errorf("features: %q is no feature map, want one of %s (%w)", text, syntax(), err)
	}
	return s, nil
}

func syntax() string { return strings.Join(Names(), ", ") }

func parseSpec(text string) (s Spec, ok bool) {
	head, rest, more := strings.Cut(text, ":")
	if m := makerOf(head); m != nil {
		return m.parse(head, rest, more)
	}
	return Spec{Kernel: text}, text != ""
}

// alone lists a name.
func alone(name string) func() []string { return func() []string { return []string{name} } }

// parseAlone reads a name that nothing follows.
func parseAlone(k Kind) func(head, rest string, more bool) (Spec, bool) {
	return func(_, _ string, more bool) (Spec, bool) { return Spec{Kind: k}, !more }
}

// parseWithDegree reads KIND:DEGREE.
func parseWithDegree(k Kind) func(head, rest string, more bool) (Spec, bool) {
	return func(_, rest string, _ bool) (Spec, bool) {
		degree, ok := parseDegree(rest)
		return Spec{Kind: k, Degree: degree}, ok
	}
}

// parseWithKernel reads KIND:KERNEL.
func parseWithKernel(k Kind) func(head, rest string, more bool) (Spec, bool) {
	return func(_, rest string, _ bool) (Spec, bool) {
		if text, is := strings.CutPrefix(rest, "polynomial:"); is {
			degree, ok := parseDegree(text)
			return Spec{Kind: k, Kernel: "polynomial", Degree: degree}, ok
		}
		return Spec{Kind: k, Kernel: rest}, rest != ""
	}
}

// parseDegree reads a number in its usual spelling alone, so that String gives the text back.
func parseDegree(text string) (int, bool) {
	degree, err := strconv.Atoi(text)
	return degree, err == nil && strconv.Itoa(degree) == text
}

// String returns the name that ParseSpec reads, or what Describe says of a fixed map. Size, bandwidth, landmarks and distributions but
// Quasi are not in it.
func (s Spec) String() string {
	switch m := s.maker(); {
	case m.write != nil:
		return m.write(s)
	case s.Argument != "":
		return string(s.Kind) + ":" + s.Argument
	}
	return string(s.Kind)
}

func writeWithDegree(s Spec) string { return fmt.Sprintf("%s:%d", s.Kind, s.Degree) }

func writeWithKernel(s Spec) string { return string(s.Kind) + ":" + s.kernelName() }

// kernelName is the name of the kernel for kernels.ByName.
func (s Spec) kernelName() string {
	switch s.Kernel {
	case "":
		return "gaussian"
	case "polynomial":
		return fmt.Sprintf("polynomial:%d", s.Degree)
	}
	return s.Kernel
}

// checkKernel returns an error unless the kernel exists and goes with the kind.
func (s Spec) checkKernel(m *maker) error {
	name := s.kernelName()
	if m.takes == nil {
		if s.Kernel == "" || s.Kernel == "gaussian" { // the default of a setting that is not used
			return nil
		}
		return fmt.Errorf("features: kernel %q does not go with %s features, want none", name, s.kindName())
	}
	k, err := kernels.ByName(name, 1)
	if err == nil && m.takes(k) || err != nil && s.Kernel == "polynomial" && m.takes(kernels.Polynomial{}) { // whose degree is looked at apart
		return nil
	}
	known := strings.Join(kernels.Names(m.takes), ", ")
	if err != nil {
		return fmt.Errorf("features: kernel %q does not go with %s features, want one of %s: %w", name, s.kindName(), known, err)
	}
	return fmt.Errorf("features: kernel %q does not go with %s features, want one of %s", name, s.kindName(), known)
}

// Validate returns an error that names the first setting that is out of range or does not go with
// the others.
func (s Spec) Validate() error {
	m := s.maker()
	if m.fit == nil {
		return fmt.Errorf("features: kind %q, want one of %s", s.Kind, syntax())
	}
	if s.fixed == nil {
		if err := s.checkKernel(m); err != nil {
			return err
		}
	}
	switch {
	case s.hasDegree() != (s.Degree != 0):
		return fmt.Errorf("features: degree %d with %s", s.Degree, s)
	case s.Degree < 0:
		return fmt.Errorf("features: degree %d, want at least 1", s.Degree)
	case s.Bandwidth != 0 && !s.hasBandwidth():
		return fmt.Errorf("features: bandwidth %g with %s, which has none", s.Bandwidth, s)
	case s.Multiple != 0 && (!s.hasBandwidth() || s.Bandwidth != 0):
		return fmt.Errorf("features: a multiple %g of the median bandwidth with %s, which has none or a bandwidth given", s.Multiple, s)
	case !(s.Multiple >= 0) || s.Multiple > 1e6:
		return fmt.Errorf("features: multiple %g of the median bandwidth, want at least 0 and at most 1e6", s.Multiple)
	case (s.Argument != "") != (m.argument != ""):
		return fmt.Errorf("features: argument %q with %s, want %q", s.Argument, s, m.argument)
	case s.Size < 0:
		return fmt.Errorf("features: size %d, want at least 1", s.Size)
	case s.Size > maxFeatures:
		return fmt.Errorf("features: size %d, want at most %d", s.Size, maxFeatures)
	case s.Degree > maxDegree:
		return fmt.Errorf("features: degree %d, want at most %d", s.Degree, maxDegree)
	case s.Orthogonal && s.Kind != FourierFeatures:
		return fmt.Errorf("features: orthogonal frequencies with %s, want Fourier features of a radial kernel", s)
	case s.Independent && s.Kind != FourierFeatures:
		return fmt.Errorf("features: independent frequencies with %s, want Fourier features", s)
	case s.Quasi && s.Kind != FourierFeatures:
		return fmt.Errorf("features: quasi-Monte-Carlo frequencies with %s, want Fourier features of a radial kernel", s)
	case (s.Pairs || s.Among != nil) && s.Kind != AdditiveFeatures:
		return fmt.Errorf("features: columns or pairs of them with %s, want %s features", s, AdditiveFeatures)
	case (s.Full || s.AtLandmarks || s.Metric != nil && s.Kind != AdaptiveFeatures) && s.Kind != MetricFeatures:
		return fmt.Errorf("features: a metric with %s, want %s features", s, MetricFeatures)
	case s.Warp != nil && s.Kind != WarpedFeatures:
		return fmt.Errorf("features: a warp with %s, want %s features", s, WarpedFeatures)
	case s.Landmarks != RandomlyPivoted && s.Kind != NystromFeatures:
		return fmt.Errorf("features: landmarks with %s, which has none", s)
	case s.LandmarkRows != nil && (s.Kind != NystromFeatures || s.Landmarks != RandomlyPivoted):
		return fmt.Errorf("features: given landmarks with %s, want Nyström features and no rule", s)
	case !slices.Contains(landmarkRules, s.Landmarks):
		return fmt.Errorf("features: landmarks %q, want %q, %q, %q or none for randomly pivoted Cholesky", s.Landmarks, Uniform, KMeansPlusPlus, RidgeLeverage)
	}
	if s.hasBandwidth() && s.Bandwidth != 0 {
		if _, err := kernels.ByName(s.kernelName(), s.Bandwidth); err != nil {
			return fmt.Errorf("features: %w", err)
		}
	}
	if m.validate != nil {
		return m.validate(s)
	}
	return nil
}

// maxDegree bounds degrees, of each of which a sketch keeps a hash; powers leave float64 long before.
const maxDegree = 1 << 20

// IsAuto reports whether nothing but the size is set.
func (s Spec) IsAuto() bool {
	given := s.LandmarkRows
	s.LandmarkRows = nil // which need not be comparable
	return given == nil && s == (Spec{Size: s.Size})
}

func (s Spec) kindName() string {
	if s.Kind == FourierFeatures {
		return "fourier"
	}
	return string(s.Kind)
}

// HasSize reports whether Size says how many features there are: linear, polynomial, adaptive and chi-squared features have the size
// they have, as a fixed map does, and Given landmarks are as many as they are.
func (s Spec) HasSize() bool { return s.maker().size == nil && s.LandmarkRows == nil }

func (s Spec) hasDegree() bool { return s.maker().degree || s.Kernel == "polynomial" }

func (s Spec) hasBandwidth() bool {
	return s.maker().takes != nil && kernels.HasBandwidth(s.kernelName())
}
