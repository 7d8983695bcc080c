package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mediant"
	"mediant/export"
	"mediant/export/page"
	"mediant/internal/outfile"
)

// An exportFormat is what export writes, and its flag.
type exportFormat struct {
	flag, help string
	write      func(ctx context.Context, w io.Writer, m *mediant.Model) error
	// pointsAlone says that standard errors and distributions are left out.
	pointsAlone bool
}

var exportFormats = []exportFormat{
	{"onnx", fmt.Sprintf("write an ONNX graph in float64, opset %d, to this file", export.Opset), func(_ context.Context, w io.Writer, m *mediant.Model) error { return export.ONNX(w, m) }, true},
	{"safetensors", "write all numbers in float64 as safetensors, with a description in JSON, to this file", func(_ context.Context, w io.Writer, m *mediant.Model) error { return export.Safetensors(w, m) }, true},
	{"wasm-page", "write a page that predicts in a browser, with nothing else and without a server, to this file", func(_ context.Context, w io.Writer, m *mediant.Model) error { return page.Write(w, m) }, true},
}

func newExport() *cobra.Command {
	files := make([]string, len(exportFormats))
	cmd := &cobra.Command{
		Use:   "export MODEL",
		Short: "Write a model for other programs: ONNX, safetensors, a page for browsers",
		Long: `Write a model in formats that other programs read, whatever of it is asked for.

--onnx writes a graph of standard operators that computes f, labels and probabilities from the columns
of X, as predict does but for rounding, for onnxruntime in Python, Java, C#, JavaScript and others.
What ONNX cannot express, such as hashed free text, ends the command with an error that names it.

--safetensors writes every number of the model under a name, for a program that computes f itself.

--wasm-page writes one HTML page that predicts for a CSV file that is dropped on it, warnings about the
rows included. The file stays on the machine. The page holds the whole model file.

docs/export.md has the inputs and outputs of each format, and a program in numpy that reads safetensors.`,
		Example: `  mediant export model.mediant --onnx model.onnx --safetensors model.safetensors
  mediant export model.mediant --wasm-page predict.html`,
		Args: arguments("the model file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExport(cmd.Context(), args[0], files, cmd.ErrOrStderr())
		},
	}
	for i, f := range exportFormats {
		cmd.Flags().StringVar(&files[i], f.flag, "", f.help)
	}
	return cmd
}

// runExport writes a model to the files that are named.
func runExport(ctx context.Context, model string, files []string, stderr io.Writer) error {
	inputs, named := []string{model}, false
	for i, f := range exportFormats {
		if files[i] == "" {
			continue
		}
		named = true
		if err := checkOutputOf("--"+f.flag, files[i], inputs...); err != nil {
			return err
		}
	}
	if !named {
		return usagef("nothing to write: set %s", flagsOf(exportFormats))
	}
	m, err := loadModel(model, 0)
	if err != nil {
		return err
	}
	for i, f := range exportFormats {
		if files[i] == "" {
			continue
		}
		if f.pointsAlone && (m.SE != nil || m.Distribution != nil) {
			fmt.Fprintf(stderr, "note: --%s has the predictions alone, without standard errors and intervals\n", f.flag)
		}
		if err := outfile.Write(files[i], func(w io.Writer) error { return f.write(ctx, w, m) }); err != nil {
			return fmt.Errorf("--%s: %w", f.flag, err)
		}
	}
	return nil
}

// flagsOf lists the flags of formats.
func flagsOf(formats []exportFormat) string {
	text := ""
	for i, f := range formats {
		switch {
		case i > 0 && i == len(formats)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += "--" + f.flag
	}
	return text
}
