// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const both = uriRuntime + ", " + uriIdempotency

// A bench is a running executor and a client for it.
type bench struct {
	*testing.T
	e      *Executor
	base   string // of the first instance
	token  string
	client *http.Client
}

// serve runs an executor for the length of a test.
func serve(t *testing.T, c Config) *bench {
	t.Helper()
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- e.Serve() }()
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Error("shutdown:", err)
		}
		if err := <-served; err != nil {
			t.Error("serve:", err)
		}
	})
	token := c.AdminToken
	if token == "" {
		token = c.Token
	}
	return &bench{t, e, e.InstanceURLs()[0], token, &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// An httpAnswer is an answer that was read to its end.
type httpAnswer struct {
	status int
	header http.Header
	body   []byte
	json   map[string]any
}

// do makes a request; headers come in pairs. A path beginning with a slash starts at the root, any other at the instance.
func (b *bench) do(method, path, body string, headers ...string) httpAnswer {
	b.Helper()
	response, err := b.client.Do(b.request(method, path, body, headers...))
	if err != nil {
		b.Fatal(method, path, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(method, path, err)
	}
	r := httpAnswer{status: response.StatusCode, header: response.Header, body: text}
	_ = json.Unmarshal(text, &r.json)
	return r
}

func (b *bench) request(method, path, body string, headers ...string) *http.Request {
	b.Helper()
	url := b.base + "/" + path
	if strings.HasPrefix(path, "/") {
		url = b.e.URL() + path
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	b.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header[headers[i]] = []string{headers[i+1]}
		if headers[i+1] == "" {
			delete(r.Header, headers[i])
		}
	}
	return r
}

// send sends a text and returns the task.
func (b *bench) send(text string) string {
	b.Helper()
	r := b.do("POST", "v1/messages:send", say1(newID(), text, ""), "A2A-Extensions", both)
	if r.status != http.StatusAccepted {
		b.Fatalf("send answers %d %s", r.status, r.body)
	}
	return r.json["id"].(string)
}

// say1 is the body of a send; more goes into the message.
func say1(id, text, more string) string {
	quoted, _ := json.Marshal(text)
	return `{"message":{"messageId":"` + id + `","role":"user","parts":[{"kind":"text","text":` + string(quoted) + `}]` + more + `},"configuration":{"blocking":false}}`
}

// reaches waits until a task is in a state.
func (b *bench) reaches(id, state string) map[string]any {
	b.Helper()
	var last map[string]any
	eventually(b.T, "task in state "+state, func() bool {
		last = b.do("GET", "v1/tasks/"+id, "", "A2A-Extensions", both+","+uriHITL).json
		status, _ := last["status"].(map[string]any)
		return status["state"] == state
	})
	return last
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("never happened: %s", what)
		}
	}
}

// want checks status and code of a refusal.
func (r httpAnswer) want(t *testing.T, what string, status int, code string) {
	t.Helper()
	if r.status != status {
		t.Errorf("%s: status is %d, want %d: %.300s", what, r.status, status, r.body)
	}
	if code == "" {
		return
	}
	if got := r.json["code"]; got != code {
		t.Errorf("%s: code is %v, want %q", what, got, code)
	}
	if got := r.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("%s: Content-Type is %q", what, got)
	}
	if got := r.json["status"]; got != float64(status) {
		t.Errorf("%s: status member is %v, want %d", what, got, status)
	}
}

// events reads a stream to its end, or until enough says so.
func (b *bench) events(method, path, body string, enough func([]map[string]any) bool, headers ...string) (http.Header, []map[string]any) {
	b.Helper()
	response, err := b.client.Do(b.request(method, path, body, headers...))
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		text, _ := io.ReadAll(response.Body)
		b.Fatalf("Content-Type is %q: %d %s", got, response.StatusCode, text)
	}
	var events []map[string]any
	var data, rest []byte
	chunk := make([]byte, 512)
	for {
		n, err := response.Body.Read(chunk)
		rest = append(rest, chunk[:n]...)
		for {
			line, more, found := bytes.Cut(rest, []byte("\n"))
			if !found {
				break
			}
			rest = more
			line = bytes.TrimSuffix(line, []byte("\r"))
			if after, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				data = append(append(data, after...), '\n')
			}
			if len(line) == 0 && len(data) > 0 {
				var v map[string]any
				if err := json.Unmarshal(data, &v); err != nil {
					b.Fatalf("event %q: %v", data, err)
				}
				events, data = append(events, v), nil
			}
		}
		if enough != nil && enough(events) {
			return response.Header, events
		}
		if err == io.EOF {
			return response.Header, events
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// stateOf reads the state out of any form of event.
func stateOf(v map[string]any) string {
	for _, wrapper := range []string{"task", "statusUpdate"} {
		if inner, ok := v[wrapper].(map[string]any); ok {
			v = inner
		}
	}
	status, _ := v["status"].(map[string]any)
	state, _ := status["state"].(string)
	return state
}
