// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/suites/policy"
)

// What a run leaves unread of the bundled suites changes neither which tests it plays nor what it says of a wrong pattern.
func TestUnreadSuitesChangeNoSelection(t *testing.T) {
	for name, s := range map[string]settings{
		"one id":                     {run: []string{"CARD-022"}},
		"a glob over several files":  {run: []string{"PTY-0*"}},
		"a name":                     {run: []string{"*signature*"}},
		"two patterns":               {run: []string{"SSE-*", "CARD-001"}},
		"less some":                  {run: []string{"SSE-*"}, skip: []string{"SSE-00*"}},
		"of a level":                 {run: []string{"CARD-*"}, level: []string{"should"}},
		"of a surface":               {run: []string{"*"}, surface: []string{"sse"}},
		"skipped in an unread file":  {run: []string{"SSE-*"}, skip: []string{"V1-*"}},
		"a pattern that is no test":  {run: []string{"CARD-O22"}},
		"a skip that is no test":     {run: []string{"SSE-*"}, skip: []string{"CRAD-001"}},
		"a level that leaves none":   {run: []string{"SSE-001"}, level: []string{"may"}},
		"a surface that there isn't": {run: []string{"SSE-001"}, surface: []string{"see"}},
	} {
		t.Run(name, func(t *testing.T) {
			s.profile = defaultProfile
			all := selected(t, &s, nil)
			some := selected(t, &s, s.wanted(policy.Files{}))
			if diff := cmp.Diff(all, some); diff != "" {
				t.Errorf("with all suites read (-), and with those that are needed (+):\n%s", diff)
			}
		})
	}
}

// selected is the ids of the tests that are chosen, all of them read; or the error.
func selected(t *testing.T, s *settings, wanted func(id, name string) bool) []string {
	t.Helper()
	profile, err := loadSelected(s.profile, wanted)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := s.selection(profile)
	if mistake := (*exit)(nil); errors.As(err, &mistake) {
		return []string{err.Error()}
	}
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, test := range profile.Tests() {
		if chosen.has(test) {
			ids = append(ids, test.ID)
			if test.Outlined {
				t.Errorf("%s is chosen and not read", test.ID)
			}
		}
	}
	return ids
}

// What is asked of the other tests as well needs all of them.
func TestSuitesAreReadForWhatSpeaksOfThem(t *testing.T) {
	run := []string{"CARD-022"}
	for name, c := range map[string]struct {
		s     settings
		files policy.Files
		all   bool
	}{
		"a pattern alone":      {s: settings{run: run}},
		"everything":           {s: settings{}, all: true},
		"a surface":            {s: settings{run: run, surface: []string{"card"}}, all: true},
		"something configured": {s: settings{run: run, configured: config.Configured{At: map[string]string{"hook:restart": "c.yaml:1:1: "}}}, all: true},
		"a baseline":           {s: settings{run: run}, files: policy.Files{Baseline: new(policy.Baseline)}, all: true},
		"a budget of skips":    {s: settings{run: run}, files: policy.Files{SkipBudget: new(policy.SkipBudget)}, all: true},
	} {
		if got := c.s.wanted(c.files) == nil; got != c.all {
			t.Errorf("%s: all suites are read: %t, want %t", name, got, c.all)
		}
	}
}
