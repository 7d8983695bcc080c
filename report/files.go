package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mediant/internal/outfile"
)

// WriteFiles writes report.html, report.md, report.json, and NAME.svg and NAME.png of each chart
// into dir, which it makes if need be. Each file is replaced as a whole or not at all, and none
// before all could be made. Files of other names stay.
func (d *Document) WriteFiles(dir string) error {
	all, err := d.files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	for _, f := range all {
		err := outfile.Write(filepath.Join(dir, f.name), func(w io.Writer) error {
			_, err := w.Write(f.content)
			return err
		})
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// TryFiles finds out, before there is a report, whether WriteFiles could write one into dir, and more files
// of these names: the error is the one that would be returned. What is there stays as it is.
func TryFiles(dir string, more ...string) error {
	names := append([]string{"report.json", "report.md", "report.html"}, more...)
	entries, _ := os.ReadDir(dir) // none if it is not there yet
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".svg" || ext == ".png" { // perhaps a chart: their names are not known yet
			names = append(names, e.Name())
		}
	}
	if err := outfile.TryFolder(dir, names...); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

type file struct {
	name    string
	content []byte
}

// files has the charts first: whoever sees a new page finds its charts.
func (d *Document) files() ([]file, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	var files []file
	for i := range d.Sections {
		for j := range d.Sections[i].Charts {
			f := newFigure(&d.Sections[i].Charts[j])
			png, err := f.png()
			if err != nil {
				return nil, err
			}
			files = append(files, file{f.chart.Name + ".svg", f.svgFile()}, file{f.chart.Name + ".png", png})
		}
	}
	for _, text := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"report.json", d.WriteJSON},
		{"report.md", func(w io.Writer) error { return d.WriteMarkdown(w, "") }},
		{"report.html", d.WriteHTML},
	} {
		var b bytes.Buffer
		if err := text.write(&b); err != nil {
			return nil, err
		}
		files = append(files, file{text.name, b.Bytes()})
	}
	return files, nil
}
