// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"iter"
	"net/url"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/dialect"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
)

// greeted notes the first greeting that says what the executor speaks. The lock is held.
func (s *socket) greeted(members map[string]any) {
	if s.foreign == nil && !s.ours {
		s.foreign = dialect.Foreign(members)
		s.ours = s.foreign == nil && members["op"] == "binding_hello"
	}
}

// misunderstands ends the row when the connection of the step is in another dialect than the run speaks. What the row has
// found until then it found of handshakes.
func (t terminal) misunderstands(step *suites.Step) bool {
	s := t.actor(step).socket
	if s == nil || s.tap == nil {
		return false
	}
	s.mu.Lock()
	greeting, ours := s.foreign, s.ours
	s.mu.Unlock()
	wanted := t.run.Config.PTYDialect
	if wanted != "" && !dialect.Judges(t.test.ID) {
		t.skip(report.Reason{Code: "pty-dialect", Detail: "judges names or forms of pty-ws/v1, which the " + wanted + " dialect has not; the binding itself is judged without --pty-dialect"})
		return true
	}
	switch {
	case greeting == nil && (wanted == "" || !ours), greeting != nil && greeting.Name == wanted:
		t.conversed("")
		return false
	case greeting == nil:
		t.blockBy(step.At, step.Do.Verb(), "the executor greets in pty-ws/v1", fmt.Sprintf(
			"the executor greets in pty-ws/v1, not in the %s dialect: run without --pty-dialect", wanted))
		return true
	}
	cause := greeting.Cause()
	t.conversed(cause)
	if !t.test.NamesDialect {
		t.blockBy(step.At, step.Do.Verb(), cause, cause)
		return true
	}
	t.found(step.At, &problem{subject: "greeting", observed: "is in the " + greeting.Name + " dialect", expected: "pty-ws/v1", cause: plaintext.Normalised(cause),
		sentence: fmt.Sprintf("%s: %s. What frames would have to show is blocked by this", cause, greeting.Marks)}, report.Fail, "A56")
	return true
}

// conversed notes that the test judges a conversation. One that only tries to have one is judged by more than frames.
func (t terminal) conversed(cause string) {
	if !t.tries {
		t.run.dialects.Conversed(t.test.ID, cause)
	}
}

// askedAhead puts the replay that an actor will ask for when it joins or subscribes into the URL of its attach, where the
// compact dialect wants it.
func (t terminal) askedAhead(open *suites.Step, address *url.URL) (replays bool, err error) {
	for step := range t.following() {
		if step.By != open.By {
			continue
		}
		if _, again := step.Do.(suites.Open); again {
			return false, nil
		}
		send, is := step.Do.(suites.Send)
		if !is {
			continue
		}
		envelope, _ := send.JSON.(map[string]any)
		from, has := envelope["replay_from"]
		if !has {
			continue
		}
		v, err := t.expand(from)
		if err != nil {
			return false, fmt.Errorf("the compact dialect wants replay_from when it attaches: %w", err)
		}
		if v == nil {
			return false, nil
		}
		query := address.Query()
		query.Set("replay_from", jsontext.Text(v))
		address.RawQuery = query.Encode()
		return true, nil
	}
	return false, nil
}

// ownSteps are the steps inside of one that this client does itself, if it is such a step.
func (t terminal) ownSteps(step *suites.Step) (steps []*suites.Step, are bool) {
	switch do := step.Do.(type) {
	case suites.Use:
		return do.Steps, true
	case suites.Part:
		return do.Inside(), true
	case suites.If:
		if holds, err := t.isTrue(do); err != nil || !holds {
			return nil, true
		}
		return do.Inside(), true
	}
	return nil, false
}

// following are the steps of the row that come after the one being played.
func (t terminal) following() iter.Seq[*suites.Step] {
	return func(yield func(*suites.Step) bool) {
		var walk func(steps []*suites.Step) bool
		walk = func(steps []*suites.Step) bool {
			for _, step := range steps {
				if steps, are := t.ownSteps(step); are {
					if !walk(steps) {
						return false
					}
				} else if !yield(step) {
					return false
				}
			}
			return true
		}
		for _, steps := range slices.Backward(t.ahead) {
			if !walk(steps) {
				return
			}
		}
	}
}
