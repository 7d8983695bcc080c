package main

import "strings"

// fieldFlags puts flags in the place of the fields of the library that its messages name.
var fieldFlags = strings.NewReplacer(
	"in RoleOptions.X or RoleOptions.Y", "with --x or --y",
	"in RoleOptions.X", "with --x",
	"in RoleOptions.U", "with --u",
	"in RoleOptions.Y", "with --y",
	"in RoleOptions.Ignore", "with --ignore",
	"Options.Text", "--text",
	"in csv.Options.Comma", "with --delimiter",
	"Options.Dates", "--dates",
	"Options.NA", "--na",
	"csv.Options.Rename", "--rename",
	"Options.Decimal", "--decimal",
	"Estimator.Treatment", "--treatment",
	"Estimator.Probability", "--probability",
	"Estimator.Treated", "--treatment COLUMN=LEVEL",
	"Setup.Folds", "--folds",
)
