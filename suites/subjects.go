// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// A subject is something of an observation that can be judged.
type subject struct {
	name, means string
	members     bool     // a mapping below it names members, not words
	only        []string // the members it can have; nil: any
}

// subjects are all there are; which of them a step shows is said by its verb.
var subjects = []subject{
	{name: "status", means: "the number in the status line"},
	{name: "header", means: "header.Name: the value of a header; several lines joined by \", \"", members: true},
	{name: "headers", means: "headers.Name: the list of a header's lines", members: true},
	{name: "json", means: "the body as JSON, missing when it is none; json.a.b is a place in it", members: true},
	{name: "body", means: "the raw bytes together with the parsed value, for words about both"},
	{name: "bytes", means: "the raw bytes of the body"},
	{name: "text", means: "the body as text"},
	{name: "took", means: "how long the exchange took"},
	{name: "exchange", means: "everything at once, for any_of over alternatives", members: true},
	{name: "pages", means: "the answers of a walk, in order"},
	{name: "listed", means: "what the pages of a walk listed, one after the other"},
	{name: "walk_ended", means: "whether the walk came to the last page"},
	{name: "walk_cut", means: "whether the walk was left at the most pages that it follows, the last of which still listed what none before it had"},
	{name: "answers", means: "all answers of a poll"},

	{name: "failure", means: "how an operation failed, missing when it was processed: name (of the A2A error, or unnamed), class, code, status, reason, domain, message, details, told (all that it tells, without what is of one request alone)", members: true,
		only: []string{"name", "class", "code", "status", "reason", "domain", "message", "details", "json", "told"}},
	{name: "outcome", means: "the class of an operation's outcome: processed, or how it failed, by name or class"},

	{name: "task", means: "the task in the body, wherever and however it is written", members: true,
		only: []string{"id", "state", "contextId", "timestamp", "metadata", "status", "prompt", "raw"}},
	{name: "tasks", means: "the list of tasks in the body"},
	{name: "errcode", means: "the code of the error in the body, in whichever shape it is written"},
	{name: "listed_instance", means: "the item of the list of instances in the body that is the instance under test, missing where it is not listed", members: true},
	{name: "normal", means: "the body as JSON with one spelling for what has several: UUIDs as 32 lower-case hex digits, times in UTC with Z (one without an offset counts as UTC)", members: true},
	{name: "hyphened", means: "the body as JSON with UUIDs in the spelling with hyphens", members: true},
	{name: "inner", means: "the body as JSON with texts of more than four characters without the first and the last one", members: true},
	{name: "page_cursor", means: "the cursor of the next page"},
	{name: "declared", means: "what the card in the body declares of each extension, by short name: declared[\"runtime/v1\"].params"},
	{name: "interfaces", means: "the interfaces that the card in the body declares: interfaces.bindings (names), .pty (URLs), .rest.url, .rest.path, .rest.v1_path, .jsonrpc.url, .jsonrpc.path, .jsonrpc_03.url"},
	{name: "pty_params", means: "the params that the card in the body declares of pty-extensions/v1; those that it leaves out have their documented defaults"},
	{name: "signing", means: "the decoded protected headers of the signatures of the card in the body"},
	{name: "configs", means: "the list of push configurations in the body"},
	{name: "fail_kind", means: "the kind of failure of a failed task"},
	{name: "tenant_echo", means: "the tenant that the answer names"},
	{name: "echoed", means: "the extensions that A2A-Extensions of the answer lists"},
	{name: "location", means: "where the Location header leads"},

	{name: "events", means: "the events of a stream: name, id, data, json, at, kind, task, state, retry, complete; of an operation also item, and update where that is one"},
	{name: "comments", means: "the comments of a stream: text, at"},
	{name: "headers_after", means: "when the header of the answer arrived"},
	{name: "first_event_after", means: "when the first event arrived"},
	{name: "last_event_after", means: "when the last event arrived"},
	{name: "stalled", means: "how long the machine has kept the harness from running since a stream began: what came in that time was read at its end"},
	{name: "closed", means: "how the connection ended; of a watched stream also idle: how long nothing more had come", members: true,
		only: []string{"by", "clean", "after", "code", "reason", "ended", "truncated", "idle"}},

	{name: "subprotocol", means: "the subprotocol that the handshake ended with"},
	{name: "sent", means: "the envelope that went out, with what was filled in", members: true},
	{name: "frame", means: "the frame that receive took", members: true},
	{name: "frames", means: "every message received on this connection so far"},
	{name: "output", means: "the terminal output so far, as text"},
	{name: "wire", means: "every raw frame both ways: from, opcode, fin, rsv, masked, minimal, length, whole, at, text, utf8; of a Close also code, reason"},

	{name: "request", means: "what a watch sees was asked: method, url, surface (a2a, admin, v1, terminal, other), below (the path behind the root of that), task (the id in its path, of an A2A request about one), path, query, route, test (that has sent it), identity, header, headers, json, text, streamed, raw, operation, over", members: true,
		only: []string{"method", "url", "surface", "below", "task", "path", "query", "route", "test", "identity", "header", "headers", "json", "text", "streamed", "raw", "operation", "over"}},
	{name: "from", means: "what showed a watched task: send, get, list, cancel, event, frame (of a terminal), delivery"},
	{name: "whole", means: "whether what is watched is a Task, and no update of one"},
	{name: "began_as", means: "of a watched task what it showed when it was seen first: contextId, tenant", members: true, only: []string{"contextId", "tenant"}},
	{name: "ended_as", means: "of a watched task the state in which it was first seen to have ended, if it was"},
	{name: "ended_at", means: "of a watched task the time that was first said to be that of its end (status.terminal_at), if it was"},
	{name: "namesake", means: "of a watched task that a message to the instance under test has begun: where another one was seen before that had its id, in another context: test, request", members: true, only: []string{"test", "request"}},
	{name: "prompt_of", means: "of a watched task with a prompt, of the instance under test: the task in which a prompt of that id was first seen"},
	{name: "cut", means: "of a watched answer how its body was cut, missing when it came to its end; a watch that expects something of it is shown such answers too"},
	{name: "served", means: "of a watched 404: whether its route, at the same instance, has been seen to be served before: by an answer 2xx, 409, 410 or 422"},
	{name: "first_title", means: "of a watched problem document: the title of the first one with the same type, code and status, on the same surface"},
	{name: "course", means: "the states of a watched task: the one that was known last when it was asked for, if any, and the one that was answered; each {state, test, request}"},
	{name: "delivery", means: "what a watched webhook receiver got, as an element of requests", members: true},
	{name: "connection", means: "the connection of a watched frame: test, actor, identity, subprotocol, session; index (of the frame, from 0), replayed, " +
		"answers (the operation whose id it repeats), answered (of a reply: its request has had one before), stray (of an Error: no request had its id, and the connection answered a later request), id_repeats (who had its id before, of frames that answer nothing), clock (ms that its ts is ahead), " +
		"asks_to_join (we have), greetings (of a greeting: how many there were), left (a goodbye has come before), behind (a higher number came before), strange_requests (we have sent what has no id that is a UUID of version 7), provoked (of a close: we have sent what was made by hand, or have not answered or read), original (the live copy of a replayed frame), altered, ts_altered, cols and rows (of a Keyframe: the size of the last Resize that came before it and that its snapshot includes)", members: true,
		only: strings.Fields("test actor identity subprotocol session index replayed answers answered stray id_repeats clock asks_to_join greetings left behind strange_requests provoked original altered ts_altered cols rows")},
	{name: "seen", means: "how many a watch has looked at"},

	{name: "requests", means: "what a webhook receiver got"},
	{name: "branches", means: "what each client saw in its last step"},
	{name: "lasted", means: "how long each client took for its steps, in the order of the clients"},
	{name: "result", means: "what the hook answered, or the result of an operation, whatever its binding", members: true},
}

func subjectNames() []string {
	all := make([]string, len(subjects))
	for i := range subjects {
		all[i] = subjects[i].name
	}
	return all
}

func subjectCalled(name string) *subject {
	for i := range subjects {
		if subjects[i].name == name {
			return &subjects[i]
		}
	}
	return nil
}

func hasMembers(name string) bool {
	s := subjectCalled(name)
	return s != nil && s.members
}

// isSubject says whether a path begins with a subject, and goes on with a member that the subject has.
func (r *conditions) isSubject(key *yaml.Node, path assertions.Path) bool {
	s := subjectCalled(path.Head())
	if s == nil {
		r.problem(key, "there is no subject %s%s", quoted(path.Head()), didYouMean(path.Head(), subjectNames()))
		return false
	}
	member := path.Tail().Head()
	if s.only != nil && member != "" && !slices.Contains(s.only, member) {
		r.problem(key, "%s has no member %s%s; it has %s", s.name, quoted(member), didYouMean(member, s.only), list(s.only))
		return false
	}
	return true
}

var (
	ofAnswer = strings.Fields("status header headers json body bytes text took exchange " +
		"task tasks errcode listed_instance normal hyphened inner page_cursor configs fail_kind tenant_echo declared interfaces pty_params signing echoed location")
	ofOperation = strings.Fields("result failure outcome")

	ofWalk   = strings.Fields("pages listed walk_ended walk_cut")
	ofPoll   = append(slices.Clip(ofAnswer), "answers")
	ofStream = append(slices.Clip(ofAnswer),
		strings.Fields("events comments stalled closed headers_after first_event_after last_event_after")...)
	ofOpen   = strings.Fields("status header headers subprotocol text closed exchange")
	ofSocket = strings.Fields("frame frames output closed wire status header headers subprotocol text exchange")
)

// shown are the subjects that a step shows.
func shown(s *Step) []string {
	if do, is := s.Do.(Await); is && do.Name == backgroundStream { // it may be that of an operation
		return slices.Concat(shownOfHTTP(s), ofOperation)
	}
	if operates([]*Step{s}) {
		switch s.Do.(type) {
		case Request, Poll, Stream:
			return slices.Concat(shownOfHTTP(s), ofOperation)
		}
	}
	return shownOfHTTP(s)
}

func shownOfHTTP(s *Step) []string {
	switch do := s.Do.(type) {
	case Request:
		if do.Walk != "" {
			return slices.Concat(ofAnswer, ofWalk)
		}
		return ofAnswer
	case Poll:
		return ofPoll
	case Stream:
		return ofStream
	case Open:
		return ofOpen
	case Type:
		if len(do.Until) > 0 {
			return append([]string{"sent"}, ofSocket[1:]...)
		}
		return []string{"sent"}
	case Send:
		return []string{"sent"}
	case Receive, Silence:
		return ofSocket
	case Close, Cut:
		return ofSocket[1:]
	case Await:
		if do.Name == backgroundStream {
			return ofStream
		}
		return []string{"requests"}
	case Together:
		return []string{"branches", "lasted"}
	case Hook:
		return []string{"result"}
	case Watch:
		return watched[do.What]
	case Use:
		if len(do.Steps) > 0 {
			return shown(do.Steps[len(do.Steps)-1])
		}
	}
	return nil
}

// backgroundStream is what `await` names when it waits for the actor's stream.
const backgroundStream = "stream"
