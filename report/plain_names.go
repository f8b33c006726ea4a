// SPDX-License-Identifier: Apache-2.0

package report

import (
	"regexp"
	"strconv"
	"strings"
)

// What suites read of an answer has a name of theirs in front of it. Readers know the answer, not these names.
var (
	quoted      = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	aHeaderName = regexp.MustCompile(`\bheaders?\.([A-Z][\w-]*)`)
	ofABody     = regexp.MustCompile(`(^|[\s(.:])(?:json|normal)\.([A-Za-z_@])`)
	ofAStatus   = regexp.MustCompile(`(^|[\s(.:])json\.status\b`)
	ofNoJSON    = regexp.MustCompile(`\b(events\[\d+\])\.json is missing\b`)
	inABody     = regexp.MustCompile(`(^|[\s(:])(?:json|normal)\[`)
	asItCame    = regexp.MustCompile(`\b(task|message|tasks\[(?:\d+|\*)\])\.raw\.`)
	aDelivery   = regexp.MustCompile(`(^|: )requests(\[(?:\d+|\*)\])`)
	deliveries  = regexp.MustCompile(`(^|: )requests (is|has|lacks)\b`)
	ofAFailure  = regexp.MustCompile(`(^|: |; or \.?)failure\.(told|name|class|code|reason|message)\b`)
	ofADocument = regexp.MustCompile(`(^|: )result\.operation\.`)
	anExchange  = regexp.MustCompile(`(^|: )exchange (is|has|fits|was|does|lacks)\b`)
	onlyOne     = regexp.MustCompile(`\b1 (event|comment)s\b`)
	ofATask     = regexp.MustCompile(`(^|[\s:;] ?)task\.(state|timestamp)\b`)
	ofAResult   = regexp.MustCompile(`^result\.(history|artifacts|status|parts|metadata|id|contextId|message|configs|tasks|nextPageToken|totalSize|pageSize)\b`)
	ofTheCard   = regexp.MustCompile(`(^|: )interfaces\.bindings (is|has)\b`)
	ofAllListed = regexp.MustCompile(`(^|: )listed\[\*\]\.(id|contextId|state)\b`)
	ofOneListed = regexp.MustCompile(`(^|: )listed\[\*\]\.(id|contextId|state)(\[\d+\])`)
	asAsked     = regexp.MustCompile(` as request\.(?:task\b)?`)
	asFirst     = regexp.MustCompile(`( as )began_as\.[\w.]+`)
	asEnded     = regexp.MustCompile(`( as )ended_as\b`)
	asInFirst   = regexp.MustCompile(`( as in )\[0\]`)
	ofAClient   = regexp.MustCompile(`\bbranches\[(\d{1,4}|\*)\]\.([\w@][\w@.-]*(?:\[(?:\d+|\*)\][\w@.-]*)*)`)
	aWholeBody  = regexp.MustCompile(`(^|: )json (is|has|fits|lacks)\b`)
)

// PlainNames is a finding, or a part of one, in which what is judged has the name that it has in the answer: not json.id but id, not
// header.Location but header Location. What stands in quotes stays as it is.
func PlainNames(text string) string {
	if !strings.ContainsAny(text, ".[ ") {
		return text
	}
	var b strings.Builder
	last := 0
	for _, at := range append(quoted.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		b.WriteString(plainNames(text[last:at[0]], last == 0))
		b.WriteString(text[at[0]:at[1]])
		last = at[1]
	}
	return b.String()
}

// plainNames is [PlainNames] of what stands between what is quoted. Only the first such part begins a sentence.
func plainNames(text string, first bool) string {
	if !first {
		text = "\x00" + text
	}
	text = ofAClient.ReplaceAllStringFunc(text, clientsOwn)
	text = aHeaderName.ReplaceAllString(text, "header $1")
	text = ofAStatus.ReplaceAllString(text, "${1}status in the body")
	text = ofNoJSON.ReplaceAllString(text, "$1 is no JSON")
	for range 2 { // .json.items.json.id
		text = ofABody.ReplaceAllString(text, "$1$2")
	}
	text = inABody.ReplaceAllString(text, "${1}body[")
	text = ofOneListed.ReplaceAllString(text, "${1}the $2 at $3 of the list")
	text = ofAllListed.ReplaceAllString(text, "${1}the list of ${2}s")
	text = asAsked.ReplaceAllStringFunc(text, func(found string) string {
		return map[string]string{" as request.task": " as in the path of the request", " as request.": " as the request's "}[found]
	})
	text = asFirst.ReplaceAllString(text, "${1}when the task was first seen")
	text = asEnded.ReplaceAllString(text, "${1}the task had ended")
	text = asInFirst.ReplaceAllString(text, "${1}the first of them")
	text = asItCame.ReplaceAllString(text, "$1.")
	text = aDelivery.ReplaceAllString(text, "${1}deliveries$2")
	text = deliveries.ReplaceAllString(text, "${1}the list of deliveries $2")
	text = anExchange.ReplaceAllString(text, "${1}the answer $2")
	text = ofADocument.ReplaceAllString(text, "$1")
	text = ofAFailure.ReplaceAllStringFunc(text, func(found string) string {
		before, member, _ := strings.Cut(found, "failure.")
		return strings.TrimSuffix(before, ".") + failureMembers[member]
	})
	text = ofTheCard.ReplaceAllString(text, "${1}the list of interfaces on the card $2")
	text = ofATask.ReplaceAllString(text, "${1}status.$2 of the task")
	text = ofAResult.ReplaceAllString(text, "$1")
	text = onlyOne.ReplaceAllString(text, "1 $1")
	text = aWholeBody.ReplaceAllString(text, "${1}the JSON body $2")
	return strings.TrimPrefix(text, "\x00")
}

// clientsOwn says of what one of several clients at once has got that it is that client's: branches[1].status, status of client 2.
func clientsOwn(found string) string {
	parts := ofAClient.FindStringSubmatch(found)
	if parts[1] == "*" {
		return parts[2] + " of the clients"
	}
	n, _ := strconv.Atoi(parts[1])
	return parts[2] + " of client " + strconv.Itoa(n+1)
}

// failureMembers are what is read of a failure, in English.
var failureMembers = map[string]string{
	"told": "the error", "name": "the name of the error", "class": "the kind of the error", "code": "the code of the error", "reason": "the reason of the error",
	"message": "the message of the error",
}

// anythingBut begins what is wanted in place of what was seen.
const anythingBut = "anything but "

// noneEqualTo begins what is wanted of a list that must not have what was seen.
const noneEqualTo = "no element equal to "

// PlainOther is a sentence that does not say twice what was seen, where something else was wanted: is 7, want another value.
func PlainOther(sentence string) string {
	if before, unwanted, is := strings.Cut(sentence, ", want "+noneEqualTo); is && strings.Contains(before, " is "+unwanted) {
		return before + ", which must not be there"
	}
	before, unwanted, is := strings.Cut(sentence, ", want "+anythingBut)
	if !is || unwanted == "" {
		return sentence
	}
	for _, end := range []string{unwanted, strings.TrimSuffix(unwanted, after(unwanted))} {
		if strings.HasSuffix(strings.TrimSuffix(before, after(before)), " is "+end) || strings.HasSuffix(before, " is "+end) {
			return before + ", want another value" + strings.TrimPrefix(unwanted, end)
		}
	}
	return sentence
}

// after is the remark in brackets with which a text ends; "" where it ends with none.
func after(text string) string {
	at := strings.LastIndex(text, " (")
	if at < 0 || !strings.HasSuffix(text, ")") {
		return ""
	}
	return text[at:]
}

// OtherThan is what was wanted, beside what was seen: where that is all that was not wanted it is not said twice.
func OtherThan(observed, expected string) string {
	if expected == notSuccess { // it is said as an outcome
		return expected
	}
	if unwanted, is := strings.CutPrefix(expected, noneEqualTo); is && strings.HasPrefix(observed, "is "+unwanted) {
		return "that it is not there"
	}
	unwanted, is := strings.CutPrefix(expected, anythingBut)
	if seen := strings.TrimPrefix(observed, "is "); is && seen != "" && (unwanted == seen || strings.TrimSuffix(unwanted, after(unwanted)) == seen) {
		return "another value" + strings.TrimPrefix(unwanted, seen)
	}
	return expected
}
