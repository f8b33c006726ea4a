// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRootOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, address, want string }{
		{"a deployment", "https://h:8443/", "https://h:8443"},
		{"an instance", "https://h/agents/x", "https://h"},
		{"an instance with a slash", "https://h/agents/x/", "https://h"},
		{"behind a proxy's path", "https://h/team/agents/x", "https://h/team"},
		{"a host called agents", "http://agents/agents/x", "http://agents"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := rootOf(row.address); got != row.want {
				t.Errorf("rootOf(%q) = %q, want %q", row.address, got, row.want)
			}
		})
	}
}

func TestListInstances(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, answer, want, wrong string }{
		{"those that run", `{"items":[{"id":"a","state":"running"},{"id":"b","state":"stopped"},{"id":"c"}]}`, "a c", ""},
		{"none", `{"items":[]}`, "", "none is ready"},
		{"no list", `<html>`, "", "the answer is no list"},
		{"ids that are paths are left out", `{"items":[{"id":"../x"},{"id":"a"}]}`, "a", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/v2/admin/instances" || r.Header.Get("Authorization") != "Bearer secret" {
					http.NotFound(w, r)
					return
				}
				fmt.Fprint(w, row.answer)
			}))
			defer server.Close()
			ids, err := listInstances(context.Background(), server.Client(), server.URL+"/agents/x", "", "secret")
			if got := strings.Join(ids, " "); got != row.want {
				t.Errorf("instances are %q, want %q", got, row.want)
			}
			if row.wrong == "" && err != nil || row.wrong != "" && (err == nil || !strings.Contains(err.Error(), row.wrong)) {
				t.Errorf("error is %v, want %q", err, row.wrong)
			}
		})
	}
}
