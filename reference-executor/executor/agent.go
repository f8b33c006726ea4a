// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// A plan is what the agent still has to do for a task. It is stored with the task, so that a restarted executor goes on.
type plan struct {
	Scenario string
	Step     int
	Due      time.Time // of the step; zero: the agent waits for the client
	Slow     time.Duration
	Adapter  *adapterCommand
}

// A step is what the agent does after a while.
type step struct {
	after time.Duration
	state string
	do    func(*task)
}

// scenarios are what the first line of a message can ask the agent to do: "scenario: failed". Any other message makes it
// work for minutes, until somebody cancels.
var scenarios = map[string][]step{
	"":                  {{0, working, nil}, {5 * time.Minute, completed, finish}},
	completed:           {{0, working, nil}, {600 * time.Millisecond, completed, finish}},
	failed:              {{0, working, nil}, {800 * time.Millisecond, failed, fail("application", "the command ended with status 3")}},
	"broken":            {{0, working, nil}, {400 * time.Millisecond, failed, fail("infrastructure", "the runtime went away")}},
	rejected:            {{0, rejected, say("this is not something the agent does")}},
	inputRequired:       {{0, working, nil}, {250 * time.Millisecond, inputRequired, ask}, {0, working, nil}, {time.Second, completed, finish}},
	authRequired:        {{0, working, nil}, {250 * time.Millisecond, authRequired, say("sign in first")}, {0, working, nil}, {time.Second, completed, finish}},
	"slow":              {{0, working, nil}, {0, completed, finish}},
	"adapter":           {{0, working, nil}, {300 * time.Millisecond, "", (*task).endAdapter}},
	"input-then-nobody": {{0, working, nil}, {250 * time.Millisecond, inputRequired, ask}, {0, working, nil}, {5 * time.Minute, completed, finish}},
}

// planFor chooses a scenario by the text of the message: "scenario: NAME", or "scenario: slow 3s then completed".
func planFor(m message) plan {
	if m.Adapter != nil {
		return plan{Scenario: "adapter", Adapter: m.Adapter}
	}
	first, _, _ := strings.Cut(m.Text, "\n")
	name, asked := strings.CutPrefix(strings.TrimSpace(first), "scenario:")
	if !asked {
		return plan{}
	}
	words := strings.Fields(name)
	if len(words) >= 2 && words[0] == "slow" {
		if d, err := time.ParseDuration(words[1]); err == nil && d > 0 && d < time.Hour {
			return plan{Scenario: "slow", Slow: d}
		}
	}
	if len(words) == 1 && scenarios[words[0]] != nil && words[0] != "slow" && words[0] != "adapter" {
		return plan{Scenario: words[0]}
	}
	return plan{}
}

// next is the step that is due next; none is left when the scenario is over.
func (p plan) next() (step, bool) {
	steps := scenarios[p.Scenario]
	if p.Step >= len(steps) {
		return step{}, false
	}
	s := steps[p.Step]
	if p.Scenario == "slow" && p.Step == 1 {
		s.after = p.Slow
	}
	return s, true
}

func finish(t *task) {
	t.Says = "done"
	var texts []string
	for _, m := range t.Messages {
		texts = append(texts, textOf(m))
	}
	t.addArtifact("stdout", strings.Join(texts, "\n"))
}

func textOf(m map[string]any) string {
	var texts []string
	parts, _ := m["parts"].([]any)
	for _, p := range parts {
		part, _ := p.(map[string]any)
		if s, ok := part["text"].(string); ok {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}

func (t *task) addArtifact(stream, text string) {
	t.Artifacts = append(t.Artifacts[:len(t.Artifacts):len(t.Artifacts)],
		artifact{ID: newID(), Stream: stream, Text: text, Created: time.Now().UTC()})
}

func fail(kind, why string) func(*task) {
	return func(t *task) { t.FailKind, t.Says = kind, why }
}

func say(text string) func(*task) {
	return func(t *task) { t.Says = text }
}

// schedule arranges the next step of the agent; e.work is held. A pause of zero is a few milliseconds of thinking.
func (in *instance) schedule(t task) {
	s, left := t.Plan.next()
	if !left || !in.e.b.tasks.works(t) {
		return
	}
	wait := s.after
	if wait == 0 {
		wait = in.e.lawful.Between(5*time.Millisecond, 20*time.Millisecond)
	}
	if !t.Plan.Due.IsZero() {
		wait = max(time.Until(t.Plan.Due), 0)
	}
	in.e.agenda.after(t.ID, in.e.b.tasks.thinks(t, wait), func() { in.advance(t.ID) })
}

// advance does the step that is due.
func (in *instance) advance(id string) {
	in.e.work.Lock()
	defer in.e.work.Unlock()
	t, found := in.load(id)
	if !found || t.terminal() || interrupted(t.State) {
		return
	}
	if _, p := in.take(t); p != nil {
		in.e.log.Error("advance a task", "task", id, "err", p.Error())
	}
}

// take does the next step of the plan now, and arranges the one after it; e.work is held.
func (in *instance) take(t task) (task, *problem) {
	s, left := t.Plan.next()
	if !left {
		return t, nil
	}
	t.Plan.Step++
	t.Plan.Due = time.Time{}
	after, more := t.Plan.next()
	waits := interrupted(s.state)
	if more && !waits && after.after > 0 {
		t.Plan.Due = time.Now().Add(after.after)
	}
	state := s.state
	if state == "" {
		state = t.Plan.Adapter.ends()
	}
	t, p := in.move(t, in.e.b.tasks.steps(t, state), func(t *task) {
		if s.do != nil {
			s.do(t)
		}
		in.e.b.tasks.dresses(t)
	})
	if p == nil && more && !waits && !t.terminal() {
		in.schedule(t)
	}
	return t, p
}

// resume goes on with a task that was waiting for the client; e.work is held.
func (in *instance) resume(t task, opts sendOptions) (task, *problem) {
	t, p := in.take(t)
	if p != nil {
		return task{}, p
	}
	return t.seenBy(opts.Active), nil
}

// newID returns a UUID of version 7 in its canonical text.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// An agenda holds what is to be done later, one entry a key. After close nothing is begun any more.
type agenda struct {
	mu      sync.Mutex
	timers  map[string]*time.Timer
	running sync.WaitGroup
	closed  bool
	serial  int
}

func newAgenda() *agenda { return &agenda{timers: map[string]*time.Timer{}} }

// after does something later. What was arranged under the same key before is dropped.
func (a *agenda) after(key string, wait time.Duration, do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	if key == "" {
		a.serial++
		key = "#" + strconv.Itoa(a.serial)
	}
	a.forget(key)
	a.running.Add(1)
	var timer *time.Timer
	timer = time.AfterFunc(wait, func() {
		defer a.running.Done()
		a.mu.Lock()
		if a.timers[key] == timer {
			delete(a.timers, key)
		}
		stop := a.closed
		a.mu.Unlock()
		if !stop {
			do()
		}
	})
	a.timers[key] = timer
}

// forget stops the timer of a key; a.mu is held.
func (a *agenda) forget(key string) {
	if timer := a.timers[key]; timer != nil {
		if timer.Stop() {
			a.running.Done()
		}
		delete(a.timers, key)
	}
}

// drop takes an entry off the agenda, unless it is being done already.
func (a *agenda) drop(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget(key)
}

// close drops everything and waits for what is being done.
func (a *agenda) close() {
	a.mu.Lock()
	a.closed = true
	for key := range a.timers {
		a.forget(key)
	}
	a.mu.Unlock()
	a.running.Wait()
}
