// Package page writes a model as one HTML page that predicts in a browser, with nothing else and without a server: the page holds the model and this library, compiled to
// WebAssembly. Its Content-Security-Policy lets it load nothing and send nothing.
//
// The compiled library, 3 MB, is not in the repository. go generate ./export/page compiles it into a folder that go build embeds. So a program that was built after it
// needs no toolchain to write pages, and one that was built without it says so.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"mediant"
)

//go:generate go run generate.go

//go:embed all:built
var built embed.FS

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// ErrNotBuilt reports that the program was built without the compiled library.
var ErrNotBuilt = errors.New("page: this program was built without the library for browsers: run go generate ./export/page in the source of Mediant, and build it again")

// Write writes the page of a model. The error is ErrNotBuilt, that of Model.Save, or that of w.
func Write(w io.Writer, m *mediant.Model) error {
	program, err := fs.Sub(built, "built")
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return write(w, program, m)
}

// content is what page.html shows.
type content struct {
	CSP, Title, Y, Method, Rows string
	X                           []string
	CSS                         template.CSS
	Start, JS                   template.JS
	Model, Program              string
}

// write is Write with the compiled library of a folder.
func write(w io.Writer, program fs.FS, m *mediant.Model) error {
	compiled, err := fs.ReadFile(program, "page.wasm.gz")
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotBuilt
	}
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	start, err := fs.ReadFile(program, "wasm_exec.js")
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	var model bytes.Buffer
	if err := m.Save(&model); err != nil {
		return err
	}
	// Parsers read CR LF as LF: the hashes must be of that.
	css, js, script := lines(pageCSS), lines(pageJS), lines(string(start))
	y := strings.Join(m.Roles.Y, ", ")
	c := content{
		CSP: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s %s 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'",
			hash(css), hash(script), hash(js)),
		Title: "Predict " + y, Y: y, Method: m.Method, Rows: fmt.Sprintf("%d rows of X and U, and %d of U and Y", m.Rows.XU, m.Rows.UY), X: m.Roles.X,
		CSS: template.CSS(css), Start: template.JS(script), JS: template.JS(js),
		Model: base64.StdEncoding.EncodeToString(model.Bytes()), Program: base64.StdEncoding.EncodeToString(compiled),
	}
	t, err := template.New("page").Parse(lines(pageHTML))
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return t.Execute(w, c)
}

func lines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// hash is that of a script or style in a Content-Security-Policy.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
