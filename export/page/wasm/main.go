//go:build js && wasm

// Command wasm is the program of the page of package page: it gives the page the function mediant(model, name, table), which returns
// {csv, warnings} or {error}, and then waits.
package main

import (
	"context"
	"fmt"
	"syscall/js"

	"mediant"
	"mediant/export/page/internal/browser"
)

func main() {
	var model *mediant.Model // of the page, read at the first call
	js.Global().Set("mediant", js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
		defer func() { // a panic would end the program, and with it the page
			if p := recover(); p != nil {
				result = map[string]any{"error": fmt.Sprint(p)}
			}
		}()
		if model == nil {
			var err error
			if model, err = browser.Load(bytesOf(args[0])); err != nil {
				return map[string]any{"error": err.Error()}
			}
		}
		out, warnings, err := browser.Predict(context.Background(), model, args[1].String(), bytesOf(args[2]))
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		lines := make([]any, len(warnings))
		for i, w := range warnings {
			lines[i] = w
		}
		return map[string]any{"csv": string(out), "warnings": lines}
	}))
	select {}
}

// bytesOf copies a Uint8Array.
func bytesOf(v js.Value) []byte {
	raw := make([]byte, v.Length())
	js.CopyBytesToGo(raw, v)
	return raw
}
