// Package csv reads and writes tables as CSV, plain or gzip. Open reads a file once to find the kinds of its columns, and gives a tables.Source
// that parses it again in each pass, parts of it side by side; tables.Load keeps it in memory, and package spool in a temporary file.
//
// # Files
//
// As encoding/csv reads them, without lazy quotes: cells in double quotes may hold the delimiter,
// doubled quotes and newlines (CR LF reads as LF, in cells too). A byte order mark is removed.
// gzip is recognised by its content, and a cut or damaged one is an error. Names of columns are read in
// canonical form (tables.CanonicalName), and all names are compared in it; a name that is empty or occurs twice is refused, except that one
// nameless last column without any content is dropped, since it comes from a delimiter at the end of each line, and that a nameless
// first one is called RowNames. Rows
// with more or fewer cells than the header are refused with their line. Blank lines are skipped,
// except that in a table of one column, where it might be a missing cell, a blank line between rows
// is refused. The delimiter is a comma, unless the header has none and exactly one of semicolon, tab and | cuts the first 100 records evenly; where decimal commas are set and numbers that have one stand in quotes between commas,
// these are it; a header that is a single column and contains another usual delimiter is refused. Line numbers in errors count the lines of the file, from 1.
//
// # Numbers
//
// A number is
//
//	[+-] digits [. digits] [e [+-] digits]
//
// where either side of the decimal mark may be empty, but not both ("1." and ".5" are numbers), and
// spaces around it are ignored. Hexadecimal, underscores, thousands separators, "1d3" and "Inf" are
// not numbers. "-0" is 0. A number that float64 cannot hold (1e400), or whose square it cannot hold
// (1e308), is refused with its column. In a column of numbers the cells "", "NA", "N/A", "NaN",
// "nan", "null" and "NULL" are missing and read as NaN; a missing cell is never 0. Options.NA has further markers, which are missing
// in columns of text too. What often marks missing values and is not named there (., -, ?, #N/A, None, unknown, ...) is no word: a
// column of numbers and such cells is refused, however many there are.
//
// # Kinds of columns
//
// The whole file is looked at before the first batch, so a column that turns fractional in its last
// row is read like any other. Each cell that is neither missing nor a number either looks like a
// number (it starts with a digit, a sign or a decimal mark, also behind a currency, a quote, a bracket or < and the like, or spells inf or nan) or is a word. Then
// a column is
//
//   - Text or Numeric if Options.Text or Options.Numbers names it;
//   - Numeric if all its cells are numbers or missing (all missing: NaN throughout), except that
//     it is Text if all its numbers are integers and the digits of one of them do not survive
//     float64: such numbers are identifiers, and rounding would make several of them one;
//   - Text if none of its cells is a number (dates, codes like 1d3), or if words are at least half
//     of the cells that are not missing;
//   - refused otherwise, with the line and the cell that is not a number.
//
// Cells of a text column are kept to the byte, spaces and "NA" included, and only the empty cell is
// missing. They must be UTF-8.
//
// Dates are text unless Options.Dates names their column, which becomes four columns of numbers then: year, month, weekday and days since
// 1970-01-01. Numbers are dates there if they have eight digits (20240301), or if it says that they are days as spreadsheets count them. Days count from the same day in every file; where columns are standardised, any other first day would do as well.
//
// # What is no row
//
// Left out, in tables of more than one column, and reported with its line, is
//
//   - a row in which every cell is missing, as spreadsheets write them below a table;
//   - the header once more, as in files that were put one below another;
//   - units under the header: the first row has no number, units such as (kg), cm, [years] or % in columns that have numbers in
//     all other rows, and nothing but units elsewhere;
//   - sums, means and other statistics at the end: a cell says so (Total, Sum, Mean, Summe, ...) and stands in a column of
//     numbers, or alone in its row, or its numbers are the sums or the means of their columns, and one of them a number that no row has; a level of that name that other
//     rows have too, or with other numbers, is a row;
//   - a note at the end, alone in its row: Source: ..., Note: ..., n = 200, * ..., © ...;
//   - lines that begin with # above the header, and below it where they have not the cells of a row. One above that could be
//     the header is refused;
//   - a first line sep=; as spreadsheets write and read it, which sets the delimiter where Options.Comma is 0.
//
// Titles above the header, second headers and other notes are refused, with the line to remove. Options.KeepRows leaves
// out nothing but the last two.
package csv
