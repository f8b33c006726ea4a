// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// maxRecorded is how many requests a double remembers: the last ones.
const maxRecorded = 500

// A double stands for the agent servers of all sandboxes, each below its id, and records what it is asked.
type double struct {
	listener *port.Port
	s        *Server

	mu       sync.Mutex
	recorded []any
	known    map[string]object // conversations, by id with hyphens
}

// openDouble opens the listener of the double.
func (s *Server) openDouble() (*double, error) {
	d := &double{s: s, known: map[string]object{}}
	var err error
	d.listener, err = s.open("", d, nil)
	return d, err
}

// its is the listener of a double; nil: there is none.
func (d *double) its() *port.Port {
	if d == nil {
		return nil
	}
	return d.listener
}

func (d *double) root() string { return d.listener.Root }

// requests are those that were recorded, the oldest first: "method", "path", "query", "headers", "body" and "sandbox_id".
func (d *double) requests() []any {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]any{}, d.recorded...)
}

// ServeHTTP answers as an agent server does, as far as an app server asks it.
func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(io.LimitReader(r.Body, maxBody))
	var body any
	_ = json.Unmarshal(text, &body)
	at, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	path = "/" + path
	box := d.s.sandboxNow(at)
	d.record(r, at, path, body)
	answer := func(status int, v any) {
		w.Header().Set("Content-Type", mediaJSON)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	switch {
	case path == "/alive" || path == "/health":
		answer(http.StatusOK, object{"status": "ok"})
	case box == nil || box.state != running:
		answer(http.StatusServiceUnavailable, object{"detail": "the sandbox does not run"})
	case path == "/api/conversations" && r.Method == http.MethodPost:
		answer(http.StatusCreated, d.begin(body))
	case path == "/api/conversations" && r.Method == http.MethodGet:
		answer(http.StatusOK, d.list(r.URL.Query()["ids"]))
	case strings.HasPrefix(path, "/api/conversations/") && (r.Method == http.MethodPatch || r.Method == http.MethodDelete):
		answer(http.StatusOK, object{"success": true})
	default:
		answer(http.StatusNotFound, object{"detail": "Not Found"})
	}
}

func (d *double) record(r *http.Request, at, path string, body any) {
	headers := object{}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recorded = append(d.recorded, object{
		"method": r.Method, "path": path, "query": r.URL.RawQuery, "headers": headers, "body": body, "sandbox_id": at,
	})
	if over := len(d.recorded) - maxRecorded; over > 0 {
		d.recorded = d.recorded[over:]
	}
}

// begin starts a conversation, which is idle from then on.
func (d *double) begin(body any) object {
	o, _ := body.(object)
	id, _ := o["conversation_id"].(string)
	made := object{"id": id, "agent": o["agent"], "workspace": o["workspace"], "execution_status": "idle"}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known[id] = made
	return made
}

// list are the conversations with some ids, with null for each that is not known.
func (d *double) list(ids []string) []any {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := []any{}
	for _, id := range ids {
		if known := d.known[id]; known != nil {
			all = append(all, known)
		} else {
			all = append(all, nil)
		}
	}
	return all
}
