// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"strings"
	"testing"
)

const (
	nobodys = "3f0c2a52-6f2f-4d0e-9a8a-2f6d1f4a0b11" // a UUID that nothing has
	noBox   = "conf-none-0a1b2c3d"
)

// What the wire notes say of each route, for somebody who has nothing.
func TestRoutes(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	for _, row := range []struct {
		method, path, body string
		status             int
		says               string // a part of the body
	}{
		{"GET", "/api/v1/app-conversations/search", "", 200, "next_page_id"},
		{"GET", "/api/v1/app-conversations/count", "", 200, "6"},
		{"GET", "/api/v1/app-conversations?ids=" + nobodys, "", 200, "null"},
		{"GET", "/api/v1/app-conversations", "", 422, "Field required"},
		{"GET", "/api/v1/app-conversations?ids=nonsense", "", 422, "uuid_parsing"},
		{"POST", "/api/v1/app-conversations", `{"trigger":"conf-invalid"}`, 422, "trigger"},
		{"POST", "/api/v1/app-conversations", ``, 422, "missing"},
		{"POST", "/api/v1/app-conversations", `{`, 422, "json_invalid"},
		{"POST", "/api/v1/app-conversations", `[]`, 422, "body"},
		{"POST", "/api/v1/app-conversations", `{"pr_number":"x"}`, 422, "pr_number"},
		{"POST", "/api/v1/app-conversations", `{"git_provider":"x"}`, 422, "git_provider"},
		{"POST", "/api/v1/app-conversations", `{"agent_type":"x"}`, 422, "agent_type"},
		{"POST", "/api/v1/app-conversations/stream-start", `{"trigger":"conf-invalid"}`, 422, "trigger"},
		{"POST", "/api/v1/app-conversations/stream-start", `{`, 422, "json_invalid"},
		{"GET", "/api/v1/app-conversations/stream-start", "", 405, "detail"},
		{"GET", "/api/v1/app-conversations/start-tasks/search", "", 200, "items"},
		{"GET", "/api/v1/app-conversations/start-tasks/search?sort_order=CONF", "", 422, "sort_order"},
		{"GET", "/api/v1/app-conversations/start-tasks/count", "", 200, "6"},
		{"GET", "/api/v1/app-conversations/start-tasks/count?conversation_id__eq=nonsense", "", 422, "conversation_id__eq"},
		{"GET", "/api/v1/app-conversations/start-tasks?ids=" + nobodys, "", 200, "null"},
		{"GET", "/api/v1/events/search", "", 200, "items"},
		{"GET", "/api/v1/events/count", "", 200, "36"},
		{"GET", "/api/v1/events/count?kind__eq=ConfNoSuchKind", "", 422, "kind__eq"},
		{"GET", "/api/v1/events/count?timestamp__gte=2000-01-01T00:00:00", "", 200, "36"},
		{"GET", "/api/v1/events/count?timestamp__gte=yesterday", "", 422, "timestamp__gte"},
		{"GET", "/api/v1/events?id=*", "", 200, "null"},
		{"GET", "/api/v1/events?id=../../&id=%2e%2e%2f", "", 200, "null"},
		{"GET", "/api/v1/sandboxes/search", "", 200, "items"},
		{"GET", "/api/v1/sandboxes?id=" + noBox, "", 200, "null"},
		{"PUT", "/api/v1/sandboxes", "", 405, "detail"},
		{"POST", "/api/v1/sandboxes?sandbox_spec_id=conf-none", "", 404, "detail"},
		{"POST", "/api/v1/sandboxes/" + noBox + "/pause", "", 404, "detail"},
		{"GET", "/api/v1/sandboxes/" + noBox + "/pause", "", 405, "detail"},
		{"POST", "/api/v1/sandboxes/" + noBox + "/resume", "", 404, "detail"},
		{"DELETE", "/api/v1/sandboxes/" + noBox, "", 404, "detail"},
		{"GET", "/api/v1/sandbox-specs/search", "", 200, "items"},
		{"GET", "/api/v1/sandbox-specs?id=conf-none", "", 200, "null"},
		{"POST", "/api/v1/webhooks/" + noBox + "/conversations", "{}", 401, "detail"},
		{"POST", "/api/v1/webhooks/" + noBox + "/events/" + nobodys, "[]", 401, "detail"},
		{"GET", "/api/v1/webhooks/secrets", "", 401, "detail"},
		{"GET", "/api/v1/users/me", "", 200, "llm_model"},
		{"POST", "/api/v1/users/me", "", 405, "detail"},
		{"GET", "/api/v1/users/" + nobodys, "", 404, "detail"},
		{"GET", "/api/v1/sandboxes/?id=" + noBox, "", 307, ""},
		{"GET", "/app-conversations/search", "", 404, "detail"},
		{"GET", "/api/v1/api/v1/app-conversations/search", "", 404, "detail"},

		{"GET", "/api/conversations", "", 200, "results"},
		{"GET", "/api/conversations/" + nobodys, "", 200, "null"},
		{"POST", "/api/conversations", `{"conf":1}`, 422, "conf"},
		{"DELETE", "/api/conversations/" + nobodys, "", 200, "false"},
		{"POST", "/api/conversations/" + nobodys + "/events", "{}", 404, "detail"},
		{"POST", "/api/conversations/" + nobodys + "/message", "{}", 404, "detail"},
		{"GET", "/api/conversations/" + nobodys + "/config", "", 404, "detail"},
		{"GET", "/api/user/info", "", 401, "detail"},
		{"GET", "/health", "", 200, `"OK"`},
		{"GET", "/alive", "", 200, "ok"},
	} {
		t.Run(row.method+" "+row.path, func(t *testing.T) {
			t.Parallel()
			got := ask(t, s, row.method, row.path, row.body)
			if got.status != row.status || !strings.Contains(got.body, row.says) {
				t.Errorf("status %d, want %d; the body is %q, want %q in it", got.status, row.status, got.body, row.says)
			}
			if media := got.header.Get("Content-Type"); media != "application/json" && row.status != 307 {
				t.Errorf("the media type is %q", media)
			}
			if policy := got.header.Get("Cache-Control"); policy != "no-cache, no-store, must-revalidate, max-age=0" {
				t.Errorf("Cache-Control is %q", policy)
			}
		})
	}
}

// With a front end an unrouted GET is its page, and an unrouted POST is none.
func TestFrontEnd(t *testing.T) {
	t.Parallel()
	s := start(t, Config{FrontEnd: true, NoRateLimit: true})
	if got := ask(t, s, "GET", "/nowhere", ""); got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		t.Errorf("a GET is %d %s", got.status, got.header.Get("Content-Type"))
	}
	if got := ask(t, s, "POST", "/nowhere", ""); got.status != http.StatusMethodNotAllowed {
		t.Errorf("a POST is %d, want 405", got.status)
	}
}

// A server without V1 has the legacy routes, and says so in its document.
func TestWithoutV1(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		s := start(t, Config{NoV1: off, NoRateLimit: true})
		url := says(t, s, "v1-off")["url"].(string)
		for path, status := range map[string]int{"/api/v1/app-conversations/search": 404, "/api/conversations": 200, "/openapi.json": 200} {
			answer, err := http.Get(url + path)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != status {
				t.Errorf("%s is %d where V1 is off, want %d", path, answer.StatusCode, status)
			}
		}
	}
}

// More than ten requests a second wait, more than twenty are refused.
func TestTraffic(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	statuses := make(chan reply, 30)
	for range 30 {
		go func() {
			r, err := http.Get(s.URL() + "/alive")
			if err != nil {
				statuses <- reply{}
				return
			}
			r.Body.Close()
			statuses <- reply{status: r.StatusCode, header: r.Header}
		}()
	}
	counted := map[int]int{}
	for range 30 {
		got := <-statuses
		if counted[got.status]++; got.status == 429 && got.header.Get("Retry-After") != "1" {
			t.Error("a refusal does not say when to try again")
		}
	}
	if counted[200] < 20 || counted[429] == 0 || counted[200]+counted[429] != 30 {
		t.Errorf("the statuses are %v, want at least 20 times 200 and the rest 429", counted)
	}
}
