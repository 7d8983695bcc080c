package serve_test

import (
	"context"
	"log"
	"net/http"
	"time"

	"mediant/serve"
)

// A program mounts the models of a folder beside its own pages.
func Example() {
	store, err := serve.Open(nil, nil, "models")
	if err != nil {
		log.Fatal(err)
	}
	go store.Watch(context.Background(), time.Second)
	h, err := serve.New(store, serve.Options{MaxRows: 1000, Timeout: 5 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/models/", http.StripPrefix("/models", h))
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}
