// SPDX-License-Identifier: Apache-2.0

package executor

import "bytes"

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
