// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/base64"
	"errors"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

func TestNames(t *testing.T) {
	t.Parallel()
	r := newRun(profiles.Of(""), Target{Tokens: map[string]string{"instance": fakeToken, "observe": "oooo"},
		Announced: map[string]string{"v1-sunset": "soon"}}, Options{})
	r.Place = target.PlaceOf(r.Config, "http://h", "http://h/agents/i", "i")
	p := r.newPlayer(t.Context(), &suites.Test{Suite: &suites.Suite{URIs: map[string]string{"runtime": "u"}}}, nil)
	p.cells = map[string]any{"x": true}
	p.names.Set("kept", []any{"a"})
	for name, want := range map[string]string{
		"root": "http://h", "base": "http://h/agents/i", "executor": "http://h/agents/i", "api": "http://h/agents/i/v1",
		"admin": "http://h/api/v2/admin", "jwks": "http://h/agents/i/.well-known/jwks.json", "iid": "i",
		"token": fakeToken, "token.admin": fakeToken, "token.observe": "oooo",
		"token.instance.base64url": base64.RawURLEncoding.EncodeToString([]byte(fakeToken)),
		"token.instance.basic":     base64.StdEncoding.EncodeToString([]byte("conformance:" + fakeToken)),
		"token.instance.shortened": fakeToken[:len(fakeToken)-1], "token.observe.swapped": "OOOO",
		"uri.runtime": "u", "case.x": "true", "kept": `["a"]`, "filler.3B": "xxx", "announced.v1_sunset": "soon",
		"announced.idempotency_ttl": "86400", "announced.v1_link": "https://agentic-sandbox.aiwg.io/v2-migration-guide",
	} {
		if got, err := p.expandString("<${" + name + "}>"); err != nil || got != "<"+want+">" {
			t.Errorf("${%s} is %q, %v", name, got, err)
		}
	}
	other, _ := p.expandString("${token.instance.altered}")
	if other == fakeToken || len(other) != len(fakeToken) {
		t.Errorf("the altered token is %q", other)
	}
	for _, name := range []string{"nothing", "fresh.nothing", "uri.nothing", "case.y", "filler.9999GiB", "filler.-1B", "token.instance.nothing", "announced.nothing", "x.y"} {
		if v, err := p.lookup(name); err == nil {
			t.Errorf("${%s} is %v", name, v)
		}
	}
	for name, code := range map[string]string{"token.operator": "no-token:operator", "cue.failed": "no-cue:failed"} {
		_, err := p.lookup(name)
		var skip *target.Skipped
		if !errors.As(err, &skip) || skip.Reason.Code != code {
			t.Errorf("${%s} gives %v", name, err)
		}
	}
}
