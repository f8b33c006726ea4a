// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestMistakes: a mistake in the options is told with the name of the option, and without what may be secret.
func TestMistakes(t *testing.T) {
	t.Parallel()
	nothing := http.NotFoundHandler()
	for _, row := range []struct {
		name    string
		options Options
		want    string // "; " stands between several
	}{
		{"nothing at all", Options{}, `Profile is ""; there is a2a-1.0, agentic-sandbox-v2, openhands-v1, sac`},
		{"a profile that is misspelt", Options{Profile: "a2a-1.1", Handler: nothing}, `Profile is "a2a-1.1" (did you mean "a2a-1.0"?); there is a2a-1.0, agentic-sandbox-v2, openhands-v1, sac`},
		{"no server", Options{Profile: A2A}, "URL, Handler and NewHandler are all empty: which server? Give one of them"},
		{"two servers", Options{Profile: A2A, URL: "http://127.0.0.1:1", Handler: nothing}, "URL and Handler exclude each other"},
		{"a URL without a scheme", Options{Profile: A2A, URL: "127.0.0.1:9700"}, "URL is no "},
		{"another scheme", Options{Profile: A2A, URL: "ftp://agent.example/"}, "URL is no http or https URL with a host"},
		{"a password in the URL", Options{Profile: A2A, URL: "http://alice:secret@agent.example/"}, "URL holds credentials; they are given as Token or Header"},
		{"a password in what is no URL", Options{Profile: A2A, URL: "http://alice:secret@agent.example:port/"}, "URL is no URL: invalid port"},
		{"a query", Options{Profile: A2A, URL: "http://agent.example/?x=1"}, "URL has a query or a fragment, which a base address cannot have"},
		{"a token with a scheme", Options{Profile: A2A, Handler: nothing, Token: "Bearer secret"}, `Tokens: that of instance holds a blank`},
		{"a token twice", Options{Profile: A2A, Handler: nothing, Token: "secret", Tokens: map[string]string{"instance": "secret"}}, `Token and Tokens["instance"] are the same token`},
		{"an empty token", Options{Profile: A2A, Handler: nothing, Tokens: map[string]string{"admin": ""}}, `Tokens["admin"] is empty`},
		{"a token of nobody", Options{Profile: A2A, Handler: nothing, Tokens: map[string]string{"amdin": "secret"}}, `Tokens has the identity "amdin", which no requirement knows (did you mean "admin"?)`},
		{"a bearer token as header", Options{Profile: A2A, Handler: nothing, Header: http.Header{"Authorization": {"Bearer secret"}}}, "Header holds a bearer token; give it as Token"},
		{"a header with a line break", Options{Profile: A2A, Handler: nothing, Header: http.Header{"X-Key": {"a\nsecret"}}}, `Header: "X-Key" is not written as http.Header.Add writes it`},
		{"a host with a path", Options{Profile: A2A, Handler: nothing, AllowHosts: []string{"agent.example/a2a"}}, "AllowHosts names hosts"},
		{"a hook that is misspelt", Options{Profile: AgenticSandbox, Handler: nothing, Hooks: map[string]Hook{"restrat": {Value: true}}}, `Hooks has "restrat", which agentic-sandbox-v2 does not know (did you mean "restart"?)`},
		{"a hook that does nothing", Options{Profile: AgenticSandbox, Handler: nothing, Hooks: map[string]Hook{"restart": {}}}, `Hooks["restart"] has neither Func nor Value`},
		{
			"a hook that does both", Options{Profile: AgenticSandbox, Handler: nothing, Hooks: map[string]Hook{"restart": {Value: 1, Func: func(context.Context, map[string]any) (any, error) { return 1, nil }}}},
			`Hooks["restart"] has both Func and Value`,
		},
		{"a cue that is misspelt", Options{Profile: A2A, Handler: nothing, Cues: map[string]any{"complete": "x"}}, `Cues has "complete", which a2a-1.0 does not know (did you mean "completed"?)`},
		{"an empty cue", Options{Profile: A2A, Handler: nothing, Cues: map[string]any{"completed": ""}}, `Cues["completed"] is empty`},
		{"a pattern that matches nothing", Options{Profile: A2A, Handler: nothing, Run: []string{"A2A-CARD-999"}}, `Run: "A2A-CARD-999" matches no requirement of a2a-1.0`},
		{"a pattern that is none", Options{Profile: A2A, Handler: nothing, Skip: []string{"["}}, `Skip: the pattern "[" is malformed`},
		{"everything left out", Options{Profile: A2A, Handler: nothing, Skip: []string{"*"}}, "Run and Skip leave none of the "},
		{"numbers", Options{Profile: A2A, Handler: nothing, MaxWait: -time.Second, TimeFactor: -1, Jobs: -1}, "MaxWait is -1s, want; TimeFactor is -1, want; Jobs is -1, want"},
		{"a baseline that is not there", Options{Profile: A2A, Handler: nothing, Baseline: "testdata/nosuch.yaml"}, "Baseline and SkipBudget: "},
		{"a skip budget of another reason", Options{Profile: A2A, Handler: nothing, SkipBudget: "testdata/baseline.yaml"}, "Baseline and SkipBudget: "},
	} {
		_, err := newPlan("TestX", row.options, goTest{})
		if err == nil {
			t.Errorf("%s: nobody notices", row.name)
			continue
		}
		for want := range strings.SplitSeq(row.want, "; ") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", row.name, err, want)
			}
		}
		if !strings.Contains(err.Error(), "conformance: Options.") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v names no option, or what is secret", row.name, err)
		}
	}
}

// TestValuesThatAreNoJSON: so are values that cannot be sent.
func TestValuesThatAreNoJSON(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		`conformance: Options.Cues["completed"] is no JSON`:      {Cues: map[string]any{"completed": make(chan int)}},
		`conformance: Options.Hooks["restart"].Value is no JSON`: {Hooks: map[string]Hook{"restart": {Value: make(chan int)}}},
		`conformance: Options.NewHandler has returned nil`:       {NewHandler: func(string) http.Handler { return nil }},
	} {
		p := plan{Options: o}
		if err := p.reach(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestProfiles: there is a name for every bundled profile.
func TestProfiles(t *testing.T) {
	t.Parallel()
	if known := suites.Profiles(); !slices.Equal(known, []string{A2A, AgenticSandbox, OpenHandsV1, SAC}) {
		t.Errorf("the profiles are %v", known)
	}
}
