// SPDX-License-Identifier: Apache-2.0

package html

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// maxCaption is what the caption of one message may take, in characters.
const maxCaption = 58

// caption says in a few words what a message is: the route of a request, the operation of a frame, the state that an
// event tells.
func caption(e *report.Evidence) string {
	head := show.CutAt(e.Head, 2000)
	switch e.Kind {
	case "request", "webhook":
		return show.Brief(route(head), maxCaption)
	case "response", "opened":
		_, status, found := strings.Cut(head, " ")
		if !found {
			status = head
		}
		return show.Brief(strings.TrimSpace(e.Kind+" "+status), maxCaption)
	case "frame", "frame-sent", "event":
		if says := operation(e.Body); says != "" {
			return show.Brief(says, maxCaption)
		}
	case "closed", "hook":
		return show.Brief(e.Kind+" "+uuids.ReplaceAllStringFunc(strings.TrimPrefix(head, e.Kind+" "), shortUUID), maxCaption)
	}
	return show.Brief(cmp.Or(head, e.Kind), maxCaption)
}

var (
	uuids       = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	ofInstance  = regexp.MustCompile(`^/agents/[^/ ]+/`)
	httpVersion = regexp.MustCompile(` HTTP/[0-9.]+$`)
)

// shortUUID keeps the end of an id, where ids made one after the other differ.
func shortUUID(id string) string { return "…" + id[len(id)-6:] }

// route is the method and the path of a request, without what all requests of a run share.
func route(head string) string {
	method, url, found := strings.Cut(httpVersion.ReplaceAllString(head, ""), " ")
	if !found {
		return head
	}
	if _, rest, absolute := strings.Cut(url, "://"); absolute {
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			url = rest[slash:]
		}
	}
	url = ofInstance.ReplaceAllString(url, "/")
	return method + " " + uuids.ReplaceAllStringFunc(url, shortUUID)
}

// operation names a JSON message by what it says it is: the operation and the kind of a frame, the kind and the state of
// an event. It is empty for everything else.
func operation(body string) string {
	top := members(body)
	if top == nil {
		return ""
	}
	var words []string
	add := func(word string) {
		if word != "" && (len(words) == 0 || words[len(words)-1] != word) {
			words = append(words, word)
		}
	}
	payload := members(string(top["payload"]))
	add(cmp.Or(word(top["op"]), word(top["type"]), word(top["kind"])))
	add(cmp.Or(word(payload["kind"]), word(payload["type"]), word(payload["code"])))
	add(word(payload["role"]))
	inner := top
	for _, wrapper := range []string{"result", "statusUpdate", "artifactUpdate", "task", "message"} {
		if m := members(string(inner[wrapper])); m != nil {
			add(wrapper)
			inner = m
		}
	}
	add(word(members(string(inner["status"]))["state"]))
	if n := word(top["sequence"]); n != "" && len(words) > 0 {
		add("#" + n)
	}
	return strings.Join(words, " ")
}

// members takes a JSON object apart; nil for everything else.
func members(text string) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if len(text) == 0 || json.Unmarshal([]byte(text), &m) != nil {
		return nil
	}
	return m
}

// word is a JSON string or number as text.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return show.CutAt(s, 200)
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return show.CutAt(n.String(), 30)
	}
	return ""
}
