// SPDX-License-Identifier: Apache-2.0

package assertions

import "testing"

// What is quoted ends where the sentence is cut: a reader of the sentence, and a program, find the end of it.
func TestACutSentenceClosesItsQuotes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		most int
		want string
	}{
		{`is "abc"`, 8, `is "abc"`},
		{`is "abcdef", want 1`, 7, `is "abc"... (cut)`},
		{`is "abc", want 1`, 12, `is "abc", wa... (cut)`},
		{`is "ab\"cdef"`, 7, `is "ab"... (cut)`},
		{`is "ab\"cdef"`, 9, `is "ab\"c"... (cut)`},
	} {
		if got := cutText(row.text, row.most); got != row.want {
			t.Errorf("%s cut at %d: got %s, want %s", row.text, row.most, got, row.want)
		}
	}
}
