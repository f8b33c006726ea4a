// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
	"testing"
)

var secured = Config{Token: "the-instance-token", AdminToken: "the-admin-token", OperatorToken: "the-operator-token", ObserveToken: "the-observe-token", ForeignToken: "the-foreign-token"}

func TestEveryRouteAnswers(t *testing.T) {
	t.Parallel()
	b := serve(t, secured)
	tid := b.send("hello")
	config := b.do("POST", "v1/tasks/"+tid+"/pushNotificationConfigs", `{"url":"http://127.0.0.1:1/hook","auth":{"type":"hmac","secret":"s3cr3t-s3cr3t"}}`)
	config.want(t, "create config", http.StatusCreated, "")
	if strings.Contains(string(config.body), "s3cr3t") {
		t.Error("the secret is shown")
	}
	cid := config.json["id"].(string)
	iid := b.e.instances.all()[0].ID
	inbox := "/api/v2/admin/storage/inbox/" + iid + "/a/x.txt"
	for _, row := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", ".well-known/agent-card.json", "", 200, ""},
		{"GET", ".well-known/jwks.json", "", 200, ""},
		{"GET", "/.well-known/jwks.json", "", 200, ""},
		{"GET", "v1/tasks", "", 200, ""},
		{"GET", "v1/tasks?state=&cursor=&limit=", "", 200, ""},
		{"GET", "tasks/" + tid, "", 200, ""},
		{"GET", "v1/tasks/" + tid, "", 200, ""},
		{"HEAD", "v1/tasks/" + tid, "", 200, ""},
		{"GET", "v1/extendedAgentCard", "", 200, ""},
		{"GET", "v1/tasks/" + tid + "/artifacts", "", 200, ""},
		{"GET", "v1/tasks/" + tid + "/artifacts/x", "", 404, "artifact.not_found"},
		{"GET", "v1/tasks/" + tid + "/pushNotificationConfigs", "", 200, ""},
		{"GET", "v1/tasks/" + tid + "/pushNotificationConfigs/" + cid, "", 200, ""},
		{"DELETE", "v1/tasks/" + tid + "/pushNotificationConfigs/" + cid, "", 204, ""},
		{"DELETE", "v1/tasks/" + tid + "/pushNotificationConfigs/" + cid, "", 404, "push.config_not_found"},
		{"POST", "v1/tasks/" + tid + "/pushNotificationConfigs", `{"url":"ftp://x/"}`, 400, "push.invalid_url"},
		{"POST", "v1/tasks/" + tid + "/cancel", "", 200, ""},
		{"POST", "v1/tasks/" + tid + "/cancel", "{}", 409, "task.not_cancelable"},
		{"GET", "v1/tasks/" + newID(), "", 404, "task.not_found"},
		{"POST", "v1/tasks/" + newID() + "/cancel", "", 404, "task.not_found"},
		{"GET", "v1/tasks/" + newID() + "/subscribe", "", 404, "task.not_found"},
		{"POST", "v1/tasks/" + newID() + "/pushNotificationConfigs", `{"url":"http://x/"}`, 404, "task.not_found"},
		{"GET", "v1/tasks?state=bogus", "", 400, "request.invalid_params"},
		{"GET", "v1/tasks?limit=abc", "", 400, "request.invalid_params"},
		{"GET", "v1/tasks?limit=0", "", 400, "request.invalid_params"},
		{"GET", "v1/tasks?limit=100000", "", 200, ""},
		{"GET", "v1/tasks?cursor=%00not-a-cursor", "", 400, "request.invalid_params"},
		{"GET", "v1/nothing", "", 404, "route.not_found"},
		{"GET", "/agents/" + newID() + "/v1/tasks", "", 404, "instance.not_found"},
		{"GET", "/agents/" + newID() + "/.well-known/agent-card.json", "", 404, "instance.not_found"},
		{"GET", "/v1/tasks", "", 404, "route.not_found"},
		{"GET", "/agents/v1/tasks", "", 404, "instance.not_found"},
		{"GET", "/api/v3/admin/instances", "", 404, "route.not_found"},
		{"GET", "metrics", "", 404, "route.not_found"},
		{"PUT", "v1/tasks/" + tid, "", 405, "request.method_not_allowed"},
		{"DELETE", "v1/messages:send", "", 405, "request.method_not_allowed"},
		{"GET", "/healthz", "", 200, ""},
		{"GET", "/readyz", "", 200, ""},
		{"GET", "/health", "", 200, ""},
		{"GET", "/healthz/http", "", 200, ""},
		{"GET", "/healthz/deep", "", 200, ""},
		{"GET", "/metrics", "", 200, ""},
		{"GET", "/api/v1/agents", "", 200, ""},
		{"GET", "/api/v1/vms", "", 200, ""},
		{"GET", "/api/v1/container-images", "", 200, ""},
		{"DELETE", "/api/v1/container-images", "", 405, "request.method_not_allowed"},
		{"GET", "/api/v1/operations/" + newID(), "", 404, "operation.not_found"},
		{"GET", "/api/v1/storage/global", "", 200, ""},
		{"GET", "/api/v1/hitl", "", 200, ""},
		{"GET", "/api/v1/no-such-route", "", 404, "route.not_found"},
		{"GET", "/api/v2/admin/instances", "", 200, ""},
		{"GET", "/api/v2/admin/instances?runtime=docker", "", 200, ""},
		{"GET", "/api/v2/admin/instances/" + iid, "", 200, ""},
		{"GET", "/api/v2/admin/instances/" + newID(), "", 404, "instance.not_found"},
		{"POST", "/api/v2/admin/instances", `{}`, 422, "validation.failed"},
		{"POST", "/api/v2/admin/instances", `{"x":`, 400, "request.malformed"},
		{"POST", "/api/v2/admin/instances", `{"name":"host-one","runtime":"host"}`, 501, "runtime.not_implemented"},
		{"POST", "/api/v2/admin/instances/" + newID() + "/rotate-secret", "", 410, "legacy_agent_secret.retired"},
		{"POST", "/api/v2/admin/instances/" + newID() + "/destroy", "", 404, "instance.not_found"},
		{"GET", "/api/v2/admin/operations/op_x", "", 404, "operation.not_found"},
		{"PUT", inbox, `{"content":"hello","media_type":"text/plain"}`, 201, ""},
		{"PUT", inbox, `{"content_base64":"aGVsbG8="}`, 200, ""},
		{"PUT", inbox, `{"content":"a","content_base64":"aGVsbG8="}`, 422, "validation.failed"},
		{"GET", inbox, "", 200, ""},
		{"DELETE", inbox, "", 204, ""},
		{"DELETE", inbox, "", 404, "object.not_found"},
		{"GET", inbox, "", 404, "object.not_found"},
		{"PUT", "/api/v2/admin/storage/global/x.txt", `{"content":"a"}`, 403, "storage.scope_disabled"},
		{"DELETE", "/api/v2/admin/storage/global/x.txt", "", 403, "storage.scope_disabled"},
		{"GET", "/api/v2/admin/storage/nosuchscope/x", "", 404, "object.not_found"},
		{"GET", "/api/v2/admin/storage/inbox/" + iid + "/..%2f..%2fetc%2fpasswd", "", 400, "request.malformed"},
		{"GET", "/api/v2/admin/container-images", "", 200, ""},
		{"PATCH", "/api/v2/admin/container-images", "", 405, "request.method_not_allowed"},
		{"GET", "/api/v2/admin/loadouts", "", 200, ""},
		{"POST", "/api/v2/admin/loadouts", `{"name":"mine","version":"1.0.0"}`, 201, ""},
		{"POST", "/api/v2/admin/loadouts", `{"name":"mine","version":"1.0.0"}`, 409, "loadout.exists"},
		{"GET", "/api/v2/admin/runtime/providers", "", 200, ""},
		{"GET", "/api/v2/admin/bootstrap/readiness", "", 200, ""},
		{"GET", "/api/v2/admin/logs?limit=5", "", 200, ""},
		{"GET", "/api/v2/admin/events?limit=5", "", 200, ""},
		{"GET", "/api/v2/admin/logs?limit=0", "", 400, "request.invalid_params"},
		{"GET", "/api/v2/admin/deprecation/v1-counters", "", 200, ""},
		{"GET", "/operator/disks", "", 200, ""},
	} {
		r := b.do(row.method, row.path, row.body)
		what := row.method + " " + strings.ReplaceAll(row.path, iid, "IID")
		r.want(t, what, row.status, row.code)
		if row.status == http.StatusMethodNotAllowed && (r.header.Get("Allow") == "" || strings.Contains(r.header.Get("Allow"), row.method)) {
			t.Errorf("%s: Allow is %q", what, r.header.Get("Allow"))
		}
		v1 := strings.HasPrefix(row.path, "/api/v1/")
		for _, name := range []string{"Sunset", "Deprecated", "Link"} {
			if got := r.header.Get(name) != ""; got != v1 {
				t.Errorf("%s: header %s is present: %t, want %t", what, name, got, v1)
			}
		}
		for _, secret := range []string{secured.Token, secured.AdminToken, "s3cr3t"} {
			if strings.Contains(string(r.body), secret) {
				t.Errorf("%s: the answer holds a secret", what)
			}
		}
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	c := secured
	c.SecondToken = "the-second-token"
	b := serve(t, c)
	second := strings.TrimPrefix(b.e.InstanceURLs()[1], b.e.URL())
	tasks := strings.TrimPrefix(b.base, b.e.URL()) + "/v1/tasks"
	for _, row := range []struct {
		credential, method, path string
		status                   int
	}{
		{"", "GET", tasks, 401},
		{"", "GET", tasks + "/" + newID(), 401},
		{"", "GET", "/agents/" + newID() + "/v1/tasks", 401},
		{"", "GET", strings.TrimSuffix(tasks, "/v1/tasks") + "/tasks", 401},
		{"", "POST", "/api/v2/admin/instances", 401},
		{"", "GET", "/api/v1/agents", 401},
		{"", "GET", "/api/v1/no-such-route", 401},
		{"", "GET", "/healthz/deep", 401},
		{"", "GET", "/metrics", 200},
		{"Bearer", "GET", tasks, 401},
		{"Bearer ", "GET", tasks, 401},
		{"Basic dXNlcjpwYXNz", "GET", tasks, 401},
		{c.Token, "GET", tasks, 401},
		{"Bearer " + c.Token + "x", "GET", tasks, 401},
		{"bearer " + c.Token, "GET", tasks, 200},
		{"BEARER " + c.Token, "GET", tasks, 200},
		{"Bearer " + c.Token, "GET", second + "/v1/tasks", 403},
		{"Bearer " + c.SecondToken, "GET", second + "/v1/tasks", 200},
		{"Bearer " + c.Token, "GET", "/api/v2/admin/instances", 403},
		{"Bearer " + c.Token, "GET", "/api/v1/agents", 403},
		{"Bearer " + c.AdminToken, "GET", "/api/v2/admin/instances", 200},
		{"Bearer " + c.AdminToken, "GET", tasks, 200},
		{"Bearer " + c.OperatorToken, "GET", "/api/v2/admin/instances", 200},
		{"Bearer " + c.OperatorToken, "POST", "/api/v2/admin/instances/" + newID() + "/destroy", 403},
		{"Bearer " + c.OperatorToken, "PUT", "/api/v2/admin/storage/inbox/x/y", 403},
		{"Bearer " + c.ForeignToken, "GET", tasks, 403},
		{"Bearer " + c.ObserveToken, "GET", tasks, 200},
		{"", "GET", tasks + "?access_token=" + c.Token, 401},
	} {
		r := b.do(row.method, row.path, "", "Authorization", row.credential)
		if r.status != row.status {
			t.Errorf("%s %s with %q: status is %d, want %d", row.method, row.path, row.credential, r.status, row.status)
		}
		if (r.status == 401) != strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s %s: challenge is %q", row.method, row.path, r.header.Get("WWW-Authenticate"))
		}
		if row.path == "/api/v1/agents" && r.header.Get("Sunset") != defaultSunset {
			t.Errorf("%s %s: Sunset is %q", row.method, row.path, r.header.Get("Sunset"))
		}
	}
}

func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	part := `"parts":[{"kind":"text","text":"a"}]`
	for _, row := range []struct {
		name, body, media string
		status            int
	}{
		{"truncated", `{"message": `, "", 400},
		{"nothing", "", "application/json", 400},
		{"empty object", `{}`, "", 400},
		{"text as message", `{"message":"text"}`, "", 400},
		{"list", `[]`, "", 400},
		{"no parts", `{"message":{"messageId":"m","role":"user"}}`, "", 400},
		{"empty parts", `{"message":{"messageId":"m","role":"user","parts":[]}}`, "", 400},
		{"no role", `{"message":{"messageId":"m",` + part + `}}`, "", 400},
		{"no message id", `{"message":{"role":"user",` + part + `}}`, "", 400},
		{"invalid UTF-8", "{\"message\":{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"\xff\"}]}}", "", 400},
		{"member twice", `{"message":{"messageId":"m","role":"user","role":"user",` + part + `}}`, "", 400},
		{"more after it", `{"message":{"messageId":"m","role":"user",` + part + `}} {}`, "", 400},
		{"unknown task", say1("m", "a", `,"taskId":"`+newID()+`"`), "", 404},
		{"bad tenant", say1("m", "a", `,"metadata":{"tenant_id":"has spaces"}`), "", 400},
		{"answer without task", say1("m", "a", `,"metadata":{"hitl_response_for":{"prompt_id":"x","payload":{}}}`), "", 400},
		{"plain text", say1("m", "a", ""), "text/plain", 415},
		{"charset", say1("m", "a", ""), "application/json; charset=utf-8", 202},
		{"a2a+json", say1("m", "a", ""), "application/a2a+json", 202},
		{"other charset", say1("m", "a", ""), "application/json; charset=utf-16", 415},
		{"too large", say1("m", strings.Repeat("a", 12<<20), ""), "", 413},
		{"1.0 spelling", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`, "", 202},
	} {
		media := row.media
		if media == "" {
			media = "application/json"
		}
		r := b.do("POST", "v1/messages:send", row.body, "Content-Type", media)
		if r.status != row.status {
			t.Errorf("%s: status is %d, want %d: %.200s", row.name, r.status, row.status, r.body)
		}
	}
	if tasks := b.do("GET", "v1/tasks", "").json["tasks"].([]any); len(tasks) != 3 {
		t.Errorf("%d tasks exist, want 3", len(tasks))
	}
}
