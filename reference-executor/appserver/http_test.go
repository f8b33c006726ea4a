// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port/porttest"
)

const limit = porttest.Limit

// start serves until the test is over. Its starts take no time to speak of.
func start(t *testing.T, c Config) *Server {
	t.Helper()
	if c.Step == 0 {
		c.Step = 5 * time.Millisecond
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	porttest.Serve(t, s)
	return s
}

// quiet is a server that delays nobody.
func quiet(t *testing.T) *Server {
	t.Helper()
	return start(t, Config{NoRateLimit: true})
}

// A reply is an answer with its body.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask makes a request of a server; header are names and values in turn. Redirects are not followed.
func ask(t *testing.T, s *Server, method, path, body string, header ...string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(text)}
}

// get is the JSON value at a path, which has to be there.
func get(t *testing.T, s *Server, path string, header ...string) any {
	t.Helper()
	got := ask(t, s, "GET", path, "", header...)
	if got.status != http.StatusOK {
		t.Fatalf("%s: status %d\n%s", path, got.status, got.body)
	}
	return got.json(t)
}

func (r reply) json(t *testing.T) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("status %d, no JSON: %v\n%s", r.status, err, r.body)
	}
	return v
}

// items are those of the page at a path.
func items(t *testing.T, s *Server, path string, header ...string) []object {
	t.Helper()
	page := get(t, s, path, header...).(object)
	var all []object
	for _, item := range page["items"].([]any) {
		all = append(all, item.(object))
	}
	return all
}

// column is one member of some objects.
func column(some []object, name string) []any {
	all := []any{}
	for _, o := range some {
		all = append(all, o[name])
	}
	return all
}

// says asks the operator.
func says(t *testing.T, s *Server, hook string) object {
	t.Helper()
	return get(t, s, OperatorPath+hook).(object)
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.Now().Add(limit)
	for !holds() {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen within %s", what, limit)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
