// SPDX-License-Identifier: Apache-2.0

package subjects

import "testing"

// What is found about a list that was read page by page says on which page, or how long the pages were.
func TestFindingsNameThePage(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, subject string
		sizes         []int
		repeated      int
		want          string
	}{
		{"a list that lacks something", "listed[*].id", []int{2, 2, 1}, 0, " (on 3 pages of 2, 2 and 1)"},
		{"the whole list", "listed", []int{2, 0}, 0, " (on 2 pages of 2 and 0)"},
		{"a list that has elements twice", "listed[*].id", []int{2, 2, 2}, 2, " (on 3 pages of 2, 2 and 2; 2 were listed before)"},
		{"one page", "listed[*].id", []int{3}, 0, " (on one page, of 3)"},
		{"an element of the second page", "listed[3].status", []int{2, 2, 1}, 0, " (on page 2 of 3)"},
		{"the first element behind an empty page", "listed[0]", []int{0, 2}, 0, " (on page 2 of 2)"},
		{"an element that no page has", "listed[7]", []int{2, 2}, 0, " (on 2 pages of 2 and 2)"},
		{"pages", "pages[1].configs", []int{2, 2}, 0, " (on 2 pages of 2 and 2)"},
		{"a page that is no list", "listed", []int{2, -1}, 0, " (on 2 pages)"},
		{"many pages", "listed", []int{1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, " (on 9 pages)"},
		{"something else of the answer", "result.nextPageToken", []int{2, 2}, 0, ""},
		{"no pages", "listed", nil, 0, ""},
	} {
		if got := InPages(row.subject, row.sizes, row.repeated); got != row.want {
			t.Errorf("%s: %s says %q, want %q", row.name, row.subject, got, row.want)
		}
	}
}

// TestFindingsBelongToOneAnswer: of one element of a list, of a page, or of an answer of a poll it is known in which answer that is.
func TestFindingsBelongToOneAnswer(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]int{"listed[3].id": 1, "listed[*].id": -1, "listed[9]": -1, "pages[2].status": 2, "pages[7]": -1, "answers[1]": -1, "tasks[0]": -1} {
		if got := PageOf(subject, []int{2, 2, 1}); got != want {
			t.Errorf("%s is on page %d, want %d", subject, got, want)
		}
	}
	for subject, want := range map[string]int{"answers[12].header.ETag": 12, "answers": -1, "answers[*].status": -1, "tasks[1]": -1} {
		if got := AnswerOf(subject); got != want {
			t.Errorf("%s is of answer %d, want %d", subject, got, want)
		}
	}
}
