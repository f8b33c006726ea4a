// SPDX-License-Identifier: Apache-2.0

package subjects

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

func TestHeadersAreFoundInAnyCase(t *testing.T) {
	t.Parallel()
	o := New()
	o.SetHead(200, http.Header{"A2a-Extensions": {"a, b", "c"}, "X-Y": {"1"}})
	for path, want := range map[string]any{
		"header.A2A-Extensions": "a, b, c", "header.a2a-extensions": "a, b, c", "headers.A2A-Extensions[1]": "c",
		"exchange.header.x-y": "1", "exchange.headers.X-Y[0]": "1", "echoed": []any{"a", "b", "c"},
		"header.Nothing": assertions.Missing, "status": json.Number("200"),
	} {
		if got := o.At(assertions.MustPath(path)); !cmp.Equal(want, got, cmp.Comparer(func(a, b missingType) bool { return a == b })) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// missingType names the type of Missing for cmp, which does not look into it.
type missingType interface{ String() string }

// Why an answer is not whole can be judged (A2A-SEC-016).
func TestProblemsOfAnswersAreTold(t *testing.T) {
	t.Parallel()
	o := OfAnswer(&target.Exchange{Exchange: wire.Exchange{Status: 200, Problem: "the body was cut: no gzip"}})
	if got := o.All()["error"]; got != "the body was cut: no gzip" {
		t.Errorf("the exchange says %v", got)
	}
}

// What is made for the places that a condition looks at is what these places are in the whole exchange.
func TestAPartIsThatPartOfTheWhole(t *testing.T) {
	t.Parallel()
	o := OfAnswer(&target.Exchange{Exchange: wire.Exchange{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"status":{"state":"working"}}`)}})
	o.Value("pages", []any{})
	o.Asks(&target.Target{}, &observe.Request{Method: "GET", Route: "GET /x", Body: []byte(`{"a":1}`)})
	all := o.All()
	for _, paths := range [][]string{
		{"status"}, {"request.method", "request.json.a", "status"}, {"request", "request.method"}, {"request.nothing"}, {"request.method", "request"},
		{"json.status.state", "json"}, {"nothing"}, {"pages"}, {"header.Content-Type", "body"},
	} {
		var places []assertions.Path
		for _, path := range paths {
			places = append(places, assertions.MustPath(path))
		}
		part := o.Part(places)
		for _, place := range places {
			if whole, got := place.Find(all), place.Find(part); !cmp.Equal(whole, got, cmp.Comparer(func(a, b missingType) bool { return a == b })) {
				t.Errorf("%v: %s is %v, want %v", paths, place, got, whole)
			}
		}
	}
}
