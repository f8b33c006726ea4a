// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
)

// otherDoorFaults serve single operations under the prefix of another surface, or of none.
var otherDoorFaults = map[string]func(*behaviour){
	"admin-details-below-the-agents": rewrite(func(_ *Executor, _, p string) string {
		segments := strings.SplitN(strings.TrimPrefix(p, "/"), "/", 4)
		served := []string{"loadouts", "runtime/providers", "bootstrap/readiness", "deprecation/v1-counters", "logs", "events"}
		if len(segments) == 4 && segments[0] == "agents" && segments[2] == "v1" && slices.Contains(served, segments[3]) {
			return "/api/v2/admin/" + segments[3]
		}
		return p
	}),
	"admin-shows-tasks": ofTasksUnder("/api/v2/admin", func(method, operation string) bool {
		return method == http.MethodGet && operation == ""
	}),
	"admin-cancels-tasks": ofTasksUnder("/api/v2/admin", func(method, operation string) bool {
		return method == http.MethodPost && operation == "cancel"
	}),
	"admin-cancels-tasks-silently": silentCancels("/api/v2/admin"),
	"cancels-without-prefix": ofTasksWithoutPrefix(func(method, operation string) bool {
		return method == http.MethodPost && operation == "cancel"
	}),
	"reads-without-prefix": ofTasksWithoutPrefix(func(method, operation string) bool {
		return method == http.MethodGet && operation == ""
	}),
	"subscriptions-without-prefix": ofTasksWithoutPrefix(func(method, operation string) bool {
		return method == http.MethodGet && operation == "subscribe"
	}),
	"cancels-without-prefix-silently": silentCancels("/v1"),
}

// ofTasksWithoutPrefix serves an operation about one task, which is looked up by its id alone.
func ofTasksWithoutPrefix(serves func(method, operation string) bool) func(*behaviour) {
	return ofTasksUnder("/v1", serves)
}

// ofTasksUnder serves it under a prefix that is not an instance's.
func ofTasksUnder(prefix string, serves func(method, operation string) bool) func(*behaviour) {
	return rewrite(func(e *Executor, method, p string) string {
		task, operation, below := strings.Cut(strings.TrimPrefix(p, prefix+"/tasks/"), "/")
		if !strings.HasPrefix(p, prefix+"/tasks/") || below != (operation != "") || !serves(method, operation) {
			return p
		}
		return strings.TrimSuffix("/agents/"+e.instances.all()[0].ID+"/v1/tasks/"+task+"/"+operation, "/")
	})
}

// silentCancels cancels a task under a prefix that is not an instance's, and says that there is nothing.
func silentCancels(prefix string) func(*behaviour) {
	return instead(func(c *call) (answer, bool) {
		task, operation, _ := strings.Cut(strings.TrimPrefix(c.r.URL.EscapedPath(), prefix+"/tasks/"), "/")
		if c.r.Method != http.MethodPost || operation != "cancel" || strings.Contains(task, "/") || !strings.HasPrefix(c.r.URL.EscapedPath(), prefix+"/tasks/") {
			return answer{}, false
		}
		c.elsewhere("/agents/" + c.e.instances.all()[0].ID + "/v1/tasks/" + task + "/cancel")
		return c.e.b.surfaces.unknown(c), true
	})
}
