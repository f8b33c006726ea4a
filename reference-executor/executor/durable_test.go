// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// restart stops the executor of a bench and serves another one on the same address and data.
func (b *bench) restart(c Config) *bench {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := b.e.Shutdown(ctx); err != nil {
		b.Fatal(err)
	}
	at, err := url.Parse(b.e.URL())
	if err != nil {
		b.Fatal(err)
	}
	c.Listen = at.Host
	return serve(b.T, c)
}

func TestRestartKeepsEverything(t *testing.T) {
	t.Parallel()
	c := Config{Data: t.TempDir()}
	b := serve(t, c)
	card := b.do("GET", ".well-known/agent-card.json", "")
	form := verify(t, b, card)
	body := say1(newID(), "hello", "")
	sent := b.do("POST", "v1/messages:send", body, "A2A-Extensions", both)
	asks := b.send("scenario: input-required")
	slow := b.send("scenario: slow 1s then completed")
	prompt := b.reaches(asks, inputRequired)
	b.do("POST", "v1/tasks/"+asks+"/pushNotificationConfigs", `{"url":"http://127.0.0.1:1/"}`)
	b.do("PUT", "/api/v2/admin/storage/inbox/"+b.e.instances.all()[0].ID+"/x/y.txt", `{"content":"kept"}`)

	b = b.restart(c)
	if !strings.HasSuffix(b.base, prompt["metadata"].(map[string]any)["runtime.instance_id"].(string)) {
		t.Errorf("the instance is %s now", b.base)
	}
	if verify(t, b, card) != form || verify(t, b, b.do("GET", ".well-known/agent-card.json", "")) != form {
		t.Error("the card has changed")
	}
	again := b.do("POST", "v1/messages:send", body, "A2A-Extensions", both)
	if string(again.body) != string(sent.body) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the replay is %d %s", again.status, again.body)
	}
	envelope := func(task map[string]any) map[string]any {
		return task["status"].(map[string]any)["message"].(map[string]any)["metadata"].(map[string]any)[uriHITL].(map[string]any)
	}
	now := b.reaches(asks, inputRequired)
	id := envelope(prompt)["prompt_id"].(string)
	if envelope(now)["prompt_id"] != id {
		t.Errorf("the prompt is %v now", envelope(now))
	}
	answer := b.do("POST", "v1/messages:send", say1(newID(), "yes", `,"taskId":"`+asks+`","metadata":{"hitl_response_for":{"prompt_id":"`+id+`","payload":{"decision":"reject"}}}`))
	if answer.status != http.StatusAccepted {
		t.Errorf("the answer is answered %d %s", answer.status, answer.body)
	}
	b.reaches(slow, completed)
	if r := b.do("GET", "v1/tasks/"+asks+"/pushNotificationConfigs", ""); len(r.json["configs"].([]any)) != 1 {
		t.Errorf("push configs are %s", r.body)
	}
	if r := b.do("GET", "/api/v2/admin/storage/inbox/"+b.e.instances.all()[0].ID+"/x/y.txt", ""); r.json["content"] != "kept" {
		t.Errorf("the object is %s", r.body)
	}
}

func TestShortTTLForgets(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{IdempotencyTTL: 50 * time.Millisecond})
	body := say1(newID(), "hello", "")
	first := b.do("POST", "v1/messages:send", body, "A2A-Extensions", both)
	eventually(t, "a new task", func() bool {
		r := b.do("POST", "v1/messages:send", body, "A2A-Extensions", both)
		return r.json["id"] != first.json["id"] && r.header.Get("Idempotent-Replayed") == ""
	})
}
