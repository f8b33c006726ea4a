// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// A target that would rather speak HTTP/2 is asked over HTTP/1.1 by everything that a run asks.
func TestOnlyHTTP11IsJudged(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: map[string]string{}}
	var mu sync.Mutex
	spoken := map[string]bool{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		spoken[q.Proto] = true
		mu.Unlock()
		f.ServeHTTP(w, q)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	out := runAll(t, loaded(t, oneTest(`- {request: "GET ${api}/tasks", expect: {status: 200}}`)),
		Target{ExecutorURL: server.URL + "/agents/" + fakeInstance, TLS: &tls.Config{RootCAs: roots}}, Options{})
	if got := summary(out); got != "T-001 pass" {
		t.Errorf("got %s (%s)", got, out.Because)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(spoken) != 1 || !spoken["HTTP/1.1"] {
		t.Errorf("asked over %v", spoken)
	}
}
