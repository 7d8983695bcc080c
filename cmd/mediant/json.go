package main

import (
	"encoding/json"
	"io"
)

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

func emptyNotNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
