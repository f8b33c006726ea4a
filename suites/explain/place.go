// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// A place is what a sentence is about: somewhere in what a step shows, or in something that has been spoken of.
type place struct {
	root string // "": what a step shows; "it": an element that has been spoken of; anything else: a thing, in words
	path string // inside of root; "": all of it

	shown bool // it is what the whole run has shown of an object, which stands below its member value
}

// it is an element that has been spoken of.
var it = place{root: "it"}

// placeOf is the place of a subject.
func placeOf(path assertions.Path) place {
	if path.String() == "exchange" {
		return place{}
	}
	return place{path: path.String()}
}

// below is a place inside another one.
func (at place) below(path string) place {
	if at.shown && at.path == "" {
		return ofShown(path)
	}
	switch {
	case at.path == "":
		at.path = path
	case path != "" && !strings.HasPrefix(path, "["):
		at.path += "." + path
	default:
		at.path += path
	}
	return at
}

// said is how a place is called.
func (at place) said() string {
	switch {
	case at.root == "" && at.path == "":
		return "the exchange"
	case at.root == "":
		return name(at.path)
	case at.path == "":
		return at.root
	case at == it.below("json"):
		return "its JSON body"
	case at.root == "it":
		return "its " + member(at.path)
	}
	return member(at.path) + " of " + at.root
}

// whose begins a clause about a place of what stands before it.
func (at place) whose() string {
	if at.path == "" {
		return "that"
	}
	return "whose " + strings.TrimPrefix(at.said(), "its ")
}

// certain says whether a place is never missing, so that nothing has to be said of that.
func (at place) certain() bool {
	if at.path == "" {
		return at.root == "" || at.root == "it"
	}
	return at.root == "" && slices.Contains(alwaysThere, at.path)
}

// alwaysThere are the places in what a step shows that are never missing.
var alwaysThere = []string{"status", "outcome", "sent.over", "request.surface", "request.method", "request.url", "request.path", "request.test"}

// Subject is the name of what is judged, in words where it is no path into an answer.
func Subject(path assertions.Path) string { return placeOf(path).said() }

func name(path string) string {
	if says, is := subjects[path]; is {
		return says
	}
	if header, is := strings.CutPrefix(path, "header."); is {
		return "the header " + header
	}
	return path
}

// member is the name of what stands in something else.
func member(path string) string {
	if header, is := strings.CutPrefix(path, "header."); is {
		return "header " + header
	}
	if inner, is := strings.CutPrefix(path, `["`); is && strings.Count(path, "[") == 1 {
		return strings.Replace(inner, `"]`, "", 1)
	}
	return path
}

// subjects are those that are no members of anything.
var subjects = map[string]string{
	"status": "the HTTP status", "took": "the time that it took", "json": "the JSON body", "text": "the body", "bytes": "the raw body", "body": "the body of the answer",
	"frames": "the list of all messages of the connection", "frame": "the message", "events": "the list of all events of the stream",
	"exchange": "the exchange", "subprotocol": "the subprotocol that was chosen", "output": "the terminal's output",
	"closed": "the end of the connection", "result": "the result", "requests": "the list of all requests that came", "task": "the task",
	"event": "the event", "delivery": "the delivery", "lasted": "the list of the times that the clients took",
}

// A noun is what the elements of a list are called: "event", "events", "of the stream".
type noun struct{ one, many, of string }

func (n noun) a() string {
	if strings.ContainsRune("aeiou", rune(n.one[0])) {
		return "an " + n.one + n.of
	}
	return "a " + n.one + n.of
}

func (n noun) single() string { return n.one + n.of }

func (n noun) several() string { return n.many + n.of }

// nouns are the elements of the lists that a step shows.
var nouns = map[string]noun{
	"events": {"event", "events", " of the stream"}, "frames": {"message", "messages", " of the connection"},
	"requests": {"request", "requests", " that came"}, "answers": {"answer", "answers", ""}, "pages": {"page", "pages", ""},
	"tasks": {"task", "tasks", " of the answer"}, "configs": {"push configuration", "push configurations", " of the answer"},
	"comments": {"comment", "comments", " of the stream"}, "wire": {"raw frame", "raw frames", " of the connection"},
	"listed": {"listed element", "listed elements", ""}, "branches": {"client", "clients", ""}, "lasted": {"time", "times", " that the clients took"},
}

// nounOf is what the elements of the list at a place are called.
func (r *reading) nounOf(at place) noun {
	if n, is := r.lists[at.root]; is && at.path == "" {
		return n
	}
	if at.root == "" {
		if n, is := nouns[at.path]; is {
			return n
		}
		if n, is := runNouns[at.path]; is && r.run {
			return n
		}
	}
	return noun{"element", "elements", " of " + at.said()}
}
