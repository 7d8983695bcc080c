// Package experiments has the data and the runs of the experiments of [Yamane21, section 6] (the image tasks and the synthetic distribution), and
// the simulation studies of the documents: coverage of intervals, feature maps, choice of w, detection of faults.
package experiments
