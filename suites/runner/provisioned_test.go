// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A fakeAdminSurface is the admin surface of a small executor: instances come with an operation that ends when it is asked for the
// second time.
type fakeAdminSurface struct {
	fake
	noDelete bool // only POST .../destroy
	nameless bool // the instance gets another name than the one asked for
	endless  bool // the operation never ends

	admin   sync.Mutex
	there   map[string]string // id: name
	asked   int
	removed []string // in order, with the form
	objects map[string]bool
}

func (f *fakeAdminSurface) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	rest, is := strings.CutPrefix(q.URL.Path, "/api/v2/admin/")
	if !is {
		f.fake.ServeHTTP(w, q)
		return
	}
	f.admin.Lock()
	defer f.admin.Unlock()
	id := strings.TrimSuffix(strings.TrimPrefix(rest, "instances/"), "/destroy")
	switch _, known := f.there[id]; {
	case q.Method == "GET" && rest == "instances":
		items := []map[string]string{}
		for id, name := range f.there {
			items = append(items, map[string]string{"id": id, "name": name, "state": "running"})
		}
		json.NewEncoder(w).Encode(map[string]any{"items": items})
	case q.Method == "POST" && rest == "instances":
		var body struct{ Name string }
		json.NewDecoder(q.Body).Decode(&body)
		if f.nameless {
			body.Name = "another"
		}
		f.there["new"] = body.Name
		w.WriteHeader(202)
		fmt.Fprint(w, `{"id":"op_1","kind":"instance.provision","state":"pending"}`)
	case rest == "operations/op_1":
		if f.asked++; f.asked < 2 || f.endless {
			fmt.Fprint(w, `{"id":"op_1","state":"running"}`)
			return
		}
		fmt.Fprint(w, `{"id":"op_1","state":"succeeded","result":{"instance_id":"new"}}`)
	case strings.HasPrefix(rest, "storage/"):
		f.objects[rest] = q.Method == "PUT"
		w.WriteHeader(201)
	case known && q.Method == "GET":
		fmt.Fprintf(w, `{"id":%q,"state":"running"}`, id)
	case known && (q.Method == "DELETE" && !f.noDelete || q.Method == "POST" && strings.HasSuffix(rest, "/destroy")):
		delete(f.there, id)
		f.removed = append(f.removed, q.Method+" "+rest)
		w.WriteHeader(202)
	case known:
		w.WriteHeader(405)
	default:
		w.WriteHeader(404)
	}
}

const provisions = `
- {hook: provision, keep: {body: result.body, seconds: result.seconds}}
- {request: "POST ${admin}/instances", json: "${body}", expect: {status: 202}}
- {request: "PUT ${admin}/storage/inbox/x/y.txt", json: {content: x}, expect: {status: 201}}
- {request: "GET ${admin}/instances", within: "${seconds}s", expect: {status: 418}}`

func TestWhatIsProvisionedIsDecommissionedAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		f       *fakeAdminSurface
		seconds int
		removed []string
		note    string
	}{
		"DELETE":                {f: &fakeAdminSurface{}, removed: []string{"DELETE instances/new"}},
		"POST destroy":          {f: &fakeAdminSurface{noDelete: true}, removed: []string{"POST instances/new/destroy"}},
		"under another name":    {f: &fakeAdminSurface{nameless: true}, removed: []string{"DELETE instances/new"}},
		"never ready":           {f: &fakeAdminSurface{endless: true}, seconds: 1, removed: []string{"DELETE instances/new"}},
		"never ready, nameless": {f: &fakeAdminSurface{endless: true, nameless: true}, seconds: 1, note: "op_1 has not ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := test.f
			f.tasks, f.there, f.objects = map[string]string{}, map[string]string{"new-before": "conformance", fakeInstance: "conformance"}, map[string]bool{}
			value := map[string]any{"body": map[string]any{"name": "vm", "runtime": "docker"}}
			if test.seconds != 0 {
				value["seconds"] = test.seconds
			}
			config := Target{ExecutorURL: serveHandler(t, f) + "/agents/" + fakeInstance, Hooks: map[string]Hook{"provision": {Value: value}}}
			out := runAll(t, loaded(t, oneTest(provisions)), config, Options{HoldFactor: 0.01})
			r := result(t, out, "T-001")
			if r.Outcome != report.Fail || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Problem, "418") {
				t.Errorf("the result is %s %v %v, want it to fail for status 418", r.Outcome, r.Reason, r.Findings)
			}
			if !slices.Equal(f.removed, test.removed) || f.there[fakeInstance] == "" || f.there["new-before"] == "" {
				t.Errorf("removed %q, left %v", f.removed, f.there)
			}
			if f.objects["storage/inbox/x/y.txt"] {
				t.Error("the object was left behind")
			}
			if notes := strings.Join(r.Notes, "; "); (test.note == "") != (notes == "") || !strings.Contains(notes, test.note) {
				t.Errorf("the notes are %q, want %q", notes, test.note)
			}
		})
	}
}
