// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// noticed takes from an exchange what later steps of the run have to know: what is to be undone, and what was shown.
func (p caller) noticed(x *target.Exchange) {
	p.created.Noticed(x)
	teller(p).exchange(x)
	p.noticedHead(x.Request, x.Status, x.Header)
}

// noticedLoss remembers that nobody can know what became of a request: the connection it went out on had been kept.
func (c caller) noticedLoss(q *target.Request) {
	if q.Lost {
		c.lost.Store(true)
	}
}

func (c caller) noticedHead(q *target.Request, status int, header http.Header) {
	if status < 200 || status > 299 || !c.run.IsTarget(q.URL) {
		return
	}
	uris, _ := subjects.Echoed(header).([]any)
	for _, uri := range uris {
		c.run.Seen.Add("extension", uri.(string))
	}
	switch {
	case !strings.HasPrefix(q.URL, c.run.Place.API):
	case strings.HasPrefix(header.Get("Content-Type"), "text/event-stream"):
		c.run.Seen.Add("capability", "streaming")
	case q.Method == http.MethodPost && strings.HasSuffix(q.URL, "/pushNotificationConfigs"):
		c.run.Seen.Add("capability", "pushNotifications")
	case strings.HasPrefix(header.Get("Content-Type"), "application/json"):
		c.run.Seen.Add("binding", "HTTP+JSON")
	}
}

// asked notes what became of a request, unless that was nobody's doing but ours.
func (c caller) asked(q *target.Request, status int, ours bool) {
	if !ours && c.ctx.Err() == nil && c.run.IsTarget(q.URL) {
		c.run.Routes.Answered(q.Route, status)
	}
}

// statusOf is the status of the answer that was seen; 0 is none.
func statusOf(o *subjects.Observation) int {
	n, is := o.Get("status").(json.Number)
	if !is {
		return 0
	}
	status, _ := strconv.Atoi(n.String())
	return status
}
