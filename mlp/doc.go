// Package mlp has the neural methods of the experiments of [Yamane21, section 6]: a fully connected network with rectifiers,
// trained by Adam on minibatches, as a learner for either step of 2Step-RR, and a pair of them trained together for
// Joint-RR. A fit is the same for the same seed on any number of threads.
package mlp
