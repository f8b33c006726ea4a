// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/operator"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/webhooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// cancelEach is added for every task of many that are cancelled.
const cancelEach = 50 * time.Millisecond

// mostCancelled bounds how many tasks one row may leave to be cancelled.
const mostCancelled = 500

// created is what a row of a test has created: tasks and their push configurations, objects of the storage, instances,
// terminal sessions.
type created struct {
	run   *run
	ctx   context.Context // of the row
	hooks *operator.Row

	mu      sync.Mutex
	tasks   map[string]*target.Request // by id: the request that cancels it
	configs map[string]*target.Request // by address: the request that deletes it
	lists   map[string]*listing        // by address: where a push configuration may stand of which nobody knows the id
	objects map[string]*target.Request // by address: the request that deletes it

	instances []target.Provisioning
}

func (r *run) newCreated(ctx context.Context) *created {
	return &created{run: r, ctx: ctx, hooks: r.operator.NewRow()}
}

// endHooks ends what the hooks of the row have made, and lets others ask them.
func (c *created) endHooks() {
	defer c.hooks.EndTurns()
	defer c.run.Guard("ending sessions")
	c.hooks.EndSessions(func(limit time.Duration) (context.Context, context.CancelFunc) { return c.run.undoing(c.ctx, limit) })
}

// add notes a task and how to cancel it.
func (c *created) add(id string, cancel *target.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks == nil {
		c.tasks = map[string]*target.Request{}
	}
	if len(c.tasks) < mostCancelled {
		c.tasks[id] = cancel
	}
}

// forget drops a task that has ended.
func (c *created) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tasks, id)
}

// reads says whether a URL is that of a task that has still to be cancelled.
func (c *created) reads(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.tasks) == 0 {
		return false
	}
	path := target.SentPath(address)
	_, there := c.tasks[path[strings.LastIndexByte(path, '/')+1:]]
	return there
}

// noteEnd drops a task that was read and has ended.
func (c *created) noteEnd(task any) {
	id, _ := readers.Member(task, "id").(string)
	if state, _ := readers.Member(task, "state").(string); readers.IsFinal(state) {
		c.forget(id)
	}
}

// noteTask notes a task that an answer of messages:send or messages:stream names.
func (c *created) noteTask(q *target.Request, task any) {
	if q.Call != nil { // its events are read as those of any other request
		c.noteCalledTask(q.Call, q, task)
		return
	}
	if q.Method != http.MethodPost || !c.run.IsTarget(q.URL) {
		return
	}
	id, _ := readers.Member(task, "id").(string)
	state, _ := readers.Member(task, "state").(string)
	if readers.IsFinal(state) {
		c.forget(id)
		return
	}
	path := target.SentPath(q.URL)
	for _, send := range target.SendPaths {
		if base, is := strings.CutSuffix(path, send.Path); is && id != "" {
			if !strings.Contains(base, "/agents/") && !c.run.Facts.Plain { // another surface let a message through
				base = c.run.Place.API
			}
			c.add(id, &target.Request{Request: wire.Request{Method: http.MethodPost, URL: base + "/tasks/" + url.PathEscape(id) + send.Cancel, Header: target.WithoutHeader(q.Header, "Content-Type"), Limit: target.CancelTime, Shares: true}, Identity: q.Identity})
			return
		}
	}
}

// noteTerminalTask notes a task that a terminal connection to the instance has started. Whether it has ended by itself is
// not followed: a cancel that comes too late does no harm.
func (c *created) noteTerminalTask(id string) {
	cancel := c.run.PlainGet(c.run.Place.API+"/tasks/"+url.PathEscape(id)+"/cancel", "instance")
	cancel.Method, cancel.Limit, cancel.Shares = http.MethodPost, target.CancelTime, true
	c.add(id, cancel)
}

// cancelTasks cancels what the row has created, so that a second run finds what the first one found; push configurations
// go first, so that nobody is told. It is no part of the test: what it answers is not looked at.
func (c *created) cancelTasks(receivers map[string]*webhooks.Receiver) {
	c.deleteConfigs(receivers)
	c.mu.Lock()
	tasks := c.tasks
	c.tasks = nil
	c.mu.Unlock()
	c.cleanUp(tasks)
}

// cleanUp sends requests that undo what a row has done, and says whether each of them was answered with success, or that
// there is nothing to undo.
func (c *created) cleanUp(undo map[string]*target.Request) bool {
	if len(undo) == 0 {
		return true
	}
	var failed atomic.Bool
	// An interrupted run cleans up as well.
	ctx, cancel := c.run.undoing(c.ctx, target.CancelTime+time.Duration(len(undo))*cancelEach)
	defer cancel()
	slots := make(chan struct{}, 8)
	var all sync.WaitGroup
	for _, q := range undo {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			defer c.run.Guard("cleaning up")
			if x := c.run.DoAgain(ctx, q); x.Status < 200 || x.Status > 299 && x.Status != http.StatusNotFound && x.Status != http.StatusGone {
				failed.Store(true)
			}
		})
	}
	all.Wait()
	return !failed.Load()
}
