// SPDX-License-Identifier: Apache-2.0

package appserver

import "time"

// A spec is a kind of sandbox.
type spec struct {
	id      string
	command []string
	env     map[string]string
	folder  string
	created time.Time
}

// specs in their order; the first one is the default.
var specs = []*spec{
	{
		id: "agent-server:1.1.0-python", command: []string{"--port", "8000"}, folder: "/workspace/project",
		env:     map[string]string{"OPENVSCODE_SERVER_ROOT": "/openhands/.openvscode-server", "LOG_JSON": "true"},
		created: time.Date(2025, 11, 12, 9, 30, 0, 0, time.UTC),
	},
	{
		id: "agent-server:1.1.0-node", folder: "/workspace", env: map[string]string{},
		created: time.Date(2025, 11, 12, 9, 45, 0, 0, time.UTC),
	},
}

func (v *spec) of() *user { return nil }

// shown is what is told of a spec.
func (v *spec) shown(c *call) any {
	var command any
	if v.command != nil {
		command = v.command
	}
	env := object{}
	for name, value := range v.env {
		env[name] = value
	}
	return object{
		"id": v.id, "command": command, "created_at": c.s.b.times.spec(c, v.created), "initial_env": env, "working_dir": v.folder,
	}
}

func specNamed(id string) *spec {
	for _, v := range specs {
		if v.id == id {
			return v
		}
	}
	return nil
}

func findSpecs(*call, *query, func(*user) bool) []record {
	all := make([]record, len(specs))
	for i, v := range specs {
		all[i] = v
	}
	return all
}

func getSpec(_ *call, id string) record {
	if v := specNamed(id); v != nil {
		return v
	}
	return nil
}

// timesBehaviour is how times are written, by what they belong to.
type timesBehaviour struct {
	conversation func(c *call, t time.Time) any
	start        func(c *call, t time.Time) any
	sandbox      func(c *call, t time.Time) any
	spec         func(c *call, t time.Time) any
}

var conformantTimes = timesBehaviour{
	conversation: func(_ *call, t time.Time) any { return stamp(t) },
	start:        func(_ *call, t time.Time) any { return stamp(t) },
	sandbox:      func(_ *call, t time.Time) any { return stamp(t) },
	spec:         func(_ *call, t time.Time) any { return stamp(t) },
}
