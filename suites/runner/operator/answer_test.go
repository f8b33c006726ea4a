// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

func TestTheProvisionHook(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value         any
		seconds, name string // of the result; no name: it is refused
	}{
		{map[string]any{"body": map[string]any{"runtime": "qemu"}}, "300", "conformance-"},
		{map[string]any{"runtime": "qemu", "name": "mine"}, "300", "mine-"},
		{map[string]any{"body": map[string]any{"runtime": "qemu", "name": strings.Repeat("n", 63)}, "seconds": json.Number("90")}, "90", strings.Repeat("n", 40) + "-"},
		{map[string]any{"body": map[string]any{}, "seconds": "soon"}, "", ""},
		{map[string]any{"body": map[string]any{}, "seconds": json.Number("0")}, "", ""},
		{"a text", "", ""},
	} {
		result, err := (&Operator{}).provision(test.value)
		name, _ := readers.Member(readers.Member(result, "body"), "name").(string)
		if (err != nil) != (test.name == "") || !strings.HasPrefix(name, test.name) || len(name) > 63 || err == nil && fmt.Sprint(readers.Member(result, "seconds")) != test.seconds {
			t.Errorf("%v gives %v, %v", test.value, result, err)
		}
	}
}

// What a hook has to answer with certain members is held to them, whichever way it is configured.
func TestAHookWithMembers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		hook   string
		value  any
		wanted string // empty: it is taken
	}{
		{"may-start", map[string]any{"seconds": 15}, ""},
		{"may-start", true, "JSON with seconds, a number above 0"},
		{"may-start", map[string]any{"seconds": 0}, "JSON with seconds, a number above 0"},
		{"may-start", map[string]any{"seconds": "15"}, "JSON with seconds, a number above 0"},
		{"sandbox", map[string]any{"sandbox_id": "a", "session_api_key": "k"}, ""},
		{"sandbox", map[string]any{"sandbox_id": "a", "session_api_key": nil}, "JSON with sandbox_id and session_api_key"},
		{"sandbox", "a", "JSON with sandbox_id and session_api_key"},
		{"persistence-dir", map[string]any{"files": []any{}}, ""},
		{"persistence-dir", []any{}, "JSON with files"},
		{"oss", true, ""},
	} {
		config := target.Config{Hooks: map[string]target.Hook{test.hook: {Value: test.value}}}
		of := &target.Target{}
		of.Open(profiles.Of("openhands-v1"), config, target.Limits{Request: 5 * time.Second})
		o := New(of, secrets.New(nil, config))
		_, err := o.ask(t.Context(), time.Minute, test.hook, nil)
		if (err == nil) != (test.wanted == "") || err != nil && !strings.HasSuffix(err.Error(), ", want "+test.wanted) {
			t.Errorf("%s: %v gives %v", test.hook, test.value, err)
		}
	}
}
