// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"net/http"
	"strings"
	"time"
)

// Many faults change only what an operation answers. The names of the operations stand beside their routes, in a2a.go.

// answers changes what one operation answers.
func answers(operation string, change func(c *call, a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		before := b.tasks.answer
		b.tasks.answer = func(c *call, op string, a answer) answer {
			a = before(c, op, a)
			if op == operation && a.status < 300 {
				return change(c, a)
			}
			return a
		}
	}
}

// answersTo changes what one operation answers with a task whose messages hold these words.
func answersTo(operation, words string, change func(c *call, a answer) answer) func(*behaviour) {
	return answers(operation, func(c *call, a answer) answer {
		if !bytes.Contains(a.body, []byte(words)) {
			return a
		}
		return change(c, a)
	})
}

// membersOf changes members of the task that one operation answers with.
func membersOf(operation, words string, change func(v map[string]any)) func(*behaviour) {
	return answersTo(operation, words, func(c *call, a answer) answer {
		var v map[string]any
		if undoc(a.body, &v) == nil {
			change(v)
			a.body = c.e.lawful.Encode(v)
		}
		return a
	})
}

// lostUpdate is how long these faults leave between reading and writing.
const lostUpdate = 25 * time.Millisecond

func inPlainTextWhere(is func(c *call, p *problem) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if is(c, p) {
				return "text/plain", []byte(p.code)
			}
			return real(c, p, d)
		}
	}
}

// extendedParams changes the params of an extension in the extended card.
func extendedParams(uri string, change func(in *instance, params map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			for _, item := range capabilities(card)["extensions"].([]any) {
				if entry := item.(map[string]any); entry["uri"] == uri {
					change(c.in, entry["params"].(map[string]any))
				}
			}
			c.in.resign(card)
			return c.json(http.StatusOK, card)
		}
	}
}

// inTasks changes the tasks that an operation answers with, one or a list of them.
func inTasks(operation string, change func(task map[string]any)) func(*behaviour) {
	return answers(operation, func(c *call, a answer) answer { return changed(c, a, change) })
}

// instead answers some requests in place of everything else.
func instead(of func(c *call) (answer, bool)) func(*behaviour) {
	return func(b *behaviour) { b.surfaces.before = of }
}

// refusals changes what is sent of refusals.
func refusals(change func(c *call, p *problem, a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		real := b.errors.answer
		b.errors.answer = func(c *call, p *problem, a *answer) {
			real(c, p, a)
			change(c, p, a)
		}
	}
}

// large says whether the first message of a task is a long one.
func (t task) large() bool { return len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10 }

// cutShort lets the connection end in the middle of a body.
func cutShort(a *answer) {
	body := a.body
	a.stream = func(w http.ResponseWriter) {
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// changesBody changes the object that an answer holds.
func changesBody(change func(v map[string]any)) func(c *call, a answer) answer {
	return func(c *call, a answer) answer {
		var v map[string]any
		if undoc(a.body, &v) != nil {
			return a
		}
		change(v)
		a.body = c.e.lawful.Encode(v)
		return a
	}
}

// ofMessage says whether it is the stream of a message, and not of a subscriber.
func (s *eventStream) ofMessage() bool { return strings.HasSuffix(s.c.r.URL.Path, "/messages:stream") }

// changed is an answer whose tasks were changed.
func changed(c *call, a answer, change func(task map[string]any)) answer {
	var v map[string]any
	if undoc(a.body, &v) != nil {
		return a
	}
	if list, is := v["tasks"].([]any); is {
		for _, task := range list {
			change(task.(map[string]any))
		}
	} else {
		change(v)
	}
	a.body = c.e.lawful.Encode(v)
	return a
}

// ofLargeTasks lets the answers of an operation lack the state of tasks that are large.
func ofLargeTasks(operation string) func(*behaviour) {
	return answers(operation, func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, withoutState)
	})
}
