package main

import (
	"mediant/check"
	"mediant/diagnose"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
)

// summary is what fit --json prints. Keys may be added, none of these change.
type summary struct {
	Method  string   `json:"method"`
	W       *float64 `json:"w"`
	LambdaF *float64 `json:"lambda_f"`
	LambdaH *float64 `json:"lambda_h"`
	// Components are the numbers of groups of columns of X that each part of h keeps, by components.
	Components []int   `json:"components,omitempty"`
	Rows       rr.Rows `json:"rows"`
	Seconds    struct {
		Read   float64 `json:"read"`
		Select float64 `json:"select"`
		Fit    float64 `json:"fit"`
		Risk   float64 `json:"risk"`
		Look   float64 `json:"diagnosis"`
		Total  float64 `json:"total"`
	} `json:"seconds"`
	*risk.Assessment
	Diagnosis  *diagnose.Diagnosis     `json:"diagnosis,omitempty"`
	Conditions map[string]rr.Condition `json:"conditions,omitempty"`
	Search     []search.Trial          `json:"search,omitempty"`
	Findings   []check.Finding         `json:"findings"`
	Notes      []string                `json:"notes"`
	Warnings   []string                `json:"warnings"`
	Model      string                  `json:"model"`
}
