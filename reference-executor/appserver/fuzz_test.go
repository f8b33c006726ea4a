// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzReaders: whatever is asked, the server has an answer that is no trouble of its own.
func FuzzReaders(f *testing.F) {
	for _, seed := range [][3]string{
		{"/api/v1/app-conversations/search", "limit=1&page_id=x&title__contains=a&created_at__gte=2000-01-01", ""},
		{"/api/v1/events/search", "timestamp__gte=2000-01-01T00:00:00%2B01:00&kind__eq=PauseEvent&sort_order=TIMESTAMP_DESC", ""},
		{"/api/v1/events", "id=*&id=../../&id=%2e%2e%2f", ""},
		{"/api/v1/app-conversations", "ids=3f0c2a52-6f2f-4d0e-9a8a-2f6d1f4a0b11", `{"trigger":"gui","pr_number":[1,"x"],"initial_message":{"content":[{"type":"text"}]}}`},
		{"/api/v1/webhooks/x/events/y", "", `[{"kind":"PauseEvent","id":"1","timestamp":"2026-01-01T00:00:00","source":"user"}]`},
		{"/api/v1/webhooks/secrets", "access_token=a.b.c", ""},
		{"/api/conversations/%zz/config", "", "{"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	s, err := New(Config{NoRateLimit: true, Step: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Shutdown(f.Context()) })
	box := s.Says("sandbox", nil)
	f.Fuzz(func(t *testing.T, path, query, body string) {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			r := httptest.NewRequest(method, "http://app.test/", strings.NewReader(body))
			r.URL = &url.URL{Path: path, RawQuery: query}
			r.Header.Set(sessionHeader, box["session_api_key"].(string))
			r.Header.Set(accessHeader, query)
			r = r.WithContext(t.Context())
			if method == "POST" && (strings.HasSuffix(path, "/stream-start") || strings.HasSuffix(path, "/app-conversations")) {
				continue // a start goes on in the background
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code >= http.StatusInternalServerError {
				t.Fatalf("%s %s?%s with %q is %d: %s", method, path, query, body, w.Code, w.Body)
			}
		}
	})
}

// FuzzTimes: a time that is read is read again as it is written.
func FuzzTimes(f *testing.F) {
	for _, seed := range []string{"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123456+05:30", "2026-01-01 00:00", "2026-01-01", "x", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, is := readTime(text)
		if !is || at.Year() > 9999 {
			return
		}
		if again, is := readTime(stamp(at)); !is || again.Sub(at).Abs() > 1000 {
			t.Errorf("%q is %s, and then %s", text, at, again)
		}
	})
}

// FuzzUUIDs: what is read as a UUID has 32 hex digits, and hyphens make no difference.
func FuzzUUIDs(f *testing.F) {
	for _, seed := range []string{nobodys, strings.ReplaceAll(nobodys, "-", ""), "{" + nobodys + "}", "------------------------------------"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, is := readUUID(text)
		if !is {
			return
		}
		if again, is := readUUID(strings.ToUpper(hyphenated(id))); !is || again != id || len(id) != 32 {
			t.Errorf("%q is %q, and then %q", text, id, again)
		}
	})
}
