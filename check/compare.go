package check

import (
	"context"

	"mediant/tables"
)

// names finds columns whose names are nearly equal.
func (c *checker) names() {}

// compare compares the columns of U of both tables, one by one and together.
func (c *checker) compare(ctx context.Context, xu, uy tables.Source) error { return ctx.Err() }
