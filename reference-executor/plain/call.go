// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"net/http"
)

// object is a JSON object as encoding/json reads it.
type object = map[string]any

// The media types of the bindings.
const (
	mediaA2A  = "application/a2a+json"
	mediaJSON = "application/json"
	mediaSSE  = "text/event-stream"
)

// A call is one request for an operation, whatever the binding it came over.
type call struct {
	s       *Server
	r       *http.Request // nil for what the server sends of itself
	binding string
	version string // that is spoken: "1.0" or "0.3"
	op      *operation
	params  object // the request object
	who     principal
	active  []string        // the extensions that the client asked for and the card declares
	id      json.RawMessage // of the JSON-RPC request; nil: null
}

// An outcome is what an operation came to.
type outcome struct {
	result any        // the result object; nil: an empty one
	status int        // of the REST answer; 0: 200
	stream *following // in place of result
}

// An operation is one of the eleven.
type operation struct {
	name   string
	legacy string // its method in 0.3
	needs  string // what the card must declare for it
	writes bool   // refused to principals that may only read
	sends  bool   // a required extension must be named
	task   string // the member of the request object that names the task, of those that address one
	run    func(c *call) (outcome, *failure)
}

// operations are the eleven, filled in by init because what they run looks back at them.
var operations []*operation

func init() {
	operations = []*operation{
		{name: "SendMessage", legacy: "message/send", writes: true, sends: true, run: sendMessage},
		{name: "SendStreamingMessage", legacy: "message/stream", needs: "streaming", writes: true, sends: true, run: sendStreaming},
		{name: "GetTask", legacy: "tasks/get", task: "id", run: getTask},
		{name: "ListTasks", run: listTasks},
		{name: "CancelTask", legacy: "tasks/cancel", writes: true, task: "id", run: cancelTask},
		{name: "SubscribeToTask", legacy: "tasks/resubscribe", needs: "streaming", task: "id", run: subscribe},
		{name: "CreateTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/set", needs: "pushNotifications", writes: true, task: "taskId", run: createConfig},
		{name: "GetTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/get", needs: "pushNotifications", task: "taskId", run: getConfig},
		{name: "ListTaskPushNotificationConfigs", legacy: "tasks/pushNotificationConfig/list", needs: "pushNotifications", task: "taskId", run: listConfigs},
		{name: "DeleteTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/delete", needs: "pushNotifications", writes: true, task: "taskId", run: deleteConfig},
		{name: "GetExtendedAgentCard", legacy: "agent/getAuthenticatedExtendedCard", needs: "extendedAgentCard", run: extendedCard},
	}
}

// operationOf finds an operation by its name; nil: there is none.
func operationOf(name string) *operation {
	for _, op := range operations {
		if op.name == name {
			return op
		}
	}
	return nil
}

// admit says whether an authenticated call in a known version may be made: permission, capability, extensions.
func (c *call) admit() *failure {
	b := c.s.b
	if f := b.security.forbids(c); f != nil {
		return f
	}
	if f := b.card.lacks(c, c.op); f != nil {
		return f
	}
	c.active = b.extensions.active(c.s, b.extensions.asked(c.r.Header))
	return b.extensions.refuses(c)
}

// perform runs the operation of an admitted call, whose params have been read.
func (c *call) perform() (outcome, *failure) {
	if f := c.s.b.input.tenant(c); f != nil {
		return outcome{}, f
	}
	return c.op.run(c)
}
