// Package corruption has clean pairs of tables whose truth is known, and the faults that real files have, to be put into
// them: what the study of docs/corruption.md runs the command on.
package corruption
