// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// wholeRun is the hook that shows what the target has answered in the whole run.
const wholeRun = "whole-run"

func looksAtRun(s *suites.Step) bool {
	h, is := s.Do.(suites.Hook)
	return is && h.Name == wholeRun
}

// runNouns are the elements of the lists of a whole run.
var runNouns = map[string]noun{
	"result.answers": {"answer", "answers", ofTheRun}, "result.errors": {"error", "errors", ofTheRun},
	"result.unnamed_errors":  {"unnamed error", "unnamed errors", ofTheRun},
	"result.wanted_refusals": {"wanted refusal", "wanted refusals", ofTheRun},
	"result.tasks":           {"task", "tasks", ofTheRun}, "result.statuses": {"status", "statuses", ofTheRun},
	"result.messages": {"message", "messages", ofTheRun}, "result.parts": {"part", "parts", ofTheRun},
	"result.artifacts": {"artifact", "artifacts", ofTheRun}, "result.items": {"stream item", "stream items", ofTheRun},
	"result.status_updates":   {"status update", "status updates", ofTheRun},
	"result.artifact_updates": {"artifact update", "artifact updates", ofTheRun},
	"result.responses":        {"response", "responses", ofTheRun}, "result.slips": {"contradiction", "contradictions", ofTheRun},
	"result.too_many_requests": {"refusal with 429", "refusals with 429", ofTheRun},
	"result.shown_tokens":      {tokenShown, "answers that show a token", ofTheRun},
}

const (
	ofTheRun   = " of the run"
	tokenShown = "answer that shows a token"
)

// objects are the elements of a whole run which are objects with what is known of where they were shown.
var objects = []string{"response", "stream item", "task", "status", "message", "part", "artifact", "status update", "artifact update"}

// aboutShown are the members of such an element that are not of the object itself.
var aboutShown = map[string]string{"at": "where it stands", "from": "the operation that shows it", "over": "the binding over which it is shown",
	"place": "its place (direct, status or history)", "message": "the id of the message that it is a part of",
	"sent_texts": "the list of the texts that were sent", "texts": "the list of the texts that are shown", "test": "the test that has asked for it"}

// places are where messages are shown.
var places = strings.NewReplacer("direct", "the whole answer", "status", "a part of a status", "history", "a part of a history")

// element is how an element of a list is spoken of.
func (r *reading) element(list place) place {
	if n := r.nounOf(list); strings.Contains(n.of, ofTheRun) && slices.Contains(objects, n.one) {
		return place{root: "it", shown: true}
	}
	return it
}

// ofShown is a place in what the whole run has shown of an object.
func ofShown(path string) place {
	head, rest, _ := strings.Cut(path, ".")
	if head == "value" {
		return it.below(rest)
	}
	if head, bracket, is := strings.Cut(path, "["); is && head == "value" {
		return it.below("[" + bracket)
	}
	if words, is := aboutShown[head]; is && rest == "" {
		return place{root: words}
	}
	return it.below(path)
}

// ofRun says in the noun what conditions on what the whole run has shown say of where it came from, and leaves out of them what
// every such element has.
func (r *reading) ofRun(n noun, where all) (noun, all) {
	if !strings.Contains(n.of, ofTheRun) {
		return n, where
	}
	operation, over, served, shown := "", "", "", ""
	var rest all
	for _, c := range where.flat() {
		f, is := c.(fact)
		if is && f.at.root == aboutShown["over"] {
			f.at = it.below("over")
		}
		if is && f.at.root == aboutShown["at"] && f.says() == there.yes {
			continue
		}
		if is && f.at.root == aboutShown["at"] && f.says() == `does not contain "/history/"` {
			shown += " outside of histories"
			continue
		}
		if is && f.at.root == aboutShown["place"] && strings.HasPrefix(f.says(), "is ") && !isNegative(f.says()) {
			shown += " shown as " + places.Replace(bare(f.says()))
			continue
		}
		if is && f.at.root == aboutShown["from"] {
			if says := f.says(); says == `is not "delivery"` {
				shown += " outside of deliveries"
			} else {
				shown += " where the operation " + says
			}
			continue
		}
		if !is || f.at.root != "it" {
			rest = append(rest, c)
			continue
		}
		if f.at == it.below("sent_wrong") && f.says() == missing.yes {
			shown += " not sent wrongly on purpose"
			continue
		}
		there := len(f.is) == 1 && f.is[0] == there
		positive := !isNegative(f.is[0].yes) && strings.HasPrefix(f.says(), "is ")
		switch {
		case there && n.one == tokenShown && f.at.path == "place":
		case there && (f.at.path == "request" || f.at.path == "at" || f.at.path == "want" || f.at.path == "operation"):
		case f.at.path == "served" && f.says() == "is true":
			served = " (of what is served elsewhere in the run)"
		case f.at.path == "operation" && positive:
			operation = " to " + bare(f.says())
		case f.at.path == "over" && positive:
			over = " over " + bare(f.says())
		default:
			rest = append(rest, c)
		}
	}
	n.of += operation + over + shown + served
	return n, rest
}

// bare is what something is, without quotes.
func bare(says string) string {
	return strings.ReplaceAll(strings.TrimPrefix(says, "is "), `"`, "")
}

// rules are what an answer does that does not fit what was asked for, or what the run knows.
var rules = map[string]string{
	"agent-message":      "shows a message of the agent with other parts than an answer before it",
	"another-config":     "shows a push configuration with another id, task or url than was asked for or set",
	"another-task":       "shows another task than the one that was asked for",
	"artifact":           "brings an artifact that is not one of those that its task was left with",
	"context":            "names another context than the one in which the task was seen first",
	"context-lost":       "leaves out the context in which the task was seen before",
	"ended-artifacts":    "shows a task that has ended with other artifacts than when it was first seen so",
	"ended-status":       "shows a task that has ended with another status than when it was first seen so",
	"filter-context":     "lists a task of another context than was asked for",
	"filter-status":      "lists a task in another state than was asked for",
	"filter-time":        "lists a task whose status is older than was asked for",
	"history":            "shows more messages of a history than were asked for",
	"listed-twice":       "lists a task twice on a page",
	"order":              "lists an ended task behind one whose status is older",
	"page-size":          "has more tasks on a page than were asked for",
	"said-size":          "says a page size that is not the one asked for, or is less than its tasks",
	"total":              "says a total that is less than its tasks",
	"unasked-artifacts":  "lists a task with artifacts that were not asked for",
	"unlisted-artifacts": "lists an ended task without the artifacts that were asked for",
	"unwanted-history":   "shows a history where none was asked for",
}

// contradiction is that no answer of the run breaks a rule; "" where claims are about something else.
func contradiction(n noun, claims []claim) string {
	if n.one != "contradiction" {
		return ""
	}
	who, does := "no answer and no delivery of the run", ""
	for _, c := range claims {
		f, is := c.(fact)
		if !is {
			return ""
		}
		says := f.says()
		switch {
		case f.at.path == "rule" && strings.HasPrefix(says, "is "):
			does = rules[bare(says)]
			if does == "" {
				does = "goes against what was asked for or told before (" + bare(says) + ")"
			}
		case f.at.path == "operation" && says == `is "delivery"`:
			who = "no delivery of the run"
		case f.at.path == "operation" && says == `is not "delivery"`:
			who = "no answer of the run"
		case f.at.path == "operation" && strings.HasPrefix(says, "is ") && !isNegative(says):
			who = "no answer of the run to " + bare(says)
		case says != there.yes:
			return ""
		}
	}
	if does == "" {
		return ""
	}
	return who + " " + does
}
