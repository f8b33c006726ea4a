// SPDX-License-Identifier: Apache-2.0

// Package consistency holds what a plain A2A server says of one thing in different places against each other: whether a task
// that has ended is shown alike by every answer, whether a list keeps to what it was asked for, whether an artifact that an
// event brought is the one that is kept.
//
// A [Book] is told of every answer of a run, in the order in which they came, and writes down a [Slip] for each that does not
// fit what was known. It judges nothing: a suite says which requirement a slip breaks, and reads its members by name.
package consistency

import (
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// An Answer is something that the server has said: the result of an operation, an item of a stream, or what was delivered.
type Answer struct {
	Operation string // empty: it was delivered to a webhook
	Over      string // the binding; empty: it was delivered
	Params    any    // of the operation, as they were sent
	Result    any    // the result, or a StreamResponse
	Item      bool   // it is a StreamResponse
	Stream    any    // what the items of one stream have in common; nil: it is of none
	Nth       int    // of the unary answers of the run, from 1; 0: it is none of them
	Test      string
	By        string    // whose credentials were shown
	Request   string    // method and URL
	At        string    // JSON pointer to Result in the body
	Asked     time.Time // when the request began; zero: nobody knows how old the answer may be
	Known     time.Time // when the answer was there
}

// A Slip is a place at which an answer does not fit what was asked for, or what is known. It is a map for suites to read:
// rule, operation ("delivery" where there was none), over, test, request, nth (of the unary answers), at (JSON pointer), is and want.
type Slip = map[string]any

const (
	// maxTasks bounds the tasks that are remembered, maxArtifacts the artifacts that wait for their task to end, MaxSlips
	// the slips that are kept of a rule: the first ones say it, and what they have in common shows where there are not too few.
	maxTasks, maxArtifacts, MaxSlips = 20_000, 4000, 200
	// maxSaid bounds the messages that are remembered of a task.
	maxSaid = 20
)

// A Book is what is known of the tasks of a run. Its zero value is ready. It is not safe for use by several goroutines.
type Book struct {
	Settles    time.Duration // how long after a task was seen to have ended a list may still show it at work
	OrderTells time.Duration // how far apart the times of two tasks are whose order in a list tells something

	tasks     map[string]*known
	artifacts []shown      // that streams and deliveries brought
	ends      map[any]bool // streams that told the end of their task
	configs   map[[2]string]configured
	walked    map[string]int // tasks on the pages so far, by the token of the next one
	honoured  map[int]bool   // sizes of pages that were asked for, and said to be used
	slips     []any
	counts    map[string]int // of slips, by rule and operation
}

// known is what is known of a task.
type known struct {
	made    int    // how often its id was that of a new task
	context string // with which it was seen first
	ended   *view  // the first answer to a read that showed it ended
	listed  *view  // the first list that showed it ended with artifacts before any read did, until a read is held against it
	told    *view  // the answer to a message that showed it ended before any read did, until a read is held against it
	// delivered is the first delivery that told its end, until a read is held against it.
	delivered *view
	since     time.Time
	starts    map[string][]any // by artifactId, the different parts with which an event began it
	anew      map[begun]int    // how often a stream began an artifact
	said      map[string]any   // by messageId, the parts of what the agent says in the history
}

// A view is a task as an answer has shown it.
type view struct {
	task map[string]any
	at   string
	in   *Answer
}

// Add tells of an answer.
func (b *Book) Add(a Answer) {
	if b.tasks == nil {
		b.tasks, b.counts, b.configs, b.honoured = map[string]*known{}, map[string]int{}, map[[2]string]configured{}, map[int]bool{}
		b.ends, b.walked = map[any]bool{}, map[string]int{}
	}
	result, is := a.Result.(map[string]any)
	if !is {
		return
	}
	switch {
	case a.Item:
		b.item(&a, result)
	case a.Operation == "SendMessage":
		b.replied(&a, result)
		if task, is := result["task"].(map[string]any); is {
			b.made(&a, task)
			b.history(&a, a.At+"/task", task, member(member(a.Params, "configuration"), "historyLength"))
			b.task(view{task, a.At + "/task", &a})
		}
	case a.Operation == "GetTask" || a.Operation == "CancelTask":
		b.one(&a, result)
	case a.Operation == "ListTasks":
		b.list(&a, result)
	default:
		b.config(&a, result)
	}
}

// Slips are the slips so far. What they hold is not to be changed.
func (b *Book) Slips() []any { return slices.Concat([]any{}, b.slips, b.strays()) }

// replied holds the context of what a message was answered with against the one that it gave.
func (b *Book) replied(a *Answer, answer map[string]any) {
	message := member(a.Params, "message")
	gave := text(member(message, "contextId"))
	if gave == "" || text(member(message, "taskId")) != "" { // that task and context belong together is another requirement
		return
	}
	for _, kind := range []string{"message", "task"} {
		if context := text(member(answer[kind], "contextId")); context != "" && context != gave {
			b.slip("context", a, a.At+"/"+kind+"/contextId", context, gave)
		}
	}
	// Of a task whose context is known already the read of it says so.
	if task, is := answer["task"].(map[string]any); is && isUnset(task["contextId"]) && !assertions.IsMissing(member(task, "status")) {
		if t := b.tasks[text(task["id"])]; t == nil || t.context == "" {
			b.slip("context-lost", a, a.At+"/task/contextId", task["contextId"], gave)
		}
	}
}

// made counts the ids of new tasks: what is said of two tasks with one id says nothing of either.
func (b *Book) made(a *Answer, task map[string]any) {
	if text(member(member(a.Params, "message"), "taskId")) == "" {
		if t := b.known(task); t != nil {
			t.made++
		}
	}
}

// known is what is known of a task; nil: it has no id, or there are too many.
func (b *Book) known(task map[string]any) *known {
	id := text(task["id"])
	if id == "" {
		return nil
	}
	if b.tasks[id] == nil {
		if len(b.tasks) >= maxTasks {
			return nil
		}
		b.tasks[id] = &known{starts: map[string][]any{}, anew: map[begun]int{}, said: map[string]any{}}
	}
	return b.tasks[id]
}

func (b *Book) slip(rule string, a *Answer, at string, is, want any) {
	key := rule + " " + a.Operation
	if b.counts[key]++; b.counts[key] <= MaxSlips {
		b.slips = append(b.slips, newSlip(rule, a, at, is, want))
	}
}

func newSlip(rule string, a *Answer, at string, is, want any) Slip {
	s := Slip{"rule": rule, "operation": a.Operation, "over": a.Over, "test": a.Test, "request": a.Request, "at": at, "want": want}
	if !assertions.IsMissing(is) {
		s["is"] = is
	}
	if a.Nth > 0 {
		s["nth"] = assertions.Number(int64(a.Nth))
	}
	if a.Operation == "" {
		s["operation"] = "delivery"
	}
	return s
}

// member is a member of an object; Missing where there is none.
func member(v any, name string) any {
	members, _ := v.(map[string]any)
	if found, has := members[name]; has {
		return found
	}
	return assertions.Missing
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// hasEnded says whether a task is in a terminal state.
func hasEnded(task map[string]any) bool {
	switch text(member(task["status"], "state")) {
	case "TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED":
		return true
	}
	return false
}

// rests says whether nothing goes on with a task until somebody sends a message.
func rests(task map[string]any) bool {
	switch text(member(task["status"], "state")) {
	case "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED":
		return true
	}
	return hasEnded(task)
}
