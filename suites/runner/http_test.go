// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Only who asks for a compressed body is given it as it was before; whatever else a target sends is seen as it came.
func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	var packed, bomb bytes.Buffer
	for into, text := range map[*bytes.Buffer]string{&packed: "as it was", &bomb: strings.Repeat("0", wire.MostBody+1)} {
		w := gzip.NewWriter(into)
		w.Write([]byte(text))
		w.Close()
	}
	for name, row := range map[string]struct {
		asked, encoding, sent string
		want, problem         string
	}{
		"asked for":               {"gzip", "gzip", packed.String(), "as it was", ""},
		"asked for, and plain":    {"gzip", "", "plain", "plain", ""},
		"not asked for":           {"", "gzip", packed.String(), packed.String(), ""},
		"asked for, and cut":      {"gzip", "gzip", packed.String()[:20], "", "the body was cut"},
		"asked for, and nonsense": {"gzip", "gzip", "nonsense", "", "the body was cut"},
		"a bomb":                  {"gzip", "gzip", bomb.String(), strings.Repeat("0", wire.MostBody), "the body is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if row.encoding != "" {
					w.Header().Set("Content-Encoding", row.encoding)
				}
				w.Write([]byte(row.sent))
			}))
			t.Cleanup(server.Close)
			c := clientFor(Target{}, Options{ConnectTimeout: time.Second, Jobs: 1})
			q := &wire.Request{Method: "GET", URL: server.URL, Limit: 10 * time.Second}
			if row.asked != "" {
				q.Header = append(q.Header, suites.Header{Name: "Accept-Encoding", Value: row.asked})
			}
			x := c.Do(context.Background(), q)
			if row.problem == "" && x.Problem != "" || !strings.Contains(x.Problem, row.problem) || row.want != "" && string(x.Body) != row.want {
				t.Errorf("%d bytes, %q; want %d, %q", len(x.Body), x.Problem, len(row.want), row.problem)
			}
			if told, _ := observeAnswer(&exchange{Exchange: *x}).all()["error"].(string); told != x.Problem { // A2A-SEC-016 reads it
				t.Errorf("the exchange says %q, want %q", told, x.Problem)
			}
		})
	}
}

// A header that is longer than its bound is no answer; one that is as long as proxies let through is.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		length  int
		problem string
	}{{"long", 128 << 10, ""}, {"too long", 400 << 10, "header"}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Long", strings.Repeat("x", row.length))
				w.Write([]byte("{}"))
			}))
			t.Cleanup(server.Close)
			c := clientFor(Target{}, Options{ConnectTimeout: time.Second, Jobs: 1})
			x := c.Do(context.Background(), &wire.Request{Method: "GET", URL: server.URL, Limit: 10 * time.Second})
			if row.problem == "" && x.Status != http.StatusOK || row.problem != "" && (x.Status != 0 || !strings.Contains(x.Problem, row.problem)) {
				t.Errorf("status %d, problem %q; want a problem that says %q", x.Status, x.Problem, row.problem)
			}
		})
	}
}
