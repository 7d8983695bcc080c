// Package report writes results for people to read: a Document of paragraphs, tables and charts
// becomes one self-contained HTML page, GitHub-flavoured Markdown, JSON, and the charts as files.
//
// # What holds for every format
//
//   - The same Document gives the same bytes, with charts on the same GOARCH.
//   - Every string is text: markup in a name shows as it is spelled and does nothing. Control
//     characters become spaces and invalid UTF-8 becomes U+FFFD, but JSON keeps control characters.
//   - A Document that cannot be written as it is, such as one with a row of more cells than
//     columns, is refused by all formats with the same error, before the first byte.
//
// # The page
//
// It needs neither network nor script: styles, script and charts are inside, and its
// Content-Security-Policy allows that style and script by their hashes and nothing else. The script
// adds sorting by a column and values on hover or by arrow keys. It follows the reader's choice of
// light or dark, and prints.
//
// # Charts
//
// All charts go through gonum.org/v1/plot, drawn once and the same for SVG and PNG. Colour never
// tells series apart alone: shapes, dashes and hatches do as well. What has no place on an axis
// (NaN, an infinity, a number that is not positive on a logarithmic axis) is left out, breaks the
// line it lies on, and is counted in a note below the chart.
package report
