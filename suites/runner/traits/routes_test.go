// SPDX-License-Identifier: Apache-2.0

package traits

import (
	"fmt"
	"testing"
)

func TestRoutesAreNamedByHowOftenTheyMisbehave(t *testing.T) {
	count := func(routes ...string) RouteCount {
		c := RouteCount{}
		for _, route := range routes {
			c.Add(route)
		}
		return c
	}
	for _, test := range []struct {
		name  string
		count RouteCount
		want  string
	}{
		{"none", count(), ""},
		{"what no request led to", count("", ""), ""},
		{"the most frequent first", count("GET /a", "GET /b", "GET /b"), "GET /b (2), GET /a (1)"},
		{"equally frequent ones by name", count("GET /b", "GET /a"), "GET /a (1), GET /b (1)"},
		{"too many to name", count("GET /a", "GET /b", "GET /c", "GET /d", "GET /e", "GET /f"), "GET /a (1), GET /b (1), GET /c (1), GET /d (1) and 2 more"},
	} {
		if got := test.count.String(); got != test.want {
			t.Errorf("%s: says %q, want %q", test.name, got, test.want)
		}
	}
	many := RouteCount{}
	for i := range 2 * maxRoutesCounted {
		many.Add(fmt.Sprint("GET /", i))
	}
	if len(many) != maxRoutesCounted {
		t.Errorf("%d routes are counted, want %d", len(many), maxRoutesCounted)
	}
}
