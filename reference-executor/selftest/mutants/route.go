// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"encoding/json"
	"regexp"
	"strings"
)

// named are the segments behind which an id stands, and how the id is written in a template.
var named = map[string]string{
	"agents": "{iid}", "instances": "{iid}", "tasks": "{tid}", "sessions": "{sid}", "pty": "{sid}", "pushNotificationConfigs": "{cid}",
	"artifacts": "{aid}", "contexts": "{id}",
}

// generated matches what looks made by a machine: it holds a digit and is long, or is a UUID.
var generated = regexp.MustCompile(`^[0-9A-Za-z_.~%-]*[0-9][0-9A-Za-z_.~%-]*$`)

// fixed are segments with digits that are part of a route.
var fixed = map[string]bool{"v1": true, "v2": true, "a2a": true, "v1-counters": true}

// longestName is the longest segment that is a name of something: what suites ask for in vain may be all letters, and findings cut it.
const longestName = 64

// Template is a path without the ids in it: "/agents/{iid}/v1/tasks/{tid}:cancel".
func Template(path string) string {
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		id, verb, has := strings.Cut(segment, ":")
		if has {
			verb = ":" + verb
		}
		before := ""
		if i > 0 {
			before = segments[i-1]
		}
		switch {
		case id == "" || fixed[id] || strings.HasPrefix(id, "."):
		case before == "agents": // some have names in place of ids
			segments[i] = named[before] + verb
		case generated.MatchString(id) && len(id) >= 8, strings.Contains(id, "marker-"), len(id) > longestName: // a marker of the suites may be all letters
			name := named[before]
			if name == "" {
				name = "{id}"
			}
			segments[i] = name + verb
		}
	}
	return strings.Join(segments, "/")
}

// rpcMethod is the method of a JSON-RPC request, "" of anything else.
func rpcMethod(body []byte) string {
	var call struct {
		Version string `json:"jsonrpc"`
		Method  any    `json:"method"`
	}
	if json.Unmarshal(body, &call) != nil || call.Version == "" {
		return ""
	}
	method, _ := call.Method.(string)
	if len(method) > 40 {
		return "?"
	}
	return method
}
