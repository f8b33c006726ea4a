// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestOddIDs: whatever an id has in it, the task and the configuration are found by it, and nothing else is.
func TestOddIDs(t *testing.T) {
	t.Parallel()
	s := start(t, Config{AllowLoopbackHooks: true, OddIDs: true})
	_, _, sent := raw(t, s, "POST", "/a2a/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"scenario: input-required"}]}}`)
	task, _ := sent["task"].(object)
	id, _ := task["id"].(string)
	context, _ := task["contextId"].(string)
	status, _ := task["status"].(object)
	said, _ := status["message"].(object)
	message, _ := said["messageId"].(string)
	at := "/a2a/tasks/" + url.PathEscape(id)
	_, _, config := raw(t, s, "POST", at+"/pushNotificationConfigs", `{"url":"http://127.0.0.1:9/"}`)
	made, _ := config["id"].(string)
	for what, id := range map[string]string{"task": id, "context": context, "message": message, "configuration": made} {
		if !strings.ContainsAny(id, "/") || !strings.ContainsAny(id, "?") || !strings.ContainsAny(id, "#%+ ü") {
			t.Errorf("the id of the %s is %q", what, id)
		}
	}
	if status, _, v := raw(t, s, "GET", at, ""); status != 200 || v["id"] != id {
		t.Errorf("the task: status %d, %v", status, v)
	}
	if status, _, v := raw(t, s, "GET", at+"/pushNotificationConfigs/"+url.PathEscape(made), ""); status != 200 || v["id"] != made {
		t.Errorf("the configuration: status %d, %v", status, v)
	}
	if _, _, v := raw(t, s, "GET", "/a2a/tasks?contextId="+url.QueryEscape(context), ""); v["totalSize"] != 1.0 {
		t.Errorf("the tasks of the context: %v", v)
	}
	if status, _, v := raw(t, s, "GET", "/a2a/tasks/"+id[:strings.Index(id, "?")], ""); status != http.StatusNotFound {
		t.Errorf("a part of the id: status %d, %v", status, v)
	}
	if status, _, v := raw(t, s, "POST", at+":cancel", "{}"); status != 200 || v["id"] != id {
		t.Errorf("the cancellation: status %d, %v", status, v)
	}
}

// TestCardMoved: the well-known address leads to the card by a redirect, which its own address does not.
func TestCardMoved(t *testing.T) {
	t.Parallel()
	for _, moved := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		s := start(t, Config{CardMoved: moved})
		hops := 0
		client := http.Client{CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			hops = len(via)
			return nil
		}}
		answer, err := client.Get(s.CardURL())
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if hops != 1 || answer.StatusCode != http.StatusOK || answer.Request.URL.RequestURI() != movedCardPath {
			t.Errorf("%d redirects lead to %s with status %d", hops, answer.Request.URL, answer.StatusCode)
		}
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		answer, err = client.Get(s.CardURL())
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != moved {
			t.Errorf("the redirect has status %d, want %d", answer.StatusCode, moved)
		}
	}
	if _, err := New(Config{CardMoved: 302}); err == nil {
		t.Error("a card moves with status 302")
	}
}

// TestLastSnapshot: the Task is the last item of its stream, and as it was when it ended.
func TestLastSnapshot(t *testing.T) {
	t.Parallel()
	over(t, Config{LastSnapshot: time.Millisecond}, func(t *testing.T, cl *client) {
		var last, before object
		ended := cl.stream("SendStreamingMessage", send("scenario: artifact-text"), func(item object) bool {
			last, before = item, last
			return true
		})
		task, _ := last["task"].(object)
		if _, update := before["statusUpdate"]; !ended || !update || stateOf(task) != completed || task["artifacts"] == nil {
			t.Errorf("the stream ends (%v) with %v and %v", ended, before, last)
		}
	})
}
