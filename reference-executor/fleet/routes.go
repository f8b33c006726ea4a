// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"net/http"
	"slices"
	"strings"
)

// The paths of the listener. {name} is that of an agent, {id} that of a task.
const (
	fleetCardPath = "/.well-known/agent-card.json"
	oldCardPath   = "/.well-known/agent.json"
	indexPath     = "/agents/"
	agentPath     = "/agents/{name}"
	agentCardPath = agentPath + fleetCardPath
	sendPath      = agentPath + "/message:send"
	streamPath    = agentPath + "/message:stream"
	inboxPath     = agentPath + "/inbox/stream"
	activePath    = agentPath + "/_active"
	tasksPath     = agentPath + "/tasks"
	taskPath      = agentPath + "/tasks/{id}"
)

// A route is one method of one path.
type route struct{ method, path string }

// routes in the order in which they are tried: what has a word more comes first.
var routes = []route{
	{"GET", fleetCardPath},
	{"GET", indexPath},
	{"GET", agentCardPath},
	{"POST", sendPath},
	{"POST", streamPath},
	{"GET", inboxPath},
	{"GET", activePath},
	{"GET", tasksPath},
	{"POST", taskPath + ":cancel"},
	{"POST", taskPath + ":subscribe"},
	{"POST", taskPath + "/pushNotificationConfigs"},
	{"GET", taskPath + "/pushNotificationConfigs"},
	{"GET", taskPath},
	{"GET", agentPath + "/extendedAgentCard"},
}

// routesBehaviour is what is served where.
type routesBehaviour struct {
	table       map[string]func(c *call) answer        // by method and path, as in routes
	ghost       func(c *call, name string) answer      // there is no such agent
	otherMethod func(c *call, allowed []string) answer // there is such a path
	unknown     func(c *call) answer                   // there is no such path
}

// conformantRoutes is a function because each server has a table of its own.
func conformantRoutes() routesBehaviour {
	return routesBehaviour{
		table: map[string]func(c *call) answer{
			"GET " + fleetCardPath:                          fleetCard,
			"GET " + indexPath:                              index,
			"GET " + agentCardPath:                          agentCard,
			"POST " + sendPath:                              sendMessage,
			"POST " + streamPath:                            streamMessage,
			"GET " + inboxPath:                              openInbox,
			"GET " + activePath:                             snapshot,
			"GET " + tasksPath:                              listTasks,
			"GET " + taskPath:                               getTask,
			"POST " + taskPath + ":cancel":                  cancelTask,
			"POST " + taskPath + ":subscribe":               subscribeTask,
			"POST " + taskPath + "/pushNotificationConfigs": noPush,
			"GET " + taskPath + "/pushNotificationConfigs":  noPush,
			"GET " + agentPath + "/extendedAgentCard":       noExtendedCard,
		},
		ghost: func(c *call, name string) answer {
			return c.text(http.StatusNotFound, "there is no agent "+name)
		},
		otherMethod: func(c *call, allowed []string) answer {
			a := c.text(http.StatusMethodNotAllowed, "the method is not allowed here")
			slices.Sort(allowed)
			a.header.Set("Allow", strings.Join(slices.Compact(allowed), ", "))
			return a
		},
		unknown: func(c *call) answer { return c.text(http.StatusNotFound, "there is nothing at this path") },
	}
}
