package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mediant/check"
)

// A Verdict is what came of a run.
type Verdict string

// The verdicts, as headText explains them.
const (
	Refused      Verdict = "refused"
	Named        Verdict = "named"
	Warned       Verdict = "warned" // of another column, or of U as a whole
	Right        Verdict = "right"
	Negligible   Verdict = "negligible"
	WrongAsClean Verdict = "wrong as clean"
	NotCompared  Verdict = "not compared"
	ByChance     Verdict = "by chance" // silent wrong, and seldom so on other draws
	SilentWrong  Verdict = "silent wrong"
	UnseenWrong  Verdict = "unseen wrong"
)

// negligibleShare is how much of the width of the interval an effect may have that is none.
const negligibleShare = .1

// classify sets the verdict.
func (r *Run) classify(unseen bool) {
	got := r.Spoilt
	r.Right = got.Refused == "" && got.Estimate != nil && got.NoTruth == "" && got.holds()
	switch {
	case got.Refused != "":
		r.Verdict, r.Named = Refused, len(r.Columns) == 0 || r.quotes(got.Refused)
	case got.Estimate == nil:
		r.Verdict, r.Named = Refused, r.names()
	case r.names():
		r.Named = true
		r.Verdict = Named
	case got.Doubted && !r.Clean.Doubted:
		r.Verdict = Warned
	case r.Right:
		r.Verdict = Right
	case got.NoTruth != "":
		r.Verdict = NotCompared
	case r.Clean.Estimate == nil || !r.Clean.holds():
		r.Verdict = WrongAsClean
	case r.moved() <= negligibleShare*(r.Clean.Hi-r.Clean.Lo):
		r.Verdict = Negligible
	case unseen:
		r.Verdict = UnseenWrong
	default:
		r.Verdict = SilentWrong
	}
}

// moved is by how much the corruption changed the error of the estimate.
func (r *Run) moved() float64 {
	return math.Abs((*r.Spoilt.Estimate - r.Spoilt.Truth) - (*r.Clean.Estimate - r.Clean.Truth))
}

// names reports whether something was said of a spoilt column, or of the table if that was spoilt, that was not said of the clean pair.
func (r *Run) names() bool {
	for _, f := range r.Spoilt.Findings {
		if slices.ContainsFunc(r.Clean.Findings, func(c check.Finding) bool { return c.Code == f.Code && slices.Equal(c.Columns, f.Columns) }) {
			continue
		}
		if len(r.Columns) == 0 || slices.ContainsFunc(f.Columns, func(c string) bool { return slices.Contains(r.Columns, c) }) {
			return true
		}
	}
	for _, text := range r.Spoilt.Said {
		if !slices.Contains(r.Clean.Said, text) && r.quotes(text) {
			return true
		}
	}
	return false
}

// quotes reports whether a sentence names a spoilt column.
func (r *Run) quotes(text string) bool {
	return slices.ContainsFunc(r.Columns, func(c string) bool { return strings.Contains(text, fmt.Sprintf("%q", c)) })
}
