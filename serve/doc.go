// Package serve serves predictions of models over HTTP: by the Open Inference Protocol, version 2, with JSON and with binary tensors, and for tables as
// CSV, JSON and Parquet with the numbers that `mediant predict` writes. A [Handler] is an http.Handler, so that a program can mount it; [Serve] runs one until
// its context ends and loses no request that has arrived.
//
// # What holds
//
//   - A request uses one model from its beginning to its end, whatever is loaded in the meantime.
//   - What a request takes is bounded before it is taken: bytes, rows, memory, time, and the number of predictions at once ([Options]).
//   - An answer is complete or an error: nothing is sent before all of it is known.
//   - Errors are {"error": "..."} with a status of 4xx for what the client sent and 5xx else.
package serve
