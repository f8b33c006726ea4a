// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// TestDiagnoseHostile: whatever a server does, the diagnosis ends, finds that something is wrong, says it in harmless
// words, and leads no token anywhere else.
func TestDiagnoseHostile(t *testing.T) {
	t.Parallel()
	for _, server := range gauntlet.Servers() {
		if server.Heavy || !slices.Contains([]gauntlet.Place{gauntlet.Everywhere, gauntlet.BesideTheCard}, server.Place) {
			continue
		}
		t.Run(string(server.Place)+": "+server.Name, func(t *testing.T) {
			t.Parallel()
			r, err := server.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.Close)
			r.LeadTo(newWard())
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			d, err := Diagnose(ctx, profiles.Of("agentic-sandbox-v2"), target.Config{ExecutorURL: r.URL(), Tokens: map[string]string{"instance": wardToken, "admin": wardAdmin}},
				Options{Limits: target.Limits{Request: quick, Connect: quick}})
			if err != nil {
				t.Fatal(err)
			}
			if ctx.Err() != nil {
				t.Fatal("the diagnosis did not end by itself")
			}
			rightAnswers := strings.HasSuffix(server.Name, "in a right answer") // they hold more than was asked for
			if d.Verdict == report.Passed && !rightAnswers {
				t.Errorf("nothing fails: %+v", d.Checks)
			}
			for _, c := range d.Checks {
				harmless(t, c.Topic, c.Seen)
				harmless(t, c.Topic, c.Do)
			}
			for _, line := range r.Elsewhere() {
				if strings.Contains(line, wardToken) || strings.Contains(line, wardAdmin) {
					t.Errorf("another host was shown a token: %s", line)
				}
			}
		})
	}
}

func harmless(t *testing.T, topic, text string) {
	t.Helper()
	switch {
	case utf8.RuneCountInString(text) > maxSaid:
		t.Errorf("%s says %d characters", topic, utf8.RuneCountInString(text))
	case strings.IndexFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) >= 0 || !utf8.ValidString(text):
		t.Errorf("%s says what acts on a terminal: %q", topic, text)
	case strings.Contains(text, wardToken) || strings.Contains(text, wardAdmin):
		t.Errorf("%s shows a token: %s", topic, text)
	}
}
