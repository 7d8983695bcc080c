// Package mlp has the neural methods that [Yamane21, section 6] experiments with: a fully connected
// network with rectifiers, trained by Adam on minibatches, as a learner for either step of 2Step-RR, and
// a pair of them trained together for Joint-RR. Products are those of package blas inside; a fit is the same for
// the same seed on any number of threads.
package mlp
