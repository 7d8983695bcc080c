package tables

import "strings"

func columnName(cell string) string { return strings.TrimSpace(cell) }
