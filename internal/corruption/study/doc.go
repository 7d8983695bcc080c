// Package study runs the command on spoilt pairs of tables and counts what comes of it: docs/corruption.md.
package study
