// SPDX-License-Identifier: Apache-2.0

package explain

import "testing"

func TestPatternsAreRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, pattern, want string }{
		{"a literal", `task.state is "working"`, `task.state is "working"`},
		{"an escape", `json\.a is missing`, `json.a is missing`},
		{"a number", `events\[\d+\].id is "[0-9]+", want`, `events[n].id is "n", want`},
		{"anything in between", `is missing.* in the element`, `is missing… in the element`},
		{"anything between words", `is "a" .*and b.*`, `is "a" … and b`},
		{"anything behind a quote", `request ".*message:send" and`, `request "…message:send" and`},
		{"anything at the ends", `.*a is b.*`, `a is b`},
		{"where a whole-run check found it", `course\[1\].state is "a" .GET [^ ]*/tasks[?][^ ]* in [A-Z0-9]+-\d+; \d+ of \d+ tasks.`,
			`course[1].state is "a" (GET …/tasks?… in a test; n of n tasks)`},
		{"behind which something follows", `errcode is "x" .DELETE [^ ]* in [A-Z0-9]+-\d+; \d+ of \d+ answers., want "y"`,
			`errcode is "x" (DELETE … in a test; n of n answers), want "y"`},
		{"alternatives", `json.a is (missing|null)`, `json.a is missing or null`},
		{"alternatives in quotes", `state is "(submitted|working)"`, `state is "submitted" or "working"`},
		{"alternatives that begin alike", `(status|state) is missing`, `status or state is missing`},
		{"alternatives inside a word", `"/(status|artifact)Update/id"`, `"/(status or artifact)Update/id"`},
		{"whole alternatives", `status is 200, want 400|errcode is missing`, `status is 200, want 400 or errcode is missing`},
		{"what may be left out", `json(.result)?.a is missing`, `json(.result).a is missing`},
		{"a UUID", `id is "[0-9a-f-]{36}"`, `id is "ID"`},
		{"a letter n is no number", `json\S* is null`, `json… is null`},
		{"any case", `(?i)cancelled`, `cancelled`},
		{"anchors", `^status is 404$`, `status is 404`},
		{"no pattern", `status is (`, `status is (`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := patternText(test.pattern); got != test.want {
				t.Errorf("%s is read as\n%s\nwant\n%s", test.pattern, got, test.want)
			}
		})
	}
}
