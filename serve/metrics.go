package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are those of a Handler, in a registry of their own.
type metrics struct {
	handler  http.Handler
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	rows     *prometheus.CounterVec
}

// newMetrics returns the metrics of a Handler. Labels have values of ours and names of models alone, so that clients cannot make more of them.
func newMetrics(h *Handler) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mediant_requests_total", Help: "Requests answered, by path and status."}, []string{"path", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "mediant_request_seconds", Help: "Time from the headers of a request to its answer.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30}}, []string{"path"}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mediant_predicted_rows_total", Help: "Rows predicted, by model."}, []string{"model"}),
	}
	registry := prometheus.NewRegistry()
	of := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	of("mediant_requests_in_progress", "Requests with a body that are not answered yet.", func() float64 { return float64(len(h.requests)) })
	of("mediant_predictions_in_progress", "Predictions that are being computed.", func() float64 { return float64(len(h.workers)) })
	of("mediant_held_bytes", "Bytes of bodies and answers in memory.", func() float64 { return float64(h.memory.held.Load()) })
	of("mediant_models", "Models that are served.", func() float64 { return float64(len(h.store.Names())) })
	for _, c := range []struct {
		result string
		value  func() float64
	}{
		{"loaded", func() float64 { return float64(h.store.loaded.Load()) }},
		{"failed", func() float64 { return float64(h.store.failed.Load()) }},
		{"removed", func() float64 { return float64(h.store.removed.Load()) }},
	} {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "mediant_model_files_total", Help: "Model files loaded, not loaded for a fault, and removed.",
			ConstLabels: prometheus.Labels{"result": c.result}}, c.value))
	}
	registry.MustRegister(m.requests, m.seconds, m.rows, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) serve(c *call) error {
	m.handler.ServeHTTP(c, c.Request)
	return nil
}

func (m *metrics) observe(path string, c *call, took time.Duration) {
	m.requests.WithLabelValues(path, strconv.Itoa(c.status)).Inc()
	m.seconds.WithLabelValues(path).Observe(took.Seconds())
}

func (m *metrics) predicted(of *Model, rows int) {
	m.rows.WithLabelValues(of.Name).Add(float64(rows))
}
