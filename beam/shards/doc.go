// Package shards has transforms of Apache Beam for tables that are parted into files: Match finds the files, Sums sums their rows by a plan, and Predict predicts each with a model. A
// file in any format of mediant/tables/formats, among them CSV and Parquet, is one element, read by one worker; names with a scheme, such as gs://bucket/part-0.csv, are read through
// Beam's file systems, of which the program imports those that it needs.
//
// Results have the bytes of the command mediant on one machine, whatever the runner does: bundles that fail are summed again, sums are added as integers, and
// files are written whole or not at all.
package shards
