// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTaskWorksUntilCanceled(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	sent := b.do("POST", "v1/messages:send", say1(newID(), "grüße", `,"contextId":"ctx-1"`), "A2A-Extensions", both)
	if got := stateOf(sent.json); got != submitted {
		t.Errorf("state is %s, want submitted", got)
	}
	id := sent.json["id"].(string)
	if r := b.do("GET", sent.header.Get("Location"), ""); r.json["id"] != id {
		t.Errorf("Location leads to %v", r.json["id"])
	}
	working := b.reaches(id, working)
	if working["contextId"] != "ctx-1" {
		t.Errorf("contextId is %v", working["contextId"])
	}
	metadata := working["metadata"].(map[string]any)
	if in := b.e.instances.all()[0]; metadata["runtime.instance_id"] != in.ID || metadata["runtime.kind"] != "vm" {
		t.Errorf("metadata is %v", metadata)
	}
	again := b.do("POST", "v1/messages:send", say1(newID(), "more", `,"taskId":"`+id+`"`))
	if again.json["id"] != id {
		t.Errorf("a continued task has id %v", again.json["id"])
	}
	b.do("POST", "v1/messages:send", say1(newID(), "more", `,"taskId":"`+id+`","contextId":"ctx-2"`)).want(t, "other context", 400, "task.context_mismatch")
	ended := b.do("POST", "v1/tasks/"+id+"/cancel", "")
	if stateOf(ended.json) != canceled || ended.json["status"].(map[string]any)["terminal_at"] == nil {
		t.Errorf("cancel answers %s", ended.body)
	}
	b.do("POST", "v1/messages:send", say1(newID(), "more", `,"taskId":"`+id+`"`)).want(t, "message to an ended task", 409, "task.not_continuable")
	second := strings.TrimPrefix(b.e.InstanceURLs()[1], b.e.URL())
	for _, path := range []string{"/v1/tasks/" + id, "/v1/tasks/" + id + "/subscribe", "/v1/tasks/" + id + "/pushNotificationConfigs"} {
		b.do("GET", second+path, "").want(t, "under the other instance: "+path, 404, "task.not_found")
	}
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	for text, state := range map[string]string{
		"scenario: completed": completed, "scenario: failed": failed, "scenario: broken": failed, "scenario: rejected": rejected,
		"scenario: input-required": inputRequired, "scenario: auth-required": authRequired, "scenario: slow 50ms then completed": completed,
		"scenario: unheard of": working, "hello": working,
	} {
		task := b.reaches(b.send(text), state)
		status := task["status"].(map[string]any)
		if (status["fail_kind"] != nil) != (state == failed) {
			t.Errorf("%s: fail_kind is %v", text, status["fail_kind"])
		}
		if (status["terminal_at"] != nil) != terminal(state) {
			t.Errorf("%s: terminal_at is %v", text, status["terminal_at"])
		}
	}
	blocking := strings.Replace(say1(newID(), "scenario: completed", ""), `"blocking":false`, `"blocking":true`, 1)
	if r := b.do("POST", "v1/messages:send", blocking); stateOf(r.json) != completed {
		t.Errorf("a blocking send answers %s", r.body)
	}
}

func TestPromptsAreAnswered(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	id := b.send("scenario: input-required")
	task := b.reaches(id, inputRequired)
	metadata := task["status"].(map[string]any)["message"].(map[string]any)["metadata"].(map[string]any)
	envelope := metadata[uriHITL].(map[string]any)
	prompt := envelope["prompt_id"].(string)
	answer := func(prompt, payload string) httpAnswer {
		return b.do("POST", "v1/messages:send", say1(newID(), "yes", fmt.Sprintf(`,"taskId":%q,"metadata":{"hitl_response_for":{"prompt_id":%q,"payload":%s}}`, id, prompt, payload)))
	}
	if r := b.do("GET", "v1/tasks/"+id, ""); strings.Contains(string(r.body), "prompt_id") {
		t.Error("the prompt is shown without activation")
	}
	answer(newID(), `{"decision":"approve"}`).want(t, "unknown prompt", 409, "hitl_already_answered_or_unknown")
	for payload, path := range map[string]string{
		`{"decision":7}`:                      "/decision",
		`{}`:                                  "/decision",
		`{"decision":"maybe"}`:                "/decision",
		`{"decision":"approve","x/y":1}`:      "/x~1y",
		`{"decision":"approve","comment":[]}`: "/comment",
	} {
		r := answer(prompt, payload)
		r.want(t, payload, 422, "hitl_response_invalid")
		errors, _ := r.json["validation_errors"].([]any)
		if len(errors) == 0 || errors[0].(map[string]any)["path"] != path {
			t.Errorf("%s: validation_errors are %v, want path %s", payload, errors, path)
		}
	}
	answer(prompt, `"text"`).want(t, "payload is no object", 400, "hitl_response.invalid_envelope")
	if r := answer(prompt, `{"decision":"approve"}`); r.status != 202 || stateOf(r.json) != working {
		t.Errorf("the answer is answered %d %s", r.status, r.body)
	}
	answer(prompt, `{"decision":"approve"}`).want(t, "second answer", 409, "hitl_already_answered_or_unknown")
	b.reaches(id, completed)
	answer(prompt, `{"decision":"approve"}`).want(t, "answer after the end", 409, "hitl_already_answered_or_unknown")
}

func TestListIsWalkedToTheEnd(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	var mu sync.Mutex
	var sent []string
	var all sync.WaitGroup
	for range 37 {
		all.Go(func() {
			id := b.send("hello")
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, id)
		})
	}
	all.Wait()
	for _, limit := range []int{1, 2, 36, 37, 100} {
		var seen []string
		for cursor := ""; ; {
			r := b.do("GET", fmt.Sprintf("v1/tasks?limit=%d&cursor=%s", limit, cursor), "")
			page := r.json["tasks"].([]any)
			if len(page) > limit {
				t.Fatalf("a page of %d has %d tasks", limit, len(page))
			}
			for _, v := range page {
				seen = append(seen, v.(map[string]any)["id"].(string))
			}
			if cursor, _ = r.json["next_cursor"].(string); cursor == "" {
				break
			}
		}
		got, want := slices.Clone(seen), slices.Clone(sent)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d hold %d tasks, want %d", limit, len(seen), len(sent))
		}
	}
	b.do("POST", "v1/tasks/"+sent[0]+"/cancel", "")
	if r := b.do("GET", "v1/tasks?state=canceled", ""); len(r.json["tasks"].([]any)) != 1 {
		t.Errorf("canceled tasks are %s", r.body)
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{IdempotencyTTL: time.Hour})
	id := newID()
	body := say1(id, "hello", `,"contextId":"ctx-1"`)
	send := func(body string) httpAnswer { return b.do("POST", "v1/messages:send", body, "A2A-Extensions", both) }
	first := send(body)
	if first.header.Get("Idempotent-Replayed") != "" {
		t.Error("the first answer is marked as a replay")
	}
	b.do("POST", "v1/tasks/"+first.json["id"].(string)+"/cancel", "")
	second := send(strings.ReplaceAll(body, `:`, ` : `))
	if second.status != first.status || string(second.body) != string(first.body) || second.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the replay is %d %s", second.status, second.body)
	}
	for _, name := range []string{"Content-Type", "Location", "A2A-Extensions"} {
		if first.header.Get(name) != second.header.Get(name) || first.header.Get(name) == "" {
			t.Errorf("%s is %q, then %q", name, first.header.Get(name), second.header.Get(name))
		}
	}
	reused := send(strings.Replace(body, "hello", "other", 1))
	reused.want(t, "other payload", 422, "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_PAYLOAD")
	if reused.json["message_id"] != id || reused.json["original_request_hash"] == reused.json["submitted_request_hash"] || reused.header.Get("A2A-Extensions") == "" {
		t.Errorf("the collision is %s", reused.body)
	}
	for _, bad := range []string{`"1"`, `42`, `"018f2d7c-7e51-7a3b-9f4e"`, `null`} {
		send(strings.Replace(body, `"`+id+`"`, bad, 1)).want(t, bad, 400, "IDEMPOTENCY_MESSAGE_ID_MALFORMED")
	}
	empty := strings.Replace(say1(newID(), "x", ""), `[{"kind":"text","text":"x"}]`, `[]`, 1)
	refused, again := send(empty), send(empty)
	if refused.status != 400 || string(refused.body) != string(again.body) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("a refusal is repeated as %d %s", again.status, again.body)
	}
	if r := b.do("POST", "v1/messages:send", body, "A2A-Extensions", uriRuntime); r.json["id"] == first.json["id"] {
		t.Error("the cache works without activation")
	}
	var ids sync.Map
	var all sync.WaitGroup
	together := say1(newID(), "together", "")
	for range 8 {
		all.Go(func() { ids.Store(send(together).json["id"], true) })
	}
	all.Wait()
	n := 0
	ids.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("identical sends made %d tasks", n)
	}
}

func TestActivation(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	echo := func(lines ...string) (int, string) {
		r := b.request("GET", "v1/tasks", "")
		r.Header["a2a-extensions"] = lines
		answer, err := b.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode, answer.Header.Get("A2A-Extensions")
	}
	for _, row := range []struct {
		lines []string
		echo  string
	}{
		{nil, ""},
		{[]string{uriRuntime + "," + uriIdempotency + " "}, both},
		{[]string{uriRuntime, uriIdempotency}, both},
		{[]string{uriRuntime + ", https://example.org/x", ""}, uriRuntime},
		{[]string{strings.ToUpper(uriRuntime), uriRuntime + "/"}, ""},
	} {
		if status, got := echo(row.lines...); got != row.echo || status != 200 {
			t.Errorf("%q is answered %d and echoed as %q, want %q", row.lines, status, got, row.echo)
		}
	}
	r := b.do("GET", "v1/tasks", "", "A2A-Extensions", uriRuntime+","+uriPTY)
	r.want(t, "pty extension over REST", 400, "extension.unsupported")
	if r.header.Get("A2A-Extensions") != uriRuntime {
		t.Errorf("the refusal echoes %q", r.header.Get("A2A-Extensions"))
	}
}

func TestRequiredExtensionsCanBeEnforced(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{EnforceExtensions: true})
	for _, row := range []struct {
		active  string
		missing []string
	}{{"", []string{uriRuntime, uriIdempotency}}, {uriRuntime, []string{uriIdempotency}}, {uriIdempotency, []string{uriRuntime}}} {
		r := b.do("POST", "v1/messages:send", say1(newID(), "a", ""), "A2A-Extensions", row.active)
		r.want(t, "active: "+row.active, http.StatusBadRequest, "extension.required_not_activated")
		if !slices.ContainsFunc(row.missing, func(uri string) bool { return strings.Contains(string(r.body), uri) }) {
			t.Errorf("the refusal names none of %s", row.missing)
		}
	}
	b.send("hello")
}

func TestAdapterCommands(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	send := func(change string) httpAnswer {
		envelope := `{"adapter":"sandbox-agent-runner","mode":"plan","command":["node",".aiwg/ops/adapters/sandbox-agent-runner/runner.mjs","--request",".aiwg/ops/runs/x.json"],"timeout_seconds":300}`
		from, to, _ := strings.Cut(change, " -> ")
		return b.do("POST", "v1/messages:send", say1(newID(), "run", `,"metadata":{"`+uriAdapter+`":`+strings.Replace(envelope, from, to, 1)+`}`))
	}
	for _, change := range []string{
		`sandbox-agent-runner" -> other-runner"`, `plan -> apply`, `"node" -> "sh"`, `"--request", -> "--request","x",`, `.aiwg/ops/runs/x.json -> /etc/passwd`,
		`.aiwg/ops/runs/x.json -> .aiwg/ops/runs/../../../etc/passwd`, `.aiwg/ops/runs/x.json -> `, `300 -> 0`, `300 -> 901`, `300 -> "300"`, `"mode" -> "extra":1,"mode"`,
	} {
		send(change).want(t, change, 422, "adapter.refused")
	}
	ran := b.reaches(send(" -> ").json["id"].(string), completed)
	if len(ran["artifacts"].([]any)) == 0 {
		t.Error("the output is not kept")
	}
	broke := b.reaches(send("x.json -> x-fails.json").json["id"].(string), failed)
	if broke["status"].(map[string]any)["fail_kind"] != "application" {
		t.Errorf("status is %v", broke["status"])
	}
}
