// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
	"testing"
)

func TestInstancesComeAndGo(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	provisioned := b.do("POST", "/api/v2/admin/instances", `{"name":"third-agent","runtime":"docker","labels":{"a":"b"}}`)
	if provisioned.status != http.StatusAccepted || provisioned.json["state"] != opPending {
		t.Fatalf("provision answers %d %s", provisioned.status, provisioned.body)
	}
	done := b.operation(provisioned)
	id := done["result"].(map[string]any)["instance_id"].(string)
	base := "/agents/" + id
	if r := b.do("GET", base+"/.well-known/agent-card.json", ""); r.status != http.StatusOK {
		t.Errorf("its card answers %d", r.status)
	}
	if r := b.do("POST", base+"/v1/messages:send", say1(newID(), "hello", "")); r.status != http.StatusAccepted {
		t.Errorf("it answers a message with %d", r.status)
	}
	b.do("POST", "/api/v2/admin/instances", `{"name":"third-agent","runtime":"docker"}`).want(t, "same name", 409, "instance.name_taken")

	b.operation(b.do("POST", "/api/v2/admin/instances/"+id+"/stop", ""))
	b.do("POST", base+"/v1/messages:send", say1(newID(), "hello", "")).want(t, "message to a stopped runtime", 503, "runtime.not_ready")
	task := b.do("GET", base+"/v1/tasks", "").json["tasks"].([]any)[0].(map[string]any)
	if stateOf(task) != failed || task["status"].(map[string]any)["fail_kind"] != "infrastructure" {
		t.Errorf("its task is %v", task)
	}
	b.operation(b.do("POST", "/api/v2/admin/instances/"+id+"/start", ""))
	if r := b.do("POST", base+"/v1/messages:send", say1(newID(), "hello", "")); r.status != http.StatusAccepted {
		t.Errorf("it answers a message with %d", r.status)
	}

	b.operation(b.do("DELETE", "/api/v2/admin/instances/"+id, ""))
	b.do("GET", "/api/v2/admin/instances/"+id, "").want(t, "destroyed instance", 404, "instance.not_found")
	b.do("GET", base+"/.well-known/agent-card.json", "").want(t, "card of a destroyed instance", 404, "instance.not_found")
	if r := b.do("GET", "/operator/disks", ""); !strings.Contains(string(r.body), id) {
		t.Errorf("disks are %s", r.body)
	}
}

// operation waits until the operation of an answer has succeeded.
func (b *bench) operation(r httpAnswer) map[string]any {
	b.Helper()
	if r.status != http.StatusAccepted {
		b.Fatalf("status is %d, want 202: %s", r.status, r.body)
	}
	var last map[string]any
	eventually(b.T, "the operation succeeds", func() bool {
		last = b.do("GET", r.header.Get("Location"), "").json
		return last["state"] == opSucceeded && last["completed_at"] != nil
	})
	return last
}

func TestV1RequestsAreCounted(t *testing.T) {
	t.Parallel()
	c := secured
	b := serve(t, c)
	for range 3 {
		b.do("GET", "/api/v1/agents", "")
	}
	b.do("GET", "/api/v1/agents", "", "Authorization", "")
	b.do("GET", "/api/v1/operations/"+newID(), "")
	b.do("GET", "v1/tasks", "")
	text := string(b.do("GET", "/metrics", "").body)
	for _, line := range []string{
		"# TYPE aiwg_v1_path_requests_total counter\n",
		`aiwg_v1_path_requests_total{path="/api/v1/agents"} 4` + "\n",
		`aiwg_v1_path_requests_total{path="/api/v1/operations/{id}"} 1` + "\n",
		`agentic_command_latency_seconds_bucket{le="+Inf"} `,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the exposition lacks %q:\n%s", line, text)
		}
	}
	counters := b.do("GET", "/api/v2/admin/deprecation/v1-counters", "").json
	if got := counters["counters"].(map[string]any)["/api/v1/agents"]; got != 4.0 {
		t.Errorf("the counter route says %v", got)
	}
	if got := len(counters["path_map"].(map[string]any)); got != 9 {
		t.Errorf("the path map has %d rows, want 9", got)
	}
}
