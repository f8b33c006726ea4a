// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strings"
)

var restRouteFaults = map[string]func(*behaviour){
	"send-at-another-path": reroutes(func(segments []string) []string {
		switch strings.Join(segments, "/") {
		case "message/send":
			return []string{"message:send"}
		case "message:send":
			return nil
		}
		return segments
	}),
	"cancel-at-another-path": reroutes(func(segments []string) []string {
		switch {
		case len(segments) == 3 && segments[2] == "cancel":
			return []string{segments[0], segments[1] + ":cancel"}
		case strings.HasSuffix(segments[len(segments)-1], ":cancel"):
			return nil
		}
		return segments
	}),
	"send-answers-201": restStatus("SendMessage", http.StatusCreated),
	"get-answers-201":  restStatus("GetTask", http.StatusCreated),
	"get-answers-a-wrapped-task": func(b *behaviour) {
		b.tasks.shown = func(c *call, operation string, v object) object {
			if operation == "GetTask" {
				return object{"task": v}
			}
			return v
		}
	},
	"cancel-answers-another-task": func(b *behaviour) {
		b.tasks.shown = func(_ *call, operation string, v object) object {
			if operation == "CancelTask" {
				v["id"] = "another-than-" + v["id"].(string)
			}
			return v
		}
	},
}

// reroutes has the server look at other segments than those of the request; none: there is nothing at the path.
func reroutes(other func(segments []string) []string) func(*behaviour) {
	return func(b *behaviour) {
		b.rest.find = func(c *call, segments []string) (routed, bool) {
			if segments = other(segments); segments == nil {
				return routed{}, false
			}
			return c.route(segments)
		}
	}
}

// restStatus has an operation answer with a status of its own over HTTP+JSON.
func restStatus(operation string, status int) func(*behaviour) {
	return func(b *behaviour) {
		b.rest.status = func(c *call, o outcome) int {
			if c.op.name == operation {
				return status
			}
			return o.status
		}
	}
}
