// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// fuzzed is a server that is asked without a network.
func fuzzed(f *testing.F) *Server {
	s, err := New(Config{Work: time.Nanosecond, Legacy: true, Seed: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Shutdown(f.Context()) })
	return s
}

// FuzzREST looks for requests that end in an internal error.
func FuzzREST(f *testing.F) {
	f.Add("POST", "message:send", "", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"ping"}]}}`)
	f.Add("POST", "message:send", "", `{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"data":null}]},"configuration":{"historyLength":"1"}}`)
	f.Add("GET", "tasks", "pageSize=2&status=TASK_STATE_COMPLETED&statusTimestampAfter=2026-01-01T00%3A00%3A00Z", "")
	f.Add("GET", "tasks/%2e%2e%2fx", "historyLength=1", "")
	f.Add("POST", "tasks/x:cancel", "", "")
	f.Add("POST", "tasks/x/pushNotificationConfigs", "", `{"taskId":"x","url":"http://[::1]/","authentication":{"scheme":"Bearer"}}`)
	s := fuzzed(f)
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		if _, err := url.ParseRequestURI("/a2a/" + path); err != nil || !known(method) || strings.Contains(body, "faulty-agent") {
			t.Skip("no request, or one whose answer is an internal error")
		}
		r, err := http.NewRequest(method, "http://a2a.example/a2a/"+path, strings.NewReader(body))
		if err != nil {
			t.Skip("no request")
		}
		r.URL.RawQuery = query
		ask(t, s, r)
	})
}

// FuzzRPC looks for requests that end in an internal error.
func FuzzRPC(f *testing.F) {
	f.Add("1.0", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"AA=="}]}}}`)
	f.Add("1.0", `{"jsonrpc":"2.0","id":"x","method":"GetExtendedAgentCard"}`)
	f.Add("", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"file","file":{"bytes":"AA==","mimeType":"image/png"}}]},"configuration":{"blocking":true}}}`)
	f.Add("0.3", `{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"x","pushNotificationConfig":{"url":"https://a2a.example/","authentication":{"schemes":["Bearer"]}}}}`)
	f.Add("1.0", `[1]`)
	s := fuzzed(f)
	f.Fuzz(func(t *testing.T, version, body string) {
		if strings.Contains(body, "faulty-agent") {
			t.Skip("its answer is an internal error")
		}
		r := httptest.NewRequest("POST", "/rpc", strings.NewReader(body))
		r.Header["A2a-Version"] = []string{version}
		a := ask(t, s, r)
		if strings.Contains(a, "-32603") {
			t.Errorf("%s\nis answered %s", body, a)
		}
	})
}

func known(method string) bool {
	return method == "GET" || method == "POST" || method == "PUT" || method == "DELETE" || method == "PATCH"
}

// ask has the server answer, and wants no internal error.
func ask(t *testing.T, s *Server, r *http.Request) string {
	t.Helper()
	if r.Header.Get("A2A-Version") == "" && !strings.HasPrefix(r.URL.Path, "/rpc") {
		r.Header.Set("A2A-Version", "1.0")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code >= 500 {
		t.Errorf("status %d\n%s", w.Code, w.Body)
	}
	return w.Body.String()
}
