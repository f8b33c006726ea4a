// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

var frameBreaches = map[string]breach{
	"duplicate-json-member": func(d *deployed) string {
		op, _ := d.open(d.session(nil), testToken).await("greeting", func(received) bool { return true }).env["op"].(string)
		return differs("op", op, opHello)
	},
	"op-unregistered":       every(func(r received) string { return differs("odd op", r.env["op"] == "server info", false) }),
	"id-uuid4":              every(func(r received) string { return differs("a v7 id", uuidV7.MatchString(fmt.Sprint(r.env["id"])), true) }),
	"ts-missing-on-replies": every(func(r received) string { return differs("ts given", r.env["ts"] != nil, true) }),
	"payload-array": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		task := a.task()
		_, ok := a.answer(a.send("Unsubscribe", map[string]any{"task_id": task}))["payload"].(map[string]any)
		return differs("an object", ok, true)
	},
	"sequence-missing-on-keyframe": every(func(r received) string {
		return differs("sequence given", r.env["op"] != opTerminal || r.env["sequence"] != nil, true)
	}),
	"envelope-extra":       every(func(r received) string { return differs("seq given", r.env["seq"] != nil, false) }),
	"reply-id-upper-cased": every(func(r received) string { return differs("id", strings.ToLower(fmt.Sprint(r.env["id"])), r.env["id"]) }),
	"constant-stream-id": func(d *deployed) string {
		a, _ := d.pair(testToken)
		ids := map[any]bool{}
		for _, r := range a.seen {
			if ids[r.env["id"]] {
				return fmt.Sprintf("id %v came twice", r.env["id"])
			}
			ids[r.env["id"]] = true
		}
		return ""
	},
	"duplicate-reply": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		for range 10 {
			a.send("ListTasks", map[string]any{})
		}
		return differs("replies", strings.Count(kindsOf(a.until(0)), "ListTasks.Response"), 10)
	},
	"batch-accepted":            rejects(codeInvalidRequest, func(c *client) { c.write("[" + listing() + "]") }),
	"jsonl-accepted":            rejects(codeInvalidRequest, func(c *client) { c.write(listing() + "\n" + listing()) }),
	"coerce-types":              rejects(codeInvalidRequest, func(c *client) { c.write(strings.Replace(listing(), `"payload":{}`, `"payload":[]`, 1)) }),
	"ts-not-required":           rejects(codeInvalidRequest, func(c *client) { c.write(fmt.Sprintf(`{"op":"ListTasks","id":%q,"payload":{}}`, newUUIDv7())) }),
	"missing-task-id-not-found": rejects(codeInvalidRequest, func(c *client) { c.send("GetTask", map[string]any{}) }),
	"client-sequence-adopted": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.answer(a.send("ListTasks", map[string]any{}, "sequence", 100000))
		a.typeText("marker\n")
		a.sees("marker")
		return differs("a jump", sequenceOf(a.seen[a.next-1]) > 1000, false)
	},
	"utf8-replaced": func(d *deployed) string {
		text := strings.Replace(listing(), `"payload":{}`, "\"payload\":{\"x\":\"\xc3\x28\"}", 1)
		return differs("answer", rawAnswer(d, textFrame(text)), "1007")
	},
	"fragments-as-frames": func(d *deployed) string {
		text := []byte(listing())
		return differs("answer", rawAnswer(d, clientFrame(ws.Header{OpCode: ws.OpText}, text[:20]),
			clientFrame(ws.Header{Fin: true, OpCode: ws.OpContinuation}, text[20:])), "ListTasks.Response<nil>")
	},
	"unmasked-accepted": func(d *deployed) string {
		var b bytes.Buffer
		_ = ws.WriteFrame(&b, ws.NewTextFrame([]byte(listing())))
		return differs("answer", rawAnswer(d, b.Bytes()), "1002")
	},
	"oversize-kills-session": func(d *deployed) string {
		id := d.session(nil)
		a := d.open(id, testToken)
		a.op(opHello)
		conn, _ := d.knockOpen("GET", d.attachURL(id), handshake(nil))
		_, _ = conn.Write([]byte{0x81, 0xff, 0, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4})
		for h, err := ws.ReadHeader(conn); err == nil && h.OpCode != ws.OpClose; h, err = ws.ReadHeader(conn) {
			_, _ = readPayload(conn, h)
		}
		return differs("the other lives", a.alive(), true)
	},
	"binary-on-json": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.writeBinary([]byte("PW1Imarker\n"))
		return differs("output", sawText(a.until(200*time.Millisecond), "marker"), false)
	},
	"activation-per-frame": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("ListTasks", map[string]any{}, activating...)
		a.send("pty.join_session", map[string]any{"role": roleController})
		return differs("a role", strings.Contains(kindsOf(a.until(0)), kindRole), true)
	},
	"foreign-session-ignored": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return differs("code", a.answered("ListTasks", map[string]any{"session_id": newUUIDv7()}), codeInvalidRequest)
	},
	"foreign-session-routed": func(d *deployed) string {
		a, _ := d.pair(testToken)
		two := d.session(nil)
		b := d.open(two, testToken)
		b.join(roleController)
		a.send("pty.session_input", map[string]any{"data": "bWFya2VyCg==", "session_id": two})
		a.settle()
		return differs("output", sawText(b.until(200*time.Millisecond), "marker"), false)
	},
	"hello-second": func(d *deployed) string {
		r := d.open(d.session(nil), testToken).await("first frame", func(received) bool { return true })
		return differs("first op", r.env["op"], opHello)
	},
	"hello-repeated": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("pty.join_session", map[string]any{"role": roleController}, activating...)
		return differs("greetings", strings.Count(kindsOf(a.until(0)), opHello), 1)
	},
	"hello-without-sequence": greeting(func(hello, _ map[string]any) string { return differs("sequence", hello["sequence"], 0) }),
	"wrong-binding-uri":      greeting(func(_, p map[string]any) string { return differs("URI", p["binding_uri"], pty.BindingURI) }),
	"op-not-advertised": greeting(func(_, p map[string]any) string {
		return differs("advertised", slices.Contains(p["supported_operations"].([]any), any("SubscribeToTask")), true)
	}),
	"advertised-not-implemented": func(d *deployed) string {
		return d.open(d.session(nil), testToken).answered("ListTasks", map[string]any{})
	},
	"session-id-blank": greeting(func(_, p map[string]any) string {
		return differs("blank", p["session"].(map[string]any)["session_id"] == "", false)
	}),
	"current-sequence-zero": func(d *deployed) string {
		id := d.session(nil)
		d.open(id, testToken).join(roleController)
		p := payloadOf(d.open(id, testToken).op(opHello))
		return differs("zero", fmt.Sprint(p["session"].(map[string]any)["current_sequence"]) == "0", false)
	},
	"activates-unknown": greeting(func(_, p map[string]any) string {
		return differs("unknown", strings.Contains(fmt.Sprint(p["activated_extensions"]), "unknown"), false)
	}),
	"default-backend-unsupported": greeting(func(_, p map[string]any) string {
		return differs("backend", p["session_host"].(map[string]any)["default_backend"], backendNative)
	}),
	"payload-mode-wrong": greeting(func(_, p map[string]any) string {
		return differs("binary", p["payload_mode"].(map[string]any)["binary"], true)
	}),
	"error-without-message": failing(func(p map[string]any) string { return differs("message given", p["message"] != nil, true) }),
	"a2a-error-null":        failing(func(p map[string]any) string { return differs("a2a_error given", p["a2a_error"] != nil, true) }),
	"a2a-error-mismatch": failing(func(p map[string]any) string {
		return differs("type", p["a2a_error"].(map[string]any)["type"], "TaskNotFound")
	}),
	"close-on-error": func(d *deployed) string {
		text := fmt.Sprintf(`{"op":"GetTask","id":%q,"ts":%q,"payload":{"task_id":"x"}}`, newUUIDv7(), now())
		a := d.open(d.session(nil), testToken)
		a.write(text)
		a.op(opError)
		return differs("alive", a.alive(), true)
	},
	"close-code-4999": func(d *deployed) string { return differs("close", rawAnswer(d, []byte{0x81, 0}), "1002") },
	"close-unanswered": func(d *deployed) string {
		return differs("close", rawAnswer(d, clientFrame(ws.Header{Fin: true, OpCode: ws.OpClose}, []byte{3, 232})), "1000")
	},
	"close-answered-with-one-byte": func(d *deployed) string {
		return differs("close", rawAnswer(d, clientFrame(ws.Header{Fin: true, OpCode: ws.OpClose}, []byte{3, 232})), "1000")
	},
	"pong-empty": func(d *deployed) string {
		return differs("pong", rawAnswer(d, clientFrame(ws.Header{Fin: true, OpCode: ws.OpPing}, []byte("data"))), "pong data")
	},
	"ping-unanswered": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("ping", map[string]any{"client_ts": now()})
		a.answer(a.send("ListTasks", map[string]any{})) // requests are served in turn
		return differs("answered", strings.Contains(kindsOf(a.seen), "pong"), true)
	},
	"pong-without-server-ts": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return differs("server_ts given", payloadOf(a.answer(a.send("ping", map[string]any{"client_ts": now()})))["server_ts"] != nil, true)
	},
	"lists-name-a-position": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return differs("replay_from", a.answer(a.send("ListTasks", map[string]any{}))["replay_from"], nil)
	},
	"unknown-op-ignored": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.op(opHello)
		a.send("NoSuchOp", map[string]any{})
		return differs("answers", kindsOf(a.until(0)), "Error pong")
	},
	"push-ops-silent": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.op(opHello)
		a.send("GetTaskPushNotificationConfig", map[string]any{})
		return differs("answers", kindsOf(a.until(0)), "Error pong")
	},
	"limit-drops-frames": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.op(opHello)
		d.ask("POST", "/operator/rate-limit", map[string]any{"requests": 1, "connections": 0})
		a.send("ListTasks", map[string]any{})
		a.send("ListTasks", map[string]any{})
		// What is no envelope is refused before the limit is asked: once that is said, both requests have been served.
		id := newUUIDv7()
		a.write(fmt.Sprintf(`{"op":"ping","id":%q}`, id))
		a.answer(id)
		return differs("answers", kindsOf(a.seen[1:a.next]), "ListTasks.Response Error Error")
	},
	"internal-hang": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.op(opHello)
		d.ask("POST", "/operator/internal-fault", nil)
		a.send("ListTasks", map[string]any{})
		return differs("answers", kindsOf(a.until(0)), "Error pong")
	},
}

// failing judges the payload of an Error.
func failing(judge func(p map[string]any) string) breach {
	return func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return judge(payloadOf(a.answer(a.send("GetTask", map[string]any{"task_id": newUUIDv7()}))))
	}
}

var taskBreaches = map[string]breach{
	"sendmessage-without-status": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return differs("status given", payloadOf(a.answer(a.send("SendMessage", textMessage("x"))))["task"].(map[string]any)["status"] != nil, true)
	},
	"task-not-stored": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return a.answered("GetTask", map[string]any{"task_id": a.task()})
	},
	"ws-tasks-separate": func(d *deployed) string {
		_, sent := d.ask("POST", strings.TrimPrefix(d.InstanceURLs()[0], d.URL())+"/v1/messages:send", textMessage("x"))
		return d.open(d.session(nil), testToken).answered("GetTask", map[string]any{"task_id": sent["id"]})
	},
	"gettask-wrong-task": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		first := a.task()
		a.task()
		return differs("id", payloadOf(a.answer(a.send("GetTask", map[string]any{"task_id": first})))["task"].(map[string]any)["id"], first)
	},
	"gettask-always-with-history": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		shown := payloadOf(a.answer(a.send("GetTask", map[string]any{"task_id": a.task(), "history_length": 0})))["task"].(map[string]any)
		history, _ := shown["history"].([]any)
		return differs("messages in the history", len(history), 0)
	},
	"listtasks-token-is-an-object": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return differs("token", payloadOf(a.answer(a.send("ListTasks", map[string]any{})))["next_page_token"], nil)
	},
	"listtasks-omits-new": listed(nil, func(n int) string { return differs("tasks", n, 3) }),
	"page-size-ignored":   listed(map[string]any{"page_size": 2}, func(n int) string { return differs("tasks", n, 2) }),
	"silent-session-scope": func(d *deployed) string {
		_, sent := d.ask("POST", strings.TrimPrefix(d.InstanceURLs()[0], d.URL())+"/v1/messages:send", textMessage("x"))
		a := d.open(d.session(nil), testToken)
		all := fmt.Sprint(payloadOf(a.answer(a.send("ListTasks", map[string]any{})))["tasks"])
		notes := d.card()["bindings"].([]any)[0].(map[string]any)["notes"]
		return differs("listed or announced", strings.Contains(all, sent["id"].(string)) || notes != nil, true)
	},
	"accepted-camel-case": streamed(func(accepted map[string]any, _ []received) string {
		return differs("task_id given", payloadOf(accepted)["task_id"] != nil, true)
	}),
	"update-before-accepted": streamed(func(accepted map[string]any, list []received) string {
		first := slices.IndexFunc(list, func(r received) bool { return r.env["op"] == opUpdate || r.env["id"] == accepted["id"] })
		return differs("first op", list[first].env["op"], accepted["op"])
	}),
	"delta-missing": streamed(func(_ map[string]any, list []received) string {
		return differs("delta given", payloadOf(updates(list)[0].env)["delta"] != nil, true)
	}),
	"update-after-terminal": streamed(func(_ map[string]any, list []received) string {
		last := updates(list)
		return differs("last state", payloadOf(last[len(last)-1].env)["delta"].(map[string]any)["status"].(map[string]any)["state"], canceled)
	}),
	"cancel-silent": streamed(func(_ map[string]any, list []received) string {
		return differs("told", strings.Contains(fmt.Sprint(updates(list)), canceled), true)
	}),
	"params-not-propagated": streamed(func(_ map[string]any, list []received) string {
		last := updates(list)
		return differs("trace", strings.Contains(fmt.Sprint(last[len(last)-1]), "trace-one"), true)
	}),
	"params-of-an-example": streamed(func(_ map[string]any, list []received) string {
		last := updates(list)
		return differs("trace", strings.Contains(fmt.Sprint(last[len(last)-1]), "trace-one"), true)
	}),
	"params-update-ignored": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.answer(a.send("UpdateServiceParameters", map[string]any{"service_parameters": map[string]any{"trace_id": "trace-two"}}))
		id := payloadOf(a.answer(a.send("SendStreamingMessage", textMessage("x"))))["task_id"]
		a.send("CancelTask", map[string]any{"task_id": id})
		return differs("trace", strings.Contains(fmt.Sprint(a.op(opUpdate)), "trace-two"), true)
	},
	"cancel-stale-snapshot": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return differs("state", frameState(d.t, payloadOf(a.answer(a.send("CancelTask", map[string]any{"task_id": a.task()})))["task"]), canceled)
	},
	"cancel-twice-ok": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		id := map[string]any{"task_id": a.task()}
		a.answer(a.send("CancelTask", id))
		return differs("code", a.answered("CancelTask", id), codeTaskNotCancelable)
	},
	"subscribe-without-sequence": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		return differs("sequence given", payloadOf(a.answer(a.send("SubscribeToTask", map[string]any{"task_id": a.task()})))["current_sequence"] != nil, true)
	},
	"subscribe-unknown-accepted": func(d *deployed) string {
		return differs("code", d.open(d.session(nil), testToken).answered("SubscribeToTask", map[string]any{"task_id": newUUIDv7()}), codeTaskNotFound)
	},
	"subscribe-ignores-replay": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		id := a.task()
		a.send("SubscribeToTask", map[string]any{"task_id": id})
		a.answer(a.send("CancelTask", map[string]any{"task_id": id}))
		for range 500 { // until there is something to replay
			if strings.Contains(kindsOf(a.seen), opUpdate) {
				break
			}
			a.settle()
		}
		b := d.open(a.session(), testToken)
		b.send("SubscribeToTask", map[string]any{"task_id": id}, "replay_from", 0)
		return differs("told", strings.Contains(kindsOf(b.until(0)), opUpdate), true)
	},
	"unsubscribe-silent": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		id := a.task()
		a.send("Unsubscribe", map[string]any{"task_id": id})
		return differs("answers", strings.Contains(kindsOf(a.until(0)), "Unsubscribe.Response"), true)
	},
	"unsubscribe-ignored": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		id := map[string]any{"task_id": a.task()}
		a.answer(a.send("SubscribeToTask", id))
		a.answer(a.send("Unsubscribe", id))
		a.answer(a.send("CancelTask", id))
		a.until(100 * time.Millisecond)
		return differs("told", strings.Contains(fmt.Sprint(updates(a.seen)), canceled), false)
	},
}

func listed(payload map[string]any, judge func(n int) string) breach {
	return func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		for range 3 {
			a.task()
		}
		if payload == nil {
			payload = map[string]any{}
		}
		return judge(len(payloadOf(a.answer(a.send("ListTasks", payload)))["tasks"].([]any)))
	}
}
