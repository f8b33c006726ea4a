// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// queryFaults are about parameters of a query that cannot be read.
var queryFaults = map[string]func(*behaviour){
	"query-errors-are-plain-text": func(b *behaviour) {
		refuseInPlainText(b, func(c *call) bool { return unreadable(c) || noTime(c) || noState(c) })
	},
	"times-that-are-none-are-refused-in-plain-text":  func(b *behaviour) { refuseInPlainText(b, noTime) },
	"states-that-are-none-are-refused-in-plain-text": func(b *behaviour) { refuseInPlainText(b, noState) },
	"query-errors-are-a-server-error": func(b *behaviour) {
		b.rest.query = func(c *call, params object) *failure {
			if unreadable(c) {
				return fail(internal, "the query cannot be read")
			}
			return c.restQuery(params)
		}
	},
	"truth-values-that-are-none-are-ignored": func(b *behaviour) {
		b.rest.query = func(c *call, params object) *failure {
			f := c.restQuery(params)
			if _, ok := params["includeArtifacts"].(string); ok {
				delete(params, "includeArtifacts")
			}
			return f
		}
	},
	"numbers-are-read-as-far-as-they-go": func(b *behaviour) {
		b.input.number = func(path, text string) (int, *failure) {
			end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
			if end > 0 {
				text = text[:end]
			}
			return integer(path, text)
		}
	},
	"malformed-sizes-of-push-lists-are-a-server-error": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.field == "pageSize" && c.binding == BindingREST && isOp(c, "ListTaskPushNotificationConfigs") {
				return answer{
					status: http.StatusInternalServerError, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
					body: []byte("strconv.Atoi: parsing: invalid syntax\n"),
				}
			}
			return a
		}
	},
}

// refuseInPlainText writes the errors of some queries as what reads them in a web framework does.
func refuseInPlainText(b *behaviour, of func(*call) bool) {
	b.errors.answer = func(c *call, _ *failure, a answer) answer {
		if !of(c) {
			return a
		}
		return answer{status: a.status, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
			body: []byte("Failed to deserialize query string: invalid digit found in string")}
	}
}

// noTime says whether a query has a time that is none.
func noTime(c *call) bool {
	after := c.r.URL.Query().Get("statusTimestampAfter")
	_, err := time.Parse(time.RFC3339Nano, after)
	return c.binding == BindingREST && after != "" && err != nil
}

// noState says whether a query has a state that is none.
func noState(c *call) bool {
	return c.binding == BindingREST && c.r.URL.Query().Get("status") == "TASK_STATE_RUNNING"
}

// unreadable says whether a query has a number or a truth value that is none.
func unreadable(c *call) bool {
	if c.binding != BindingREST || c.r.Method != http.MethodGet {
		return false
	}
	query := c.r.URL.Query()
	for _, name := range []string{"pageSize", "historyLength"} {
		if _, err := strconv.Atoi(query.Get(name)); query.Has(name) && err != nil {
			return true
		}
	}
	return query.Has("includeArtifacts") && query.Get("includeArtifacts") != "true" && query.Get("includeArtifacts") != "false"
}
