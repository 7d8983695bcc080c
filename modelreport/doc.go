// Package modelreport makes a report of a model for people: a report.Document with the columns and what was found in them, the estimated error beside
// that of constants, held-out predictions, partial dependence, the overlap of the two tables, the sensitivity to the assumption, the curves and candidates
// of the search, and a list of what could not be shown, with the reasons.
//
// # What holds for every report
//
//   - Pictures are made from samples of at most some thousand rows, so that their cost does not grow with the tables: one or two passes over each, the
//     fits of the folds, and those of the curves.
//   - The same subject gives the same document, for any number of threads.
//   - Its size is bounded, whatever the numbers of columns, levels, classes, findings and candidates are: as HTML it is below 400 KB.
package modelreport
