// SPDX-License-Identifier: Apache-2.0

package plain

// elsewhereFaults break in one place what is kept in all others, where only who looks at everything sees it.
var elsewhereFaults = map[string]func(*behaviour){
	"refused-messages-without-an-envelope": func(b *behaviour) {
		b.errors.envelope = func(c *call, f *failure, e object) any {
			if f.kind == invalidParams && isOp(c, "SendMessage") {
				return e
			}
			return conformantErrors.envelope(c, f, e)
		}
	},
	"refused-messages-with-an-empty-body": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == invalidParams && isOp(c, "SendMessage") && c.binding == BindingREST {
				a.body = nil
			}
			return a
		}
	},
	"unknown-configs-without-a-reason": info(func(c *call, info object) {
		if isOp(c, "GetTaskPushNotificationConfig") {
			delete(info, "reason")
		}
	}),
	"rpc-refused-versions-without-id": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if e, is := v["error"].(object); is && e["code"] == versionNotSupported.rpc {
				v["id"] = nil
			}
			return v
		}
	},
	"rpc-subscriptions-with-another-id": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any {
			v := conformantStream.envelope(st, item)
			if response, is := v.(object); is && st.c.binding == BindingRPC && isOp(st.c, "SubscribeToTask") {
				response["id"] = "subscription"
			}
			return v
		}
	},
	"lists-with-artifacts-as-plain-text": func(b *behaviour) {
		b.rest.media = func(c *call) string {
			if isOp(c, "ListTasks") && c.r.URL.Query().Get("includeArtifacts") == "true" {
				return "text/plain; charset=utf-8"
			}
			return conformantREST.media(c)
		}
	},
	"subscriptions-bring-updates-without-context": itemsOfSubscriptions("statusUpdate", func(update object) { delete(update, "contextId") }),
	"subscriptions-bring-chunks-without-context":  itemsOfSubscriptions("artifactUpdate", func(update object) { delete(update, "contextId") }),
}

// isOp says whether a call is of an operation.
func isOp(c *call, name string) bool { return c.op != nil && c.op.name == name }

// itemsOfSubscriptions changes the updates of a kind in streams that somebody subscribed to.
func itemsOfSubscriptions(kind string, change func(update object)) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			v := conformantStream.item(st, ev)
			if update, is := v[kind].(object); is && isOp(st.c, "SubscribeToTask") {
				change(update)
			}
			return v
		}
	}
}
