// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// agentBehaviour is what the agent does.
type agentBehaviour struct {
	scenario func(text string) string                           // that a text asks for; empty: it is echoed
	direct   func(scenario, text string) (parts []any, is bool) // an answer that is no task
	begins   string                                             // the state of a new task
	starts   func(s *Server, t *task, text string)              // the work on a task; the lock is held
	step     func(w *worker, n int) bool                        // what is told of a step of the work; false: it is over
	share    func(s *Server, tenths int) time.Duration          // of the time of long-running work, in 35ths
	result   func(w *worker, a artifact)                        // how a result is delivered that comes in one piece
	chunks   func(w *worker, name string, texts []string)       // how a result is delivered that comes in several
	artifact func() string                                      // the id of a new one
	stores   func(t *task, a artifact, more bool)               // what becomes of a chunk
	asks     func(t *task, state string) string                 // what the agent says when it wants something
	waits    func(t *task) bool                                 // whether the agent waits for a message
	takes    func(s *Server, c *call, t *task)                  // what a message does that comes while the agent wants something
}

var conformantAgent = agentBehaviour{
	scenario: scenarioOf,
	direct: func(scenario, text string) ([]any, bool) {
		switch scenario {
		case "message-reply":
			return []any{object{"text": "You said: " + text}}, true
		case "faulty-agent":
			return nil, true
		}
		return nil, false
	},
	begins:   submitted,
	starts:   func(s *Server, t *task, text string) { s.begin(t, text, (*worker).run) },
	step:     func(w *worker, n int) bool { return w.enter(working, "step "+strconv.Itoa(n)) },
	share:    func(s *Server, n int) time.Duration { return s.config.Work * time.Duration(n) / 35 },
	result:   func(w *worker, a artifact) { w.deliver(a, false, false) },
	chunks:   deliverChunks,
	artifact: uuid.NewString,
	stores:   storeChunk,
	asks: func(_ *task, state string) string {
		if state == authRequired {
			return "Grant access at the authorization page before this can go on."
		}
		return "Which of the two is meant?"
	},
	waits: func(t *task) bool { return interrupted(t.state) },
	takes: func(s *Server, _ *call, t *task) { s.answered(t) },
}

// scenarios are what the agent can be told to do.
var scenarios = []string{
	"completed", "failed", "rejected", "input-required", "auth-required", "long-running", "message-reply", "artifact-text",
	"artifact-raw", "artifact-url", "artifact-data", "artifact-chunked", "faulty-agent",
}

// Cues are the messages that bring a situation about, by its name.
func Cues() map[string]any {
	cues := map[string]any{"ping": "ping", "task-reply": "scenario: completed", "answer": "the first of the two", "echo": "scenario: echo"}
	for _, name := range scenarios {
		cues[name] = "scenario: " + name
	}
	return cues
}

// scenarioOf reads "scenario: NAME", or the name of the faulty agent alone.
func scenarioOf(text string) string {
	name, told := strings.CutPrefix(strings.TrimSpace(text), "scenario:")
	name = strings.TrimSpace(name)
	if (told || name == "faulty-agent") && slices.Contains(scenarios, name) {
		return name
	}
	return ""
}

// A worker does the work of one task.
type worker struct {
	s    *Server
	t    *task // in the store: touched with the lock held
	ctx  context.Context
	text string
}

// begin starts the work on a task; the lock is held.
func (s *Server) begin(t *task, text string, run func(w *worker, scenario string)) {
	ctx, cancel := context.WithCancel(s.stopping)
	t.cancel = cancel
	w := &worker{s: s, t: t, ctx: ctx, text: text}
	scenario := t.scenario
	s.running.Go(func() {
		defer cancel()
		run(w, scenario)
	})
}

// proceed takes a message for a task that goes on; the lock is held.
func (s *Server) proceed(c *call, t *task, message object) {
	s.file(c, t, message)
	if s.b.agent.waits(t) {
		s.b.agent.takes(s, c, t)
	}
}

// answered goes on after the answer that the agent has waited for. A message alone does not authorise.
func (s *Server) answered(t *task) {
	if t.state == authRequired {
		s.enter(t, authRequired, "A message grants no access: "+s.b.agent.asks(t, authRequired))
		return
	}
	text := textOf(t.history[len(t.history)-1])
	t.scenario = scenarioOf(text)
	s.enter(t, working, "")
	s.b.agent.starts(s, t, text)
}

// pause waits a share of the time of long-running work; false: the work is over.
func (w *worker) pause(n int) bool {
	w.s.b.push.waits(w)
	timer := time.NewTimer(w.s.b.agent.share(w.s, n))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// change does something to the task, unless the task is no longer the worker's.
func (w *worker) change(do func(t *task)) bool {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	if !w.s.b.tasks.holds(w.t) {
		return false
	}
	do(w.t)
	return true
}

func (w *worker) enter(state, says string) bool {
	return w.change(func(t *task) { w.s.enter(t, state, says) })
}

// deliver adds an artifact, or a chunk of one, and tells it.
func (w *worker) deliver(a artifact, more, last bool) bool {
	return w.change(func(t *task) {
		w.s.b.agent.stores(t, a, more)
		w.s.tell(t, event{kind: "artifactUpdate", chunk: a, more: more, last: last})
	})
}

// storeChunk adds a chunk to the artifact of its id, or begins one.
func storeChunk(t *task, a artifact, more bool) {
	at := slices.IndexFunc(t.artifacts, func(known artifact) bool { return known.id == a.id })
	switch {
	case at < 0:
		t.artifacts = append(slices.Clip(t.artifacts), a)
	case more:
		t.artifacts = slices.Clone(t.artifacts)
		t.artifacts[at].parts = slices.Concat(t.artifacts[at].parts, a.parts)
	default:
		t.artifacts = slices.Clone(t.artifacts)
		t.artifacts[at] = a
	}
}

// deliverChunks delivers texts as the chunks of one artifact.
func deliverChunks(w *worker, name string, texts []string) {
	id := w.s.b.agent.artifact()
	for i, text := range texts {
		if i > 0 && !w.pause(1) {
			return
		}
		a := artifact{id: id, parts: []object{{"text": text}}}
		if i == 0 {
			a.name = name
		}
		w.deliver(a, i > 0, i == len(texts)-1)
	}
}

// result delivers an artifact of one part.
func (w *worker) result(name string, part object) {
	w.s.b.agent.result(w, artifact{id: w.s.b.agent.artifact(), name: name, parts: []object{part}})
}

// onePixel is the smallest of pictures.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// run plays a scenario to its end.
func (w *worker) run(scenario string) {
	if scenario == "" {
		w.result("echo", object{"text": strings.TrimPrefix(w.text, "echo "), "mediaType": "text/plain"})
		w.enter(completed, "")
		return
	}
	if !w.pause(1) || scenario != "rejected" && !w.enter(working, "") {
		return
	}
	switch scenario {
	case "completed":
		w.plod(4, 3)
		w.result("result", object{"text": "All of it is done."})
	case "long-running":
		w.plodInChunks()
	case "artifact-chunked":
		w.s.b.agent.chunks(w, "chunked", []string{"first ", "second ", "third ", "last"})
	case "artifact-text":
		w.result("text", object{"text": "A result in words: Füße, 你好, 🚀."})
	case "artifact-raw":
		w.result("picture", object{"raw": onePixel, "mediaType": "image/png", "filename": "pixel.png"})
	case "artifact-url":
		w.result("report", object{"url": "https://a2a.example/files/report.pdf", "mediaType": "application/pdf", "filename": "report.pdf"})
	case "artifact-data":
		w.result("data", object{"data": object{"k": 1}, "mediaType": "application/json"})
	}
	switch scenario {
	case "failed":
		w.enter(failed, "The work came to nothing.")
	case "rejected":
		w.enter(rejected, "This agent does not do that.")
	case "input-required":
		w.ask(inputRequired)
	case "auth-required":
		w.ask(authRequired)
	default:
		w.enter(completed, "")
	}
}

func (w *worker) ask(state string) {
	w.change(func(t *task) { w.s.enter(t, state, w.s.b.agent.asks(t, state)) })
}

// plod works in steps and tells each.
func (w *worker) plod(steps, share int) {
	for i := range steps {
		if !w.pause(share) || !w.s.b.agent.step(w, i+1) {
			return
		}
	}
}

// plodInChunks works long, and delivers a numbered chunk at each step.
func (w *worker) plodInChunks() {
	const steps = 6
	id := w.s.b.agent.artifact()
	for i := range steps {
		if !w.pause(5) || !w.s.b.agent.step(w, i+1) {
			return
		}
		a := artifact{id: id, parts: []object{{"text": "chunk " + strconv.Itoa(i+1) + "\n"}}}
		if i == 0 {
			a.name = "log"
		}
		if !w.deliver(a, i > 0, i == steps-1) {
			return
		}
	}
	w.pause(4)
}
