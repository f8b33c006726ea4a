// SPDX-License-Identifier: Apache-2.0

package profiles

// A Protocol is the operations that suites of a profile name in place of a method and a URL. The runner sends them to the
// interfaces that the card of a target declares, in the form of whichever binding a row of a test is played over; over JSON-RPC
// and gRPC the name is the method.
type Protocol struct {
	Name       string // "A2A"
	Operations []Operation
}

// An Operation is one of a protocol, with its route in the HTTP+JSON binding.
type Operation struct {
	Name    string // "GetTask"
	Method  string // "GET"
	Path    string // behind the URL of the interface. What stands in braces is a member of the request object; the others go into the query or the body
	Whole   bool   // the body has those of the path as well
	Streams bool   // it is answered with a stream
}

// Of is an operation by its name; false: the protocol has none.
func (p Protocol) Of(name string) (Operation, bool) {
	for _, o := range p.Operations {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}

// Names are the names of the operations, in their order.
func (p Protocol) Names() []string {
	all := make([]string, len(p.Operations))
	for i, o := range p.Operations {
		all[i] = o.Name
	}
	return all
}

// a2aOperations are the eleven operations of A2A 1.0 (section 5.3, 11.3).
var a2aOperations = Protocol{"A2A", []Operation{
	{Name: "SendMessage", Method: "POST", Path: "/message:send"},
	{Name: "SendStreamingMessage", Method: "POST", Path: "/message:stream", Streams: true},
	{Name: "GetTask", Method: "GET", Path: "/tasks/{id}"},
	{Name: "ListTasks", Method: "GET", Path: "/tasks"},
	{Name: "CancelTask", Method: "POST", Path: "/tasks/{id}:cancel"},
	{Name: "SubscribeToTask", Method: "POST", Path: "/tasks/{id}:subscribe", Streams: true},
	{Name: "CreateTaskPushNotificationConfig", Method: "POST", Path: "/tasks/{taskId}/pushNotificationConfigs", Whole: true}, // AMB-10
	{Name: "GetTaskPushNotificationConfig", Method: "GET", Path: "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	{Name: "ListTaskPushNotificationConfigs", Method: "GET", Path: "/tasks/{taskId}/pushNotificationConfigs"},
	{Name: "DeleteTaskPushNotificationConfig", Method: "DELETE", Path: "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	{Name: "GetExtendedAgentCard", Method: "GET", Path: "/extendedAgentCard"},
}}
