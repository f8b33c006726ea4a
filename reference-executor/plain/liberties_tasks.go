// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// taskLiberties are about what tasks go through, and what comes of them.
var taskLiberties = map[string]func(*behaviour){
	// 4.1.3: no state has to be gone through.
	"tasks-begin-at-work": func(b *behaviour) { b.agent.begins = working },
	"short-work-is-done-at-once": func(b *behaviour) {
		b.agent.starts = func(s *Server, t *task, text string) {
			if t.scenario != "" {
				conformantAgent.starts(s, t, text)
				return
			}
			t.cancel = func() {}
			a := artifact{id: uuid.NewString(), name: "echo", parts: []object{{"text": text}}}
			b.agent.stores(t, a, false)
			s.tell(t, event{kind: "artifactUpdate", chunk: a})
			s.enter(t, completed, "")
		}
	},
	"refusals-come-at-once": func(b *behaviour) {
		b.agent.starts = func(s *Server, t *task, text string) {
			state := map[string]string{"rejected": rejected, "failed": failed}[t.scenario]
			if state == "" {
				conformantAgent.starts(s, t, text)
				return
			}
			t.cancel = func() {}
			s.enter(t, state, "There is nothing that can be done.")
		}
	},

	// 3.5.2 fixes the order of events, not how many there are.
	"work-is-told-again-and-again": func(b *behaviour) {
		b.agent.starts = func(s *Server, t *task, text string) {
			conformantAgent.starts(s, t, text)
			s.beat(t)
		}
	},
	"states-are-told-once": func(b *behaviour) {
		b.agent.step = func(w *worker, _ int) bool { return w.change(func(*task) {}) }
	},
	"long-work-is-quiet": func(b *behaviour) {
		b.agent.starts = func(s *Server, t *task, text string) {
			if t.scenario != "long-running" {
				conformantAgent.starts(s, t, text)
				return
			}
			s.begin(t, text, func(w *worker, _ string) {
				if w.pause(1) && w.enter(working, "") && w.pause(34) {
					w.result("log", object{"text": "It took long."})
					w.enter(completed, "")
				}
			})
		}
	},

	// No sentence limits how long work may take, nor how long a task may be submitted.
	"work-takes-its-time": func(b *behaviour) {
		b.agent.share = func(s *Server, n int) time.Duration { return 3 * conformantAgent.share(s, n) }
	},
	"work-begins-late": func(b *behaviour) {
		b.agent.starts = func(s *Server, t *task, text string) {
			t.cancel = func() {}
			s.after(s.config.Work/5, func() {
				if !terminal(t.state) {
					conformantAgent.starts(s, t, text)
				}
			})
		}
	},

	// 4.1.3: an agent may need input as often as it does.
	"the-agent-asks-twice": func(b *behaviour) {
		asked := map[*task]bool{} // the lock is held
		b.agent.takes = func(s *Server, c *call, t *task) {
			if t.state != inputRequired || asked[t] {
				conformantAgent.takes(s, c, t)
				return
			}
			asked[t] = true
			s.enter(t, working, "")
			s.enter(t, inputRequired, "And of what size?")
		}
	},

	// 3.1.5: a task may be not cancelable, and canceling may take time, or come too late.
	"nothing-can-be-canceled": func(b *behaviour) {
		b.tasks.cancels = func(_ *call, t *task) *failure {
			return fail(taskNotCancelable, "this agent finishes what it has begun").about(t.id)
		}
	},
	"canceling-takes-a-while": func(b *behaviour) {
		b.tasks.cancel = func(c *call, t *task) {
			b.tasks.stops(t)
			c.s.after(1200*time.Millisecond, func() {
				if !terminal(t.state) {
					c.s.enter(t, canceled, "")
				}
			})
		}
	},
	"waiting-tasks-cannot-be-canceled": func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			if interrupted(t.state) {
				return fail(taskNotCancelable, "the task waits for an answer").about(t.id)
			}
			return conformantTasks.cancels(c, t)
		}
	},
	"canceling-comes-too-late": func(b *behaviour) {
		b.tasks.cancel = func(c *call, t *task) {
			if interrupted(t.state) {
				conformantTasks.cancel(c, t)
			}
		}
	},

	// AMB-15: a task that was canceled cannot be canceled, or is canceled again without effect.
	"canceled-tasks-cannot-be-canceled": func(b *behaviour) {
		b.tasks.cancels = func(_ *call, t *task) *failure {
			if terminal(t.state) {
				return fail(taskNotCancelable, "the task has ended").about(t.id)
			}
			return nil
		}
	},

	// The proto file lets every status have a message.
	"tasks-end-with-a-word": func(b *behaviour) {
		b.output.status = func(_ *call, t task, v object) {
			if t.state == completed && v["message"] == nil {
				v["message"] = object{
					"messageId": "end-of-" + t.id, "role": "ROLE_AGENT", "taskId": t.id, "contextId": t.context,
					"parts": []any{object{"text": "Done."}, object{"data": object{"took": 1.5}}},
				}
			}
		}
	},

	// The proto file has taskId and contextId of a message be optional.
	"agents-say-little-of-their-messages": func(b *behaviour) {
		b.output.status = func(_ *call, _ task, v object) {
			if message, ok := v["message"].(object); ok {
				delete(message, "taskId")
				delete(message, "contextId")
			}
		}
	},

	// No sentence keeps a task that fails from having results.
	"failures-leave-results": func(b *behaviour) {
		b.agent.starts = func(s *Server, t *task, text string) {
			if t.scenario != "failed" {
				conformantAgent.starts(s, t, text)
				return
			}
			s.begin(t, text, func(w *worker, _ string) {
				if w.pause(1) && w.enter(working, "") {
					w.result("partial", object{"text": "So much of it was done."})
					w.enter(failed, "And the rest came to nothing.")
				}
			})
		}
	},

	// 13.4 limits what is sent to an agent, not what comes of it.
	"results-are-long": func(b *behaviour) {
		b.agent.result = func(w *worker, a artifact) {
			if text, is := a.parts[0]["text"].(string); is {
				a.parts = []object{{"text": text + strings.Repeat(" and so on, ünd so wéiter", 150)}}
			}
			conformantAgent.result(w, a)
		}
	},

	// 4.1.6 and 4.1.7: what a part and an artifact can have beside their content.
	"artifacts-tell-all-that-they-can": func(b *behaviour) {
		b.output.artifact = func(_ *call, v object) {
			unlessSet(v, "name", "result")
			unlessSet(v, "description", "What came of it.")
			v["metadata"] = object{"https://a2a.example/quality": 0.5}
			eachPart(v, func(part object) {
				part["metadata"] = object{"language": "en"}
				if _, text := part["text"]; text {
					part["mediaType"], part["filename"] = "text/plain; charset=utf-8", "result.txt"
				}
			})
		}
	},
	"texts-come-in-two-parts": func(b *behaviour) {
		b.agent.result = func(w *worker, a artifact) {
			if text, is := a.parts[0]["text"].(string); is {
				runes := []rune(text)
				half := len(runes) / 2
				a.parts = []object{{"text": string(runes[:half])}, {"text": string(runes[half:])}}
			}
			conformantAgent.result(w, a)
		}
	},

	// 4.2.2: an update without append replaces the artifact of its id.
	"results-are-drafted-first": func(b *behaviour) {
		b.agent.result = func(w *worker, a artifact) {
			w.deliver(artifact{id: a.id, name: "draft", parts: []object{{"text": "a draft"}}}, false, false)
			conformantAgent.result(w, a)
		}
	},
	"progress-is-an-artifact": func(b *behaviour) {
		b.agent.step = func(w *worker, n int) bool {
			w.deliver(artifact{id: "progress-" + w.t.id, name: "progress", parts: []object{{"text": "at step " + strconv.Itoa(n) + " of some"}}}, false, false)
			return conformantAgent.step(w, n)
		}
	},

	// 4.2.2 does not say how chunks are kept.
	"chunks-are-kept-as-one-part": func(b *behaviour) {
		b.agent.stores = func(t *task, a artifact, more bool) {
			storeChunk(t, a, more)
			for i, kept := range t.artifacts {
				t.artifacts[i].parts = textsJoined(kept.parts)
			}
		}
	},

	// No sentence says how long a task is kept that has ended; 3.3.1 speaks of a purge.
	"ended-tasks-are-forgotten": func(b *behaviour) {
		forgotten := func(t *task) bool { return terminal(t.state) && time.Since(t.changed) > 30*time.Second }
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantTasks.addressed(c, id)
			if f == nil && forgotten(t) {
				return nil, b.tasks.missing(c, id)
			}
			return t, f
		}
		b.list.matches = func(c *call, q query, t *task) bool {
			return !forgotten(t) && conformantList.matches(c, q, t)
		}
	},
}

// beat tells again and again that a task is at work.
func (s *Server) beat(t *task) {
	s.after(150*time.Millisecond, func() {
		if t.state == working {
			s.enter(t, working, "")
		}
		if !terminal(t.state) {
			s.beat(t)
		}
	})
}

// textsJoined are parts in which texts that follow each other are one.
func textsJoined(parts []object) []object {
	var out []object
	for _, part := range parts {
		text, is := part["text"].(string)
		if n := len(out) - 1; is && len(part) == 1 && n >= 0 && len(out[n]) == 1 && out[n]["text"] != nil {
			out = slices.Clone(out)
			out[n] = object{"text": out[n]["text"].(string) + text}
			continue
		}
		out = append(out, part)
	}
	return out
}
