// SPDX-License-Identifier: Apache-2.0

package fleet

import "net/http"

// speakEnvelopes makes the server speak the dialect that released servers were seen to speak: message:send takes a JSON-RPC
// envelope, of several methods, and nothing else; there is no message:stream.
func speakEnvelopes(b *behaviour) {
	b.messages.dispatch = sendEnvelope
	b.messages.stream = func(c *call) answer { return c.s.b.routes.unknown(c) }
}

// sendEnvelope answers a JSON-RPC envelope.
func sendEnvelope(c *call) answer {
	request, body, f := c.read()
	c.s.b.inbox.received(c, body)
	if f != nil && f.kind == malformed {
		return c.s.b.messages.refused(c, f)
	}
	id := request["id"]
	refuse := func(f *failure) answer {
		c.s.b.inbox.refused(c, body)
		e := object{"code": f.kind.rpc, "message": f.message}
		if details := f.details(); details != nil {
			e["data"] = details
		}
		return c.json(http.StatusOK, mediaJSON, object{"jsonrpc": "2.0", "id": id, "error": e})
	}
	if f != nil {
		return refuse(f)
	}
	method, named := request["method"].(string)
	params, is := request["params"].(object)
	switch {
	case request["jsonrpc"] != "2.0" || !named:
		return refuse(fail(invalidRequest, "the body is no JSON-RPC request"))
	case !is:
		params = object{}
	}
	result := func(v any) answer {
		return c.json(http.StatusOK, mediaJSON, object{"jsonrpc": "2.0", "id": id, "result": v})
	}
	switch method {
	case "SendMessage", "SendStreamingMessage":
		sent, f := c.s.b.input.sending(c, params)
		if f != nil {
			return refuse(f)
		}
		t := c.accept(sent)
		if method == "SendMessage" {
			return result(c.s.b.messages.wrapped(c, c.taskObject(t)))
		}
		return c.stream(t, func(item object) any { return object{"jsonrpc": "2.0", "id": id, "result": item} })
	case "GetTask", "CancelTask":
		name, _ := params["id"].(string)
		t := c.agent.taskOf(name)
		switch {
		case t == nil:
			return refuse(fail(taskNotFound, "there is no task of that id"))
		case method == "CancelTask":
			return refuse(fail(taskNotCancelable, "the task has ended"))
		}
		return result(c.taskObject(t))
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig":
		return refuse(fail(pushNotSupported, "there are no push notifications here"))
	}
	return refuse(fail(unknownMethod, "there is no such method"))
}
