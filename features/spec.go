package features

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
)

// Kind is a kind of feature map. The zero value is FourierFeatures.
type Kind string

const (
	// FourierFeatures are random Fourier features of Spec.Kernel.
	FourierFeatures Kind = ""
	// LinearFeatures are the encoded columns themselves.
	LinearFeatures Kind = "linear"
	// AdditiveFeatures are random Fourier features of a sum of kernels of one column each.
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
)

// defaultSize is the number of features or landmarks where Spec.Size is 0.
const defaultSize = 512

// Spec says which map to make; Fit makes it for given rows. The zero value is 512 Fourier features of
// a Gaussian kernel with the median bandwidth.
type Spec struct {
	Kind Kind `json:"kind,omitempty"`
	// Kernel is gaussian (also where empty), laplacian, matern12, matern32, matern52, matern:NU, rq:ALPHA or
	// periodic:PERIOD; for Nyström features linear, cosine, chi2, expchi2 and polynomial as well.
	Kernel string `json:"kernel,omitempty"`
	// Degree of polynomial features, or of the polynomial kernel.
	Degree int `json:"degree,omitempty"`
	// Size is the number of features: twice the frequencies (even), or the landmarks. 0 is 512; for
	// additive features, two for each column if that is more. Linear, polynomial and chi-squared features have the
	// size they have, whatever this says.
	Size int `json:"size,omitempty"`
	// Bandwidth of the kernel in units of encoded columns; 0 is the median rule. That of a periodic kernel is
	// its length, which has no units; 0 is 1.
	Bandwidth float64 `json:"bandwidth,omitempty"`
	// Multiple is what the median rule's bandwidths are multiplied by, for searches; 0 is 1.
	Multiple float64 `json:"multiple,omitempty"`
	// Landmarks is the rule by which Nyström landmarks are picked.
	Landmarks Landmarks `json:"landmarks,omitempty"`
	// Orthogonal draws Fourier frequencies in orthogonal blocks, for radial kernels (not laplacian, periodic). It is
	// the default but in at most 3 columns, where frequencies are those of NewQuasi, and where more than 128 columns
	// meet at least 128 frequencies: there they are those of NewStructured.
	Orthogonal bool `json:"orthogonal,omitempty"`
	// Independent draws Fourier frequencies one by one, as is always done for kernels that are not radial. It is
	// faster for very sparse rows.
	Independent bool `json:"independent,omitempty"`
	// Quasi takes scrambled Sobol' points for Fourier frequencies, for radial kernels and at most MaxQuasiColumns
	// columns.
	Quasi bool `json:"quasi,omitempty"`
	// Given are encoded rows that serve as Nyström landmarks, in the place of Size rows picked by a rule; Size is not
	// used. They are not written to JSON; the map is.
	Given mat.Matrix `json:"-"`
}

const specSyntax = "auto, linear, gaussian, laplacian, matern12, matern32, matern52, matern:NU, rq:ALPHA, periodic:PERIOD, chi2, quasi:KERNEL, additive:KERNEL, nystrom:KERNEL, nystrom:polynomial:DEGREE, polynomial:DEGREE, tensorsketch:DEGREE or countsketch"

// ParseSpec reads the names that the command line uses:
//
//	auto                                            the zero value
//	linear
//	gaussian laplacian matern12 matern32 matern52   Fourier features of that kernel
//	matern:NU rq:ALPHA periodic:PERIOD              the same: Matérn of any order, rational quadratic, periodic
//	chi2                                            features of the additive chi-squared kernel
//	quasi:KERNEL                                    the same of quasi-Monte-Carlo frequencies, not laplacian or periodic
//	additive:KERNEL                                 one of these kernels, but chi2, for each column
//	nystrom:KERNEL                                  of these, linear, cosine, expchi2, or polynomial:DEGREE
//	polynomial:DEGREE
//	tensorsketch:DEGREE
//	countsketch
//
// The error lists them, and says which number is out of range.
func ParseSpec(text string) (Spec, error) {
	s, ok := parseSpec(text)
	if !ok {
		return Spec{}, fmt.Errorf("features: %q is no feature map, want %s", text, specSyntax)
	}
	if err := s.Validate(); err != nil {
		return Spec{}, fmt.Errorf("features: %q is no feature map, want %s (%w)", text, specSyntax, err)
	}
	return s, nil
}

func parseSpec(text string) (s Spec, ok bool) {
	switch text {
	case "auto":
		return Spec{}, true
	case string(LinearFeatures):
		return Spec{Kind: LinearFeatures}, true
	case string(CountSketchFeatures):
		return Spec{Kind: CountSketchFeatures}, true
	case string(ChiSquaredFeatures):
		return Spec{Kind: ChiSquaredFeatures}, true
	}
	head, rest, composed := strings.Cut(text, ":")
	switch Kind(head) {
	case PolynomialFeatures, TensorSketchFeatures:
		s.Kind = Kind(head)
		s.Degree, ok = parseDegree(rest)
		return s, ok
	case quasi:
		return Spec{Kernel: rest, Quasi: true}, rest != ""
	case AdditiveFeatures, NystromFeatures:
		s.Kind = Kind(head)
		if degree, is := strings.CutPrefix(rest, "polynomial:"); is {
			s.Kernel = "polynomial"
			s.Degree, ok = parseDegree(degree)
			return s, ok
		}
		s.Kernel = rest
		return s, composed && rest != ""
	}
	return Spec{Kernel: text}, text != ""
}

// parseDegree reads a number in its usual spelling alone, so that String gives the text back.
func parseDegree(text string) (int, bool) {
	degree, err := strconv.Atoi(text)
	return degree, err == nil && strconv.Itoa(degree) == text
}

// String returns the name that ParseSpec reads. Size, bandwidth, landmarks and distributions but Quasi are not in it.
func (s Spec) String() string {
	switch {
	case s.Kind == LinearFeatures, s.Kind == CountSketchFeatures, s.Kind == ChiSquaredFeatures:
		return string(s.Kind)
	case s.Kind == PolynomialFeatures, s.Kind == TensorSketchFeatures:
		return fmt.Sprintf("%s:%d", s.Kind, s.Degree)
	case s.Kind == FourierFeatures && s.Quasi:
		return quasi + ":" + s.kernelName()
	case s.Kind == FourierFeatures && s.Kernel == "":
		return "auto"
	case s.Kind == FourierFeatures:
		return s.Kernel
	}
	return string(s.Kind) + ":" + s.kernelName()
}

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

// Kernels that go with a kind of features.
const (
	spectralKernels = "gaussian, laplacian, matern12, matern32, matern52, matern:NU, rq:ALPHA, periodic:PERIOD"
	nystromKernels  = spectralKernels + ", linear, cosine, chi2, expchi2, polynomial"
)

// checkKernel returns an error unless the kernel exists and goes with the kind.
func (s Spec) checkKernel() error {
	known, name := spectralKernels, s.kernelName()
	k, err := kernels.ByName(name, 1)
	ok := err == nil || s.Kernel == "polynomial" // whose degree is looked at apart
	switch s.Kind {
	case LinearFeatures, PolynomialFeatures, TensorSketchFeatures, CountSketchFeatures, ChiSquaredFeatures:
		known, ok = "none", s.Kernel == "" || s.Kernel == "gaussian" // the default of a setting that is not used
	case NystromFeatures:
		known = nystromKernels
	case FourierFeatures, AdditiveFeatures:
		if ok {
			_, ok = k.(kernels.Spectral)
		}
	default:
		return fmt.Errorf("features: kind %q, want %s", s.Kind, specSyntax)
	}
	if ok {
		return nil
	}
	if err != nil {
		return fmt.Errorf("features: kernel %q does not go with %s features, want %s: %w", name, s.kindName(), known, err)
	}
	return fmt.Errorf("features: kernel %q does not go with %s features, want %s", name, s.kindName(), known)
}

// radial reports whether the kernel has the distributions of frequencies that radial ones have.
func (s Spec) radial() bool {
	k, err := kernels.ByName(s.kernelName(), 1)
	if err != nil {
		return false
	}
	_, ok := k.(SpectralRadial)
	return ok
}

// Validate returns an error that names the first setting that is out of range or does not go with
// the others.
func (s Spec) Validate() error {
	if err := s.checkKernel(); err != nil {
		return err
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
	case s.Size < 0:
		return fmt.Errorf("features: size %d, want at least 1", s.Size)
	case s.Size > maxFeatures:
		return fmt.Errorf("features: size %d, want at most %d", s.Size, maxFeatures)
	case s.Degree > maxDegree:
		return fmt.Errorf("features: degree %d, want at most %d", s.Degree, maxDegree)
	case s.Orthogonal && (s.Kind != FourierFeatures || !s.radial()):
		return fmt.Errorf("features: orthogonal frequencies with %s, want Fourier features of a radial kernel", s)
	case s.Independent && s.Kind != FourierFeatures:
		return fmt.Errorf("features: independent frequencies with %s, want Fourier features", s)
	case s.Quasi && (s.Kind != FourierFeatures || !s.radial()):
		return fmt.Errorf("features: quasi-Monte-Carlo frequencies with %s, want Fourier features of a radial kernel", s)
	case s.Independent && s.Orthogonal:
		return fmt.Errorf("features: frequencies both independent and orthogonal")
	case s.Quasi && (s.Independent || s.Orthogonal):
		return fmt.Errorf("features: frequencies both quasi-Monte-Carlo and of another distribution")
	case s.Landmarks != RandomlyPivoted && s.Kind != NystromFeatures:
		return fmt.Errorf("features: landmarks with %s, which has none", s)
	case s.Given != nil && (s.Kind != NystromFeatures || s.Landmarks != RandomlyPivoted):
		return fmt.Errorf("features: given landmarks with %s, want Nyström features and no rule", s)
	case !slices.Contains(landmarkRules, s.Landmarks):
		return fmt.Errorf("features: landmarks %q, want %q, %q, %q or none for randomly pivoted Cholesky", s.Landmarks, Uniform, KMeansPlusPlus, RidgeLeverage)
	}
	if s.hasBandwidth() && s.Bandwidth != 0 {
		if _, err := kernels.ByName(s.kernelName(), s.Bandwidth); err != nil {
			return fmt.Errorf("features: %w", err)
		}
	}
	if s.Size > 0 && (s.Kind == FourierFeatures || s.Kind == AdditiveFeatures) {
		return checkFourierSize(s.Size)
	}
	return nil
}

// maxDegree bounds degrees, of each of which a sketch keeps a hash; powers leave float64 long before.
const maxDegree = 1 << 20

// IsAuto reports whether nothing but the size is set.
func (s Spec) IsAuto() bool {
	given := s.Given
	s.Given = nil // which need not be comparable
	return given == nil && s == (Spec{Size: s.Size})
}

func (s Spec) kindName() string {
	if s.Kind == FourierFeatures {
		return "fourier"
	}
	return string(s.Kind)
}

// HasSize reports whether Size says how many features there are: linear, polynomial and chi-squared features have the size
// they have, and Given landmarks are as many as they are.
func (s Spec) HasSize() bool {
	switch s.Kind {
	case LinearFeatures, PolynomialFeatures, ChiSquaredFeatures:
		return false
	}
	return s.Given == nil
}

func (s Spec) hasDegree() bool {
	return s.Kind == PolynomialFeatures || s.Kind == TensorSketchFeatures || s.Kernel == "polynomial"
}

func (s Spec) hasBandwidth() bool {
	switch s.Kind {
	case LinearFeatures, PolynomialFeatures, TensorSketchFeatures, CountSketchFeatures, ChiSquaredFeatures:
		return false
	}
	return kernels.HasBandwidth(s.kernelName())
}
