// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// asked is a target of profile agentic-sandbox-v2 that keeps what it was asked, and what a row has created there.
func asked(t *testing.T) (c *Created, base string, requests func() []string) {
	t.Helper()
	return askedBy(t, "")
}

func askedBy(t *testing.T, profile string) (c *Created, base string, requests func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, q.Method+" "+q.URL.RequestURI())
		if strings.HasSuffix(q.URL.Path, configs) {
			io.WriteString(w, `{"configs": [{"id": "found"}]}`)
		}
	}))
	t.Cleanup(server.Close)
	a := &target.Agent{}
	a.Target.Open(profiles.Of(profile), target.Config{ExecutorURL: server.URL}, target.Limits{}.Filled())
	t.Cleanup(a.Client.Close)
	a.Place = target.PlaceOf(a.Config, server.URL, server.URL+"/agents/i", "i")
	as := func(d time.Duration) time.Duration { return d }
	c = New(t.Context(), a, Bounds{Limit: as, Wait: as, Undoing: func(limit time.Duration) (context.Context, context.CancelFunc) {
		return context.WithTimeout(t.Context(), limit)
	}})
	return c, a.Place.API, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string{}, all...)
	}
}

// A task that a row has started is cancelled, unless it was seen to end; what was registered for it is deleted before.
func TestWhatARowHasCreatedIsUndone(t *testing.T) {
	t.Parallel()
	type exchange struct {
		request string // below the address of the API
		status  int
		body    string
	}
	sent := exchange{"POST /messages:send", 200, `{"task": {"id": "t", "status": {"state": "working"}}}`}
	const tasks = "/agents/i/v1/tasks/t"
	for name, row := range map[string]struct {
		exchanges []exchange
		want      []string
	}{
		"nothing":             {nil, nil},
		"a task":              {[]exchange{sent}, []string{"POST " + tasks + "/cancel"}},
		"a task that ended":   {[]exchange{sent, {"GET /tasks/t", 200, `{"id": "t", "status": {"state": "completed"}}`}}, nil},
		"a task that goes on": {[]exchange{sent, {"GET /tasks/t", 200, `{"id": "t", "status": {"state": "working"}}`}}, []string{"POST " + tasks + "/cancel"}},
		"a refusal":           {[]exchange{{"POST /messages:send", 400, sent.body}}, nil},
		"a configuration": {[]exchange{sent, {"POST /tasks/t" + configs, 201, `{"id": "c"}`}},
			[]string{"DELETE " + tasks + configs + "/c", "POST " + tasks + "/cancel"}},
		"one that the test has deleted": {[]exchange{{"POST /tasks/t" + configs, 201, `{"id": "c"}`}, {"DELETE /tasks/t" + configs + "/c", 204, ""}}, nil},
		"one that was refused": {[]exchange{{"POST /tasks/t" + configs, 500, ""}},
			[]string{"GET " + tasks + configs, "DELETE " + tasks + configs + "/found"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, base, requests := asked(t)
			for _, x := range row.exchanges {
				method, path, _ := strings.Cut(x.request, " ")
				c.Noticed(&target.Exchange{Exchange: wire.Exchange{Status: x.status, Body: []byte(x.body)},
					Request: &target.Request{Request: wire.Request{Method: method, URL: base + path}}})
			}
			if !c.DeleteConfigs() {
				t.Error("not all configurations are said to be gone")
			}
			c.CancelTasks()
			got := requests()
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("the target was asked (-want +got):\n%s", diff)
			}
			c.DeleteConfigs()
			if c.CancelTasks(); len(requests()) != len(got) {
				t.Error("it is undone twice")
			}
		})
	}
}

// What an executor has let in without credentials, or with wrong ones, is undone with those that the operator has named: it need not
// let that in as well. What another instance has let in with a token of its own is undone with that one.
func TestWhatNobodyHasCreatedIsUndone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var refused, undone []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		token := "Bearer of-the-instance"
		switch {
		case strings.HasPrefix(q.URL.Path, "/api/v2/admin/"):
			token = "Bearer of-the-admin"
		case strings.HasPrefix(q.URL.Path, "/agents/other/"):
			token = "Bearer of-the-other"
		}
		if q.Header.Get("Authorization") != token {
			refused = append(refused, q.Method+" "+q.URL.Path)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		undone = append(undone, q.Method+" "+q.URL.Path)
	}))
	t.Cleanup(server.Close)
	a := &target.Agent{}
	a.Target.Open(profiles.Of(""), target.Config{ExecutorURL: server.URL, Tokens: map[string]string{"instance": "of-the-instance", "admin": "of-the-admin"}}, target.Limits{}.Filled())
	t.Cleanup(a.Client.Close)
	a.Place = target.PlaceOf(a.Config, server.URL, server.URL+"/agents/i", "i")
	as := func(d time.Duration) time.Duration { return d }
	c := New(t.Context(), a, Bounds{Limit: as, Wait: as, Undoing: func(limit time.Duration) (context.Context, context.CancelFunc) {
		return context.WithTimeout(t.Context(), limit)
	}})
	wrong := []suites.Header{{Name: "Authorization", Value: "Bearer wrong"}}
	other := []suites.Header{{Name: "authorization", Value: "Bearer of-the-other"}}
	for _, x := range []struct {
		method, url, body string
		header            []suites.Header
	}{
		{"POST", a.Place.API + "/messages:send", `{"task": {"id": "t", "status": {"state": "working"}}}`, nil},
		{"POST", a.Place.API + "/messages:send", `{"task": {"id": "u", "status": {"state": "working"}}}`, wrong},
		{"POST", server.URL + "/agents/other/v1/messages:send", `{"task": {"id": "o", "status": {"state": "working"}}}`, other},
		{"PUT", a.Place.Admin + "/storage/inbox/i/object", "", wrong},
	} {
		c.Noticed(&target.Exchange{Exchange: wire.Exchange{Status: 201, Body: []byte(x.body)},
			Request: &target.Request{Request: wire.Request{Method: x.method, URL: x.url, Header: x.header}, Identity: target.Anonymous}})
	}
	c.CancelTasks()
	c.Decommission(0)
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(undone)
	want := []string{"DELETE /api/v2/admin/storage/inbox/i/object", "POST /agents/i/v1/tasks/t/cancel", "POST /agents/i/v1/tasks/u/cancel", "POST /agents/other/v1/tasks/o/cancel"}
	if diff := cmp.Diff(want, undone); diff != "" || len(refused) > 0 {
		t.Errorf("undone (-want +got):\n%s\nand %v were refused", diff, refused)
	}
}

// A sandbox that a row has started is deleted by its path, and is named in the query too, unless the row has deleted it.
func TestWhatAProfileMakesIsRemoved(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ deleted, want []string }{
		"one that stays":                 {nil, []string{"DELETE /agents/i/api/v1/sandboxes/a%2Fb?sandbox_id=a%2Fb"}},
		"one that the test has deleted":  {[]string{"/api/v1/sandboxes/a%2Fb"}, nil},
		"one that was deleted by a name": {[]string{"/api/v1/sandboxes/a%2Fb?sandbox_id=a%2Fb"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, requests := askedBy(t, "openhands-v1")
			base := c.target.Place.Base
			noted := func(method, path, body string) {
				c.noteMade(&target.Exchange{Exchange: wire.Exchange{Status: 200, Body: []byte(body)},
					Request: &target.Request{Request: wire.Request{Method: method, URL: base + path}}})
			}
			noted("POST", "/api/v1/sandboxes", `{"id": "a/b"}`)
			for _, path := range row.deleted {
				noted("DELETE", path, `{"success": true}`)
			}
			c.Decommission(0)
			if got := requests(); !slices.Equal(got, row.want) {
				t.Errorf("the target was asked %q, want %q", got, row.want)
			}
		})
	}
}

// A configuration that comes with a message is deleted as well, whether its task has ended or not: no answer names it, so that it is
// looked for in the list of the task, by whoever has sent it.
func TestWhatCameWithAMessageIsUndone(t *testing.T) {
	t.Parallel()
	const told = `{"message": {"messageId": "m"}, "configuration": {"taskPushNotificationConfig": {"url": "https://receiver.example"}}}`
	const goesOn = `{"message": {"messageId": "m", "taskId": "t"}, "configuration": {"taskPushNotificationConfig": {"url": "https://receiver.example"}}}`
	const refused = `{"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}`
	task := func(state string) string { return `{"task": {"id": "t", "status": {"state": "` + state + `"}}}` }
	undone := []string{"GET /tasks/t" + configs, "DELETE /tasks/t" + configs + "/found"}
	for name, row := range map[string]struct {
		operation, params string
		status            int
		body              string
		want              []string
	}{
		"of a task at work":        {"SendMessage", told, 200, task("TASK_STATE_WORKING"), append(slices.Clone(undone), "POST /tasks/t:cancel")},
		"of a task that has ended": {"SendMessage", told, 200, task("TASK_STATE_COMPLETED"), undone},
		"of one that was refused":  {"SendMessage", goesOn, 400, refused, undone},
		"of nothing":               {"SendMessage", told, 400, refused, nil},
		"none":                     {"SendMessage", `{"message": {"messageId": "m"}}`, 200, task("TASK_STATE_COMPLETED"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, requests := askedBy(t, "a2a-1.0")
			at := &target.Endpoint{Binding: "HTTP+JSON", URL: c.target.Config.ExecutorURL}
			call := &target.Call{Operation: row.operation, At: at, Given: true, Params: jsontext.Parse([]byte(row.params))}
			c.Noticed(&target.Exchange{Exchange: wire.Exchange{Status: row.status, Body: []byte(row.body)},
				Request: &target.Request{Request: wire.Request{Method: "POST", URL: at.URL + "/message:send"}, Call: call}})
			if !c.DeleteConfigs() {
				t.Error("not all configurations are said to be gone")
			}
			c.CancelTasks()
			if diff := cmp.Diff(row.want, requests(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the target was asked (-want +got):\n%s", diff)
			}
		})
	}
}
