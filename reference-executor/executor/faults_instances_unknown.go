// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"regexp"
	"strings"
)

// strangeInstanceFaults answer for an instance that does not exist.
var strangeInstanceFaults = map[string]func(*behaviour){
	"tasks-are-read-under-unknown-instances": belowUnknownInstances(func(method, operation string) bool {
		return method == http.MethodGet && ofATask.MatchString(operation)
	}),
	"tasks-are-canceled-under-unknown-instances": belowUnknownInstances(func(method, operation string) bool {
		return method == http.MethodPost && strings.HasSuffix(operation, "/cancel")
	}),
	"unknown-instances-have-an-extended-card": belowUnknownInstances(func(_, operation string) bool { return operation == "v1/extendedAgentCard" }),
	"unknown-instances-stream": belowUnknownInstances(func(method, operation string) bool {
		return method == http.MethodPost && operation == "v1/messages:stream"
	}),
	"instances-that-are-no-uuid-break": instead(func(c *call) (answer, bool) {
		if c.surface == surfaceA2A && len(c.iid) != 36 {
			return c.refuse(refuse(http.StatusInternalServerError, "internal.error", "")), true
		}
		return answer{}, false
	}),
}

var ofATask = regexp.MustCompile(`^v1/tasks/[^/]+$`)

// belowUnknownInstances leads some requests for an instance that does not exist to the first one.
func belowUnknownInstances(which func(method, operation string) bool) func(*behaviour) {
	return rewrite(func(e *Executor, method, path string) string {
		below, is := strings.CutPrefix(path, "/agents/")
		id, operation, _ := strings.Cut(below, "/")
		if _, known := e.instances.find(id); !is || known || !which(method, operation) {
			return path
		}
		return "/agents/" + e.pair[0] + "/" + operation
	})
}
