package main

import "strings"

// fieldFlags puts flags in the place of the fields of the library that its messages name.
var fieldFlags = strings.NewReplacer(
	"in RoleOptions.X or RoleOptions.Y", "with --x or --y",
	"in RoleOptions.X", "with --x",
	"in RoleOptions.U", "with --u",
	"in RoleOptions.Y", "with --y",
	"in RoleOptions.Ignore", "with --ignore",
	"csv.Options.Text", "--text",
	"csv.Options.Dates", "--dates",
	"csv.Options.NA", "--na",
	"which csv.Options.Decimal , reads", "which --decimal , reads (--decimal-xu or --decimal-uy where the other table has points)",
	"csv.Options.Decimal", "--decimal",
	"Options.Text", "--text",
	"in csv.Options.Comma", "with --delimiter (--delimiter-xu or --delimiter-uy where the other table has another one)",
	"Options.Dates", "--dates",
	"Options.NA", "--na",
	"csv.Options.Rename", "--rename",
	"Options.Decimal", "--decimal",
	"Options.Rename", "--rename",
	"Options.Ignore", "--ignore",
	"Estimator.Treatment", "--treatment",
	"Estimator.Probability", "--probability",
	"Estimator.Propensity", "--propensity",
	"Estimator.Trim", "--trim",
	"Estimator.X", "--x",
	"Estimator.CompleteU", "--complete-u",
	"Estimator.WeighU", "--complete-u weight",
	"Estimator.Control", "--control",
	"Estimator.Treated", "--treatment COLUMN=LEVEL",
	"Setup.Folds", "--folds",
	"Costs.XU", "--cost-xu",
	"Costs.UY", "--cost-uy",
	"Costs.Budget", "--budget",
)
