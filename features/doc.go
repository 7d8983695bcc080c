// Package features turns encoded rows (package encode) into feature vectors,
//
//	table columns --encode.Encoder--> rows x of numbers --Map--> phi(x)
//
// A Map is what a kernel method needs of its kernel: inner products
// of features are, or approximate, kernel values,
//
//	phi(x)'phi(y) ≈ k(x, y)
//
// so that ridge regression on phi is (approximate) kernel ridge regression.
//
//	Linear      x itself                                exact for x'y
//	Polynomial  all monomials up to a degree            exact for (x'y + 1)^degree
//	ChiSquared  the spectrum's samples, a few a column  within a stated error of the chi-squared kernel
//	Fourier     random cosines and sines                unbiased for a Spectral kernel (but see NewStructured)
//	Additive    Fourier features of groups of columns   unbiased for a sum of Spectral kernels
//	TensorSketch monomials in buckets                   unbiased for (x'y + 1)^degree
//	CountSketch sums of columns in buckets              unbiased for x'y
//	Nystrom     whitened kernel sections of landmarks   the best in their span, any kernel
//	Sections    kernel sections of landmarks            what Nystrom folds into
//	Metric      a linear map                            x'My, for kernels of a metric M after it
//	Patches     pooled kernels of patches of images     a kernel of images
//	Warp        step functions of the columns           the L1 distance is the weight of thresholds between rows
//	Chain       one map after another                   the second's kernel of the first's features
//	Columns     a map of some columns                   the kernel of those columns
//	Bias        the constant 1                          exact for k = 1
//	Concat      features side by side                   the sum of the kernels
//
// # Invariants
//
// Rows are samples. Maps are immutable once made and safe for concurrent use. Features
// of a row depend on that row alone; rows are worked on in blocks of constant size, so the number of
// threads does not enter the result. Sparse rows (mat.RowNonZeroDoer) go through their nonzeros and
// give the same features as dense ones, to rounding.
//
// A map's identity is a hash of its canonical bytes, those that Marshal writes. Maps store what was
// drawn, never the seed, so that a later version that draws differently still reads old maps.
//
// Each map has a file of its own with its registration; a map of another module can be used in the same places once it is registered ([Register]).
//
// Panics are for shapes; errors are for what came from data, files and rounding. Random choices take
// a seed and a purpose ("phi", "psi"); each purpose has streams of its own for frequencies,
// landmarks and samples.
package features
