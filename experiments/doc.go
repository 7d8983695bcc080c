// Package experiments has the data of the experiments of [Yamane21, section 6]: the low-quality-image
// task on MNIST and the synthetic distribution.
package experiments
