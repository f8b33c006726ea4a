// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net/http"
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Users log in by a bearer token, or by the cookie that the operator names: beside the cookies that he gives for every request, each user by
// his own, and nobody by any.
func TestLoginByACookie(t *testing.T) {
	t.Parallel()
	const server = "https://agent.example"
	s := &Target{Place: Place{Root: server}}
	s.Config = Config{Tokens: map[string]string{"instance": "one", "foreign": "two"}}
	lines := func(identity string) (all []string) {
		for _, h := range s.OwnHeader(server, identity) {
			all = append(all, h.Name+": "+h.Value)
		}
		return all
	}
	if got := lines("foreign"); !slices.Equal(got, []string{"Authorization: Bearer two"}) {
		t.Errorf("without a cookie the second user shows %q", got)
	}
	s.Config.Hooks = map[string]Hook{LoginCookieHook: {Value: "session"}}
	for identity, want := range map[string][]string{"instance": {"Cookie: session=one"}, "foreign": {"Cookie: session=two"}, Anonymous: nil} {
		if got := lines(identity); !slices.Equal(got, want) {
			t.Errorf("%s shows %q, want %q", identity, got, want)
		}
	}
	s.Config.Header = http.Header{"Cookie": {"route=a"}}
	if got := lines("foreign"); !slices.Equal(got, []string{"Cookie: route=a; session=two"}) {
		t.Errorf("beside a cookie of the operator the second user shows %q", got)
	}
	if got := s.WithLogin([]suites.Header{{Name: LoginHeader, Value: "three"}}); got[0].Name != "Cookie" || got[0].Value != "session=three" {
		t.Errorf("a login of the suite is %v", got)
	}
}
