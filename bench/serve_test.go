package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/features"
	"mediant/problem"
	"mediant/rr"
	"mediant/serve"
	"mediant/tables"
)

const servedColumns = 10

// served is a model of 4,096 Fourier features of ten numbers, its file, and rows to predict.
var served = sync.OnceValues(func() (*mediant.Model, []byte) {
	rr.UseFastBLAS()
	rnd := rand.New(rand.NewPCG(1, 1))
	const n = 3000
	names := make([]string, servedColumns+1)
	x, u := mat.NewDense(n, servedColumns+1, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		for j := range servedColumns {
			x.Set(i, j, rnd.NormFloat64())
		}
		x.Set(i, servedColumns, x.At(i, 0)+.3*rnd.NormFloat64())
		v := rnd.NormFloat64()
		u.SetRow(i, []float64{v, v * v})
	}
	for j := range servedColumns {
		names[j] = fmt.Sprintf("x%d", j)
	}
	names[servedColumns] = "u"
	xu, err := tables.FromMatrix(names, x)
	must(err)
	uy, err := tables.FromMatrix([]string{"u", "y"}, u)
	must(err)
	setup := problem.Setup{Phi: features.Spec{Kind: features.FourierFeatures, Size: 4096}, Psi: features.Spec{Kind: features.FourierFeatures, Size: 64}}
	fit, err := rr.Fit(context.Background(), setup, rr.TwoStep{}, xu, uy)
	must(err)
	m := &mediant.Model{Model: fit}
	var file bytes.Buffer
	must(m.Save(&file))
	return m, file.Bytes()
})

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// server serves the model on loopback.
func server(b *testing.B) (m *mediant.Model, url string) {
	m, file := served()
	path := filepath.Join(b.TempDir(), "m.mediant")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		b.Fatal(err)
	}
	store, err := serve.Open(nil, nil, path)
	if err != nil {
		b.Fatal(err)
	}
	h, err := serve.New(store, serve.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	return m, s.URL + "/v2/models/m/infer"
}

// post sends a request, whose JSON has so many bytes, and reads its answer.
func post(b *testing.B, url string, body []byte, length int) {
	q, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if length > 0 {
		q.Header.Set("Inference-Header-Content-Length", strconv.Itoa(length))
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != 200 {
		b.Fatalf("%d %.200s, error %v", answer.StatusCode, text, err)
	}
}

// One row over loopback in JSON, one after the other, and the same in the library; the 99th percentile in milliseconds.
func BenchmarkServeOneRow(b *testing.B) {
	m, url := server(b)
	body := []byte(`{"inputs":[{"name":"x","shape":[1,10],"datatype":"FP64","data":[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1]}]}`)
	x := mat.NewDense(1, servedColumns, nil)
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"http", func() { post(b, url, body, 0) }},
		{"library", func() { var y mat.Dense; must(m.PredictTo(&y, x)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				begin := time.Now()
				c.do()
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2].Seconds()*1e3, "p50-ms")
			b.ReportMetric(times[len(times)*99/100].Seconds()*1e3, "p99-ms")
		})
	}
}

// 50,000 rows at a time as binary tensors over loopback beside the library, which take turns; rows a second, and the ratio.
func BenchmarkServeBatch(b *testing.B) {
	m, url := server(b)
	const rows = 50_000
	x := mat.NewDense(rows, servedColumns, random(rows, servedColumns).Data)
	head := fmt.Sprintf(`{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[%d,%d],"datatype":"FP64","parameters":{"binary_data_size":%d}}]}`, rows, servedColumns, 8*rows*servedColumns)
	body := bytes.NewBufferString(head)
	must(binary.Write(body, binary.LittleEndian, x.RawMatrix().Data))
	var overHTTP, inLibrary time.Duration
	for b.Loop() {
		begin := time.Now()
		post(b, url, body.Bytes(), len(head))
		overHTTP += time.Since(begin)
		begin = time.Now()
		var y mat.Dense
		must(m.PredictTo(&y, x))
		inLibrary += time.Since(begin)
	}
	b.ReportMetric(float64(b.N)*rows/overHTTP.Seconds(), "http-rows/s")
	b.ReportMetric(float64(b.N)*rows/inLibrary.Seconds(), "library-rows/s")
	b.ReportMetric(inLibrary.Seconds()/overHTTP.Seconds(), "ratio")
}
