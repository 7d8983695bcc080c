// Package kernels computes positive semidefinite functions k(x, x') of rows, the distances and
// products they are made of, their spectral distributions, and bandwidths for them.
//
//	Gaussian           exp(-|d|²/(2b²))                      radial, spectral
//	Matern             any order nu, length b                radial, spectral
//	RationalQuadratic  (1 + |d|²/(2 alpha b²))^-alpha        radial, spectral
//	Laplacian          exp(-|d|₁/b)                          spectral
//	Periodic           exp(-2 Σ sin²(pi d_j/p)/l²)           spectral
//	Polynomial         (x'y + 1)^degree
//	Linear             x'y
//	Cosine             x'y/(|x| |y|)
//	ChiSquared         Σ 2 x_j y_j/(x_j + y_j)               rows without negative entries
//	ExpChiSquared      exp(-Σ (x_j - y_j)²/(x_j + y_j)/b)    rows without negative entries
//	Precomputed        values of training and query rows     rows are numbers of rows
//	Sum, Product, Scale                                      of other kernels
//	Additive, Tensor   a sum, a product of kernels on groups of columns
//
// where d = x - x'. CheckRows finds entries outside the domain of a kernel. A kernel is made by its constructor, which checks the parameters, by
// ByName, or from a Desc, its description in JSON. Each kernel has a file of its own with its Registration; a kernel of another module can be used
// in the same places once it is registered.
//
// # Invariants
//
// Rows are samples. Entries must be finite; a NaN may reach any entry of its row and column of the
// Gram matrix.
//
// An entry depends on its row of x and on y alone, never on the other rows of x, nor on the number of
// threads: rows are worked on in blocks of constant size, and each entry sums its terms in an order
// of its own. The rows of y do enter, because both sides are centred by y's column mean before
// |x|² + |y|² - 2x'y is formed. Distances are therefore as good far from the origin as near it.
// Squared distances are never negative, and those that cancel are recomputed as sums of squared
// differences, so that equal rows are at distance exactly 0 and radial kernels of them exactly 1.
//
// Rows that implement mat.RowNonZeroDoer, and do not store themselves densely, take a sparse path:
// products cost their nonzeros, and values agree with the dense ones to rounding. At is called for
// matrices alone that offer neither rows of float64 nor nonzeros.
//
// Scratch memory is one block of rows a thread and one panel of y, at most 64 MB unless a single
// block of 64 rows is larger, whatever the size of the Gram matrix. Combinations hold one more
// matrix of 1,024 rows.
package kernels
