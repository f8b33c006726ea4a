// SPDX-License-Identifier: Apache-2.0

package appserver

import "net/http"

// A failure is why a request was refused.
type failure struct {
	status int
	detail any // a text, or a list of what is wrong with the request
}

func fail(status int, detail string) *failure { return &failure{status, detail} }

// What is refused everywhere in the same words.
var (
	unauthorized = fail(http.StatusUnauthorized, "Unauthorized")
	notFound     = fail(http.StatusNotFound, "Not Found")
)

// A problem is one thing that is wrong with a request.
type problem struct {
	loc  []any // where: "query", "path" or "body", then names and indexes
	msg  string
	kind string
}

// invalid is the failure of a request with problems; nil: there are none.
func invalid(problems []problem) *failure {
	if len(problems) == 0 {
		return nil
	}
	details := make([]any, len(problems))
	for i, p := range problems {
		details[i] = object{"loc": p.loc, "msg": p.msg, "type": p.kind}
	}
	return &failure{http.StatusUnprocessableEntity, details}
}

// failureBehaviour is the form of a refusal.
type failureBehaviour struct {
	refusal func(c *call, f *failure) answer
}

var conformantFailure = failureBehaviour{
	refusal: func(c *call, f *failure) answer { return c.json(f.status, object{"detail": f.detail}) },
}

// refuse answers with a failure.
func (c *call) refuse(f *failure) answer { return c.s.b.failure.refusal(c, f) }
