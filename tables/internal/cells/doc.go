// Package cells decides what the columns of a file are, from what options say and what their cells hold, and says which cells cannot be read: numbers,
// text, dates and markers of missing values are the same in every format.
package cells
