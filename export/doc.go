// Package export writes fitted models in formats of other programs: ONNX graphs, and safetensors. It works on what a model file holds, the JSON description
// of a model and its numbers (rr.Model.Store), so that a map of a new kind is either expressed by name or refused by name, never left out in silence.
package export
