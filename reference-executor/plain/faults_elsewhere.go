// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

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
	"refused-messages-with-an-empty-body": refusedMessages(invalidParams, func(a *answer) { a.body = nil }),
	"messages-to-unknown-tasks-without-details": func(b *behaviour) {
		b.errors.envelope = func(c *call, f *failure, e object) any {
			if f.kind == taskNotFound && isOp(c, "SendMessage") && c.binding == BindingREST {
				delete(e, "details")
			}
			return conformantErrors.envelope(c, f, e)
		}
	},
	"messages-to-unknown-tasks-are-answered-with-nothing": refusedMessages(taskNotFound, func(a *answer) { a.body = nil }),
	"messages-to-unknown-tasks-are-answered-with-a-web-page": refusedMessages(taskNotFound, func(a *answer) {
		a.header.Set("Content-Type", "text/html; charset=utf-8")
		a.body = []byte("<!doctype html><title>Not found</title>")
	}),
	"streams-are-refused-to-others-in-half": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			a := c.refuse(f)
			if c.who.name != "second" {
				return a
			}
			whole := a.body
			a.header.Set("Content-Length", strconv.Itoa(len(whole)))
			a.stream = func(w http.ResponseWriter) {
				_, _ = w.Write(whole[:len(whole)/2])
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
			return a
		}
	},
	"deletions-of-nothing-are-refused-with-a-web-page": refusedDeletions(func(a *answer) {
		a.header.Set("Content-Type", "text/html; charset=utf-8")
		a.body = []byte("<!doctype html><title>Not found</title>")
	}),
	"deletions-of-nothing-are-refused-twice-in-one-body": refusedDeletions(func(a *answer) {
		a.body = bytes.Repeat(a.body, 2)
	}),
	"unknown-configs-without-a-reason": info(func(c *call, info object) {
		if isOp(c, "GetTaskPushNotificationConfig") {
			delete(info, "reason")
		}
	}),
	"unknown-configs-with-infos-of-another-type": info(func(c *call, info object) {
		if isOp(c, "GetTaskPushNotificationConfig") {
			info["@type"] = "type.googleapis.com/google.rpc.ErrorInformation"
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
	"listed-contexts-are-numbers": listedTask(func(_ task, v object) object {
		v["contextId"] = 7
		return v
	}),
	"status-messages-are-texts": shownStatus(func(_ task, v object) {
		if _, says := v["message"]; says {
			v["message"] = "done"
		}
	}),
	"status-messages-of-task-7": shownStatus(func(_ task, v object) {
		if message, says := v["message"].(object); says {
			message["taskId"] = 7
		}
	}),
	"lists-misquote-the-client": listedHistory(func(message object) any {
		for _, part := range message["parts"].([]any) {
			if text, has := part.(object)["text"].(string); has {
				part.(object)["text"] = strings.ToUpper(text) + "!"
			}
		}
		return message
	}),
	"lists-show-bare-texts-as-history": listedHistory(func(object) any { return "hello" }),
	"lists-show-histories-without-ids": listedHistory(func(message object) any {
		if message["role"] == "ROLE_USER" {
			delete(message, "messageId")
		}
		return message
	}),
	"pages-without-a-total": func(b *behaviour) {
		b.output.list = func(c *call, v object) {
			if v["nextPageToken"] != "" {
				delete(v, "totalSize")
			}
		}
	},
	"extended-card-with-a-nameless-skill": extendedWith(func(card object) {
		for _, skill := range card["skills"].([]any) {
			delete(skill.(object), "name")
		}
	}),
	"no-challenge-to-wrong-tokens":      challengeToWrongTokens(""),
	"another-challenge-to-wrong-tokens": challengeToWrongTokens(`Basic realm="a2a"`),
	"streams-of-long-work-are-called-plain-text": func(b *behaviour) {
		b.stream.header = func(c *call, h http.Header) {
			conformantStream.header(c, h)
			if message, is := c.params["message"].(object); is && strings.Contains(fmt.Sprint(message["parts"]), "long") {
				h.Set("Content-Type", "text/plain; charset=utf-8")
			}
		}
	},
	"subscriptions-bring-two-things-at-once": func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			v := conformantStream.item(st, ev)
			if _, is := v["statusUpdate"]; is && isOp(st.c, "SubscribeToTask") {
				v["message"] = object{}
			}
			return v
		}
	},
	"subscriptions-bring-lists": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any {
			v := conformantStream.envelope(st, item)
			if st.c.binding == BindingREST && isOp(st.c, "SubscribeToTask") && item["task"] == nil {
				return []any{v}
			}
			return v
		}
	},
	"subscriptions-bring-updates-of-another-context": itemsOfSubscriptions("statusUpdate", func(update object) { update["contextId"] = "another" }),
	"subscriptions-bring-updates-without-context":    itemsOfSubscriptions("statusUpdate", func(update object) { delete(update, "contextId") }),
	"subscriptions-bring-chunks-without-context":     itemsOfSubscriptions("artifactUpdate", func(update object) { delete(update, "contextId") }),
}

// isOp says whether a call is of an operation.
func isOp(c *call, name string) bool { return c.op != nil && c.op.name == name }

// refusedMessages changes how a message is refused over HTTP+JSON for one reason.
func refusedMessages(kind *errorKind, change func(a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == kind && isOp(c, "SendMessage") && c.binding == BindingREST {
				change(&a)
			}
			return a
		}
	}
}

// refusedDeletions changes how a deletion is refused over HTTP+JSON where there is nothing to delete.
func refusedDeletions(change func(a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == taskNotFound && isOp(c, "DeleteTaskPushNotificationConfig") && c.binding == BindingREST {
				change(&a)
			}
			return a
		}
	}
}

// listedHistory changes the messages in the histories of listed tasks.
func listedHistory(change func(message object) any) func(*behaviour) {
	return listedTask(func(_ task, v object) object {
		history, _ := v["history"].([]any)
		for i, message := range history {
			history[i] = change(message.(object))
		}
		return v
	})
}

// challengeToWrongTokens changes the challenge of those who show a token that is none.
func challengeToWrongTokens(challenge string) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == unauthenticated && c.r.Header.Get("Authorization") != "" {
				a.header.Del("WWW-Authenticate")
				if challenge != "" {
					a.header.Set("WWW-Authenticate", challenge)
				}
			}
			return a
		}
	}
}

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
