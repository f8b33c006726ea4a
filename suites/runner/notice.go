// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// noticed takes from an exchange what later steps of the run have to know: what is to be undone, and what was shown.
func (p caller) noticed(x *exchange) {
	p.created.noteAdmin(x)
	p.tellExchange(x)
	if x.request.call == nil {
		p.created.noteConfig(x.request, x.Status, x.Body)
	}
	if x.Status == 0 || !p.run.isTarget(x.request.URL) {
		return
	}
	p.noticedHead(x.request, x.Status, x.Header)
	if c := x.request.call; c != nil {
		p.created.noteOperation(c, x.request, x.Status, jsontext.Parse(x.Body))
		return
	}
	if x.request.Method == http.MethodGet && x.Status == http.StatusOK && p.created.reads(x.request.URL) {
		p.created.noteEnd(readers.Task(jsontext.Parse(x.Body)))
	}
	if x.request.Method != http.MethodPost || x.Status > 299 {
		return
	}
	for _, send := range sends {
		if strings.Contains(x.request.URL, send.path) {
			p.created.noteTask(x.request, readers.Task(jsontext.Parse(x.Body)))
			return
		}
	}
}

// noticedLoss remembers that nobody can know what became of a request: the connection it went out on had been kept.
func (c caller) noticedLoss(q *request) {
	if q.Lost {
		c.lost.Store(true)
	}
}

func (c caller) noticedHead(q *request, status int, header http.Header) {
	if status < 200 || status > 299 || !c.run.isTarget(q.URL) {
		return
	}
	uris, _ := echoed(header).([]any)
	for _, uri := range uris {
		c.run.seen.add("extension", uri.(string))
	}
	switch {
	case !strings.HasPrefix(q.URL, c.run.place.api):
	case strings.HasPrefix(header.Get("Content-Type"), "text/event-stream"):
		c.run.seen.add("capability", "streaming")
	case q.Method == http.MethodPost && strings.HasSuffix(q.URL, "/pushNotificationConfigs"):
		c.run.seen.add("capability", "pushNotifications")
	case strings.HasPrefix(header.Get("Content-Type"), "application/json"):
		c.run.seen.add("binding", "HTTP+JSON")
	}
}
