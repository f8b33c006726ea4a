// SPDX-License-Identifier: Apache-2.0

package subjects

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxSizesNamed bounds the pages whose lengths are named.
const maxSizesNamed = 8

// listedElement is a subject about one element of all that the pages of a list have.
var listedElement = regexp.MustCompile(`^listed\[(\d+)\]`)

// oneAnswer is a subject about one page, or one of the answers of a poll.
var oneAnswer = regexp.MustCompile(`^(?:pages|answers)\[(\d+)\]`)

// again says of the elements of a list how many of them the list had before.
func again(repeated int) string {
	switch repeated {
	case 0:
		return ""
	case 1:
		return "; 1 was listed before"
	}
	return fmt.Sprintf("; %d were listed before", repeated)
}

// InPages says of something found about a list that was read page by page on which page it is, or how long the pages were, by the number of
// elements of each, -1 where that is not known, and how many elements a page before had as well. It is empty of what is about something else.
func InPages(subject string, sizes []int, repeated int) string {
	head, _, _ := strings.Cut(subject, ".")
	head, _, _ = strings.Cut(head, "[")
	if head != "listed" && head != "pages" || len(sizes) == 0 {
		return ""
	}
	if page := PageOf(subject, sizes); page >= 0 && head == "listed" {
		if len(sizes) == 1 {
			return ""
		}
		return fmt.Sprintf(" (on page %d of %d)", page+1, len(sizes))
	}
	var named []string
	for _, size := range sizes {
		if size < 0 || len(sizes) > maxSizesNamed {
			if len(sizes) == 1 {
				return " (on one page)"
			}
			return fmt.Sprintf(" (on %d pages%s)", len(sizes), again(repeated))
		}
		named = append(named, strconv.Itoa(size))
	}
	if last := len(named) - 1; last > 0 {
		return fmt.Sprintf(" (on %d pages of %s and %s%s)", len(named), strings.Join(named[:last], ", "), named[last], again(repeated))
	}
	return fmt.Sprintf(" (on one page, of %s)", named[0])
}

// AnswerOf is the place, from 0, of the one of several answers that a subject is about; -1 of what is about something else.
func AnswerOf(subject string) int {
	if one := oneAnswer.FindStringSubmatch(subject); one != nil {
		if nth, err := strconv.Atoi(one[1]); err == nil {
			return nth
		}
	}
	return -1
}

// PageOf is the page, from 0, of something found about one element of a list that was read page by page; -1 of what is about something else.
func PageOf(subject string, sizes []int) int {
	if nth := AnswerOf(subject); nth >= 0 && nth < len(sizes) && strings.HasPrefix(subject, "pages[") {
		return nth
	}
	element := listedElement.FindStringSubmatch(subject)
	if element == nil {
		return -1
	}
	nth, _ := strconv.Atoi(element[1])
	for i, size := range sizes {
		if nth -= max(size, 0); nth < 0 {
			return i
		}
	}
	return -1
}
