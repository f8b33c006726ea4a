// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

// TestSoftenedBy: where the text of a requirement is what softens it, nobody is sent to look for a ruling.
func TestSoftenedBy(t *testing.T) {
	t.Parallel()
	for ruling, want := range map[string]string{"A18": "ruling A18", "catalog": "by the requirement's own text"} {
		if got := softenedBy(ruling); got != want {
			t.Errorf("%s is told as %q, want %q", ruling, got, want)
		}
	}
}

// TestCommandsGoOn: a command line that is too long goes on behind a backslash, as a shell reads it.
func TestCommandsGoOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, fault, want string }{
		{"a short one", "x", "    " + demo.Demo("a2a-1.0") + " --run A-1 --fault x\n"},
		{"a long one", strings.Repeat("long-", 9) + "name",
			"    " + demo.Demo("a2a-1.0") + " --run A-1 \\\n      --fault " + strings.Repeat("long-", 9) + "name\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			(&page{w: &b}).command(demo.Demo("a2a-1.0")+" --run A-1", "--fault "+test.fault)
			if b.String() != test.want {
				t.Errorf("the command is written as\n%swant\n%s", b.String(), test.want)
			}
		})
	}
}

// TestRulingsAreWrappedOnce: a line of a ruling ends where the next word has no room.
func TestRulingsAreWrappedOnce(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		all, err := catalog.Rulings(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			var b bytes.Buffer
			Ruling(&b, r)
			lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
			for i := 1; i < len(lines)-1; i++ {
				next, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
				if room := widest - utf8.RuneCountInString(lines[i]); strings.HasPrefix(lines[i], "    ") && !strings.HasPrefix(lines[i], "     ") && room > utf8.RuneCountInString(next) {
					t.Errorf("%s of %s breaks a line before %q, which has room in it: %q", r.ID, name, next, lines[i])
				}
			}
		}
	}
}
