// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A pushed is what a webhook was sent.
type pushed struct {
	method, target string
	header         http.Header
	body           object
}

// hook serves a webhook that answers with a status.
func hook(t *testing.T, status int) (url string, got <-chan pushed) {
	t.Helper()
	arrived := make(chan pushed, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		p := pushed{method: r.Method, target: r.URL.RequestURI(), header: r.Header}
		if err := json.Unmarshal(text, &p.body); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		arrived <- p
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, arrived
}

// next waits for something to be pushed.
func next(t *testing.T, got <-chan pushed) pushed {
	t.Helper()
	select {
	case p := <-got:
		return p
	case <-time.After(15 * time.Second):
		t.Fatal("nothing was pushed")
		return pushed{}
	}
}

func TestPushes(t *testing.T) {
	t.Parallel()
	over(t, Config{AllowLoopbackHooks: true}, func(t *testing.T, cl *client) {
		url, got := hook(t, 204)
		failing, tried := hook(t, 500)
		task := cl.task(configured(send("scenario: long-running"), object{
			"returnImmediately": true, "taskPushNotificationConfig": object{"url": failing},
		}))
		id := task["id"]
		created := cl.must("CreateTaskPushNotificationConfig", object{
			"taskId": id, "url": url + "/h?a=1&b=%2F", "token": "t", "authentication": object{"scheme": "Bearer", "credentials": "secret"},
		})
		if created["taskId"] != id || created["url"] != url+"/h?a=1&b=%2F" || created["id"] == "" {
			t.Errorf("created %v", created)
		}
		seen := cl.must("GetTaskPushNotificationConfig", object{"taskId": id, "id": created["id"]})
		if diff := cmp.Diff(created, seen); diff != "" {
			t.Errorf("read back (-created +got):\n%s", diff)
		}
		list := cl.must("ListTaskPushNotificationConfigs", object{"taskId": id})["configs"].([]any)
		if len(list) != 2 {
			t.Errorf("%d configurations are listed", len(list))
		}
		next(t, tried)
		for {
			p := next(t, got)
			if p.method != "POST" || p.target != "/h?a=1&b=%2F" || p.header.Get("Authorization") != "Bearer secret" || p.header.Get("Content-Type") != mediaA2A {
				t.Errorf("delivered %+v", p)
			}
			if len(p.body) != 1 {
				t.Errorf("delivered %v", p.body)
			}
			if update, is := p.body["statusUpdate"].(object); is && terminal(stateOf(update)) {
				if update["taskId"] != id || stateOf(update) != completed {
					t.Errorf("delivered %v", update)
				}
				break
			}
		}
		for range 2 {
			if got := cl.call("DeleteTaskPushNotificationConfig", object{"taskId": id, "id": created["id"]}); got.err != nil {
				t.Errorf("delete: %s", got.body)
			}
		}
		if got := cl.call("GetTaskPushNotificationConfig", object{"taskId": id, "id": created["id"]}); got.reason != "TASK_NOT_FOUND" {
			t.Errorf("deleted: %s", got.body)
		}
	})
}

// hangingHook is a webhook that does not answer before never is closed.
func hangingHook(t *testing.T, never chan struct{}) (url string, reached <-chan struct{}) {
	t.Helper()
	arrived := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-never
	}))
	t.Cleanup(server.Close)
	return server.URL, arrived
}
