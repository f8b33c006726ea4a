// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// add notes a task and how to cancel it.
func (c *Created) add(id string, cancel *target.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks == nil {
		c.tasks = map[string]*target.Request{}
	}
	if len(c.tasks) < maxCancelled {
		c.tasks[id] = cancel
	}
}

// forget drops a task that has ended.
func (c *Created) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tasks, id)
}

// reads says whether a URL is that of a task that has still to be cancelled.
func (c *Created) reads(address string) bool {
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
func (c *Created) noteEnd(task any) {
	id, _ := readers.Member(task, "id").(string)
	if state, _ := readers.Member(task, "state").(string); readers.IsFinal(state) {
		c.forget(id)
	}
}

// Task notes a task that an answer of messages:send or messages:stream names.
func (c *Created) Task(q *target.Request, task any) {
	if q.Call != nil { // its events are read as those of any other request
		c.noteCalledTask(q.Call, q, task)
		return
	}
	if q.Method != http.MethodPost || !c.target.IsTarget(q.URL) {
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
			if !strings.Contains(base, "/agents/") && !c.target.Profile.Plain() { // another surface let a message through
				base = c.target.Place.API
			}
			c.add(id, c.target.AsOf(q, http.MethodPost, base+"/tasks/"+url.PathEscape(id)+send.Cancel))
			return
		}
	}
}

// TerminalTask notes a task that a terminal connection to the instance has started. Whether it has ended by itself is
// not followed: a cancel that comes too late does no harm.
func (c *Created) TerminalTask(id string) {
	cancel := c.target.PlainGet(c.target.Place.API+"/tasks/"+url.PathEscape(id)+"/cancel", "instance")
	cancel.Method, cancel.Limit, cancel.Shares = http.MethodPost, target.CancelTime, true
	c.add(id, cancel)
}

// CancelTasks cancels what the row has created, so that a second run finds what the first one found. Push configurations go first,
// so that nobody is told. It is no part of the test: what it answers is not looked at.
func (c *Created) CancelTasks() {
	c.mu.Lock()
	tasks := c.tasks
	c.tasks = nil
	c.mu.Unlock()
	c.cleanUp(tasks)
}

// How many requests that undo something are under way at once, and how many where the target is far away and copes.
const (
	undoneAtOnce = 8
	undoneFar    = 32
)

// cleanUp sends requests that undo what a row has done, and says whether each of them was answered with success, or that
// there is nothing to undo.
func (c *Created) cleanUp(undo map[string]*target.Request) bool {
	if len(undo) == 0 {
		return true
	}
	var failed atomic.Bool
	// An interrupted run cleans up as well.
	ctx, cancel := c.bounds.Undoing(target.CancelTime + time.Duration(len(undo))*cancelEach)
	defer cancel()
	most := undoneAtOnce
	if c.bounds.Far != nil && c.bounds.Far() {
		most = undoneFar
	}
	slots := make(chan struct{}, most)
	var all sync.WaitGroup
	for _, q := range undo {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			defer c.target.Guard("cleaning up")
			x := c.target.Patiently(ctx, q)
			if other := target.RefusedEmpty(q, x.Status); other != nil {
				x = c.target.Patiently(ctx, other)
			}
			if x.Status < 200 || x.Status > 299 && x.Status != http.StatusNotFound && x.Status != http.StatusGone {
				failed.Store(true)
			}
		})
	}
	all.Wait()
	return !failed.Load()
}
