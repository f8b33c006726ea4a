// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A hookCall is what a webhook got.
type hookCall struct {
	path   string
	header http.Header
	body   []byte
	state  string
}

// hooks is a webhook that answers some deliveries with other statuses first.
func hooks(t *testing.T, statuses ...int) (url string, got func() []hookCall) {
	t.Helper()
	var mu sync.Mutex
	var list []hookCall
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var v struct {
			Event struct{ Status struct{ State string } } `json:"status_event"`
		}
		_ = json.Unmarshal(body, &v)
		mu.Lock()
		defer mu.Unlock()
		status := http.StatusOK
		if len(list) < len(statuses) {
			status = statuses[len(list)]
		}
		list = append(list, hookCall{r.URL.RequestURI(), r.Header, body, v.Event.Status.State})
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []hookCall {
		mu.Lock()
		defer mu.Unlock()
		return append([]hookCall(nil), list...)
	}
}

func TestPushDelivers(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{RetryPause: time.Millisecond, Token: "the-instance-token"})
	url, got := hooks(t, 500, 302)
	id := b.send("hello")
	b.reaches(id, working)
	config := func(path, auth string) string {
		r := b.do("POST", "v1/tasks/"+id+"/pushNotificationConfigs", `{"url":"`+url+path+`"`+auth+`}`)
		if r.status != http.StatusCreated {
			t.Fatalf("create answers %d %s", r.status, r.body)
		}
		return r.json["id"].(string)
	}
	config("/hmac?x=1", `,"auth":{"type":"hmac","secret":"s1"}`)
	gone := config("/gone", "")
	b.do("DELETE", "v1/tasks/"+id+"/pushNotificationConfigs/"+gone, "")
	b.do("POST", "v1/tasks/"+id+"/cancel", "")
	eventually(t, "the third attempt", func() bool { return len(got()) >= 3 })
	for _, d := range got() {
		if d.path != "/hmac?x=1" || d.state != canceled || d.header.Get("Authorization") != "" || string(d.body) != string(got()[0].body) {
			t.Errorf("delivered %s %v %s", d.path, d.header, d.body)
		}
		seconds, _, _ := strings.Cut(strings.TrimPrefix(d.header.Get("X-AIWG-Signature"), "t="), ",")
		at, err := time.Parse("2006-01-02", "1970-01-01")
		offset, parseErr := time.ParseDuration(seconds + "s")
		if err != nil || parseErr != nil {
			t.Fatal(d.header)
		}
		if want := pushSignature("s1", d.body, at.Add(offset)); d.header.Get("X-AIWG-Signature") != want {
			t.Errorf("signature is %s, want %s", d.header.Get("X-AIWG-Signature"), want)
		}
	}
}

func TestPushTellsEveryState(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{RetryPause: time.Millisecond})
	url, got := hooks(t)
	id := b.send("scenario: completed")
	b.reaches(id, working)
	b.do("POST", "v1/tasks/"+id+"/pushNotificationConfigs", `{"url":"`+url+`","auth":{"type":"bearer","secret":"s2"}}`)
	eventually(t, "the delivery of the end", func() bool {
		list := got()
		return len(list) > 0 && list[len(list)-1].state == completed
	})
	if h := got()[0].header; h.Get("Authorization") != "Bearer s2" || h.Get("X-AIWG-Signature") != "" {
		t.Errorf("header is %v", h)
	}
}

func TestDeadWebhookHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{RetryPause: time.Millisecond})
	release := make(chan struct{})
	dead := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(dead.Close)
	t.Cleanup(func() { close(release) })
	url, got := hooks(t)
	slow, healthy := b.send("hello"), b.send("hello")
	b.do("POST", "v1/tasks/"+slow+"/pushNotificationConfigs", `{"url":"`+dead.URL+`"}`)
	b.do("POST", "v1/tasks/"+healthy+"/pushNotificationConfigs", `{"url":"`+url+`"}`)
	if r := b.do("POST", "v1/tasks/"+slow+"/cancel", ""); r.status != http.StatusOK {
		t.Errorf("cancel answers %d", r.status)
	}
	b.do("POST", "v1/tasks/"+healthy+"/cancel", "")
	eventually(t, "the healthy delivery", func() bool {
		list := got()
		return len(list) > 0 && list[len(list)-1].state == canceled
	})
}

func TestPushURLs(t *testing.T) {
	t.Parallel()
	for url, fine := range map[any]bool{
		"http://127.0.0.1:9/x?y=1": true, "https://example.org/": true, "not a url": false, "/relative": false, "ftp://example.org/x": false,
		"file:///etc/passwd": false, "javascript:alert(1)": false, "": false, "http://": false, "http://user:pw@example.org/": false, nil: false, 7: false,
	} {
		if _, p := parsePushURL(url); (p == nil) != fine {
			t.Errorf("%v is taken: %t, want %t", url, p == nil, fine)
		}
	}
}
