// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strconv"
)

// queryFaults are about parameters of a query that cannot be read.
var queryFaults = map[string]func(*behaviour){
	"query-errors-are-plain-text": func(b *behaviour) {
		b.errors.answer = func(c *call, _ *failure, a answer) answer {
			if !unreadable(c) {
				return a
			}
			return answer{status: a.status, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
				body: []byte("Failed to deserialize query string: invalid digit found in string")}
		}
	},
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
