// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// cancelTime bounds the cancelling of what a test has created.
const cancelTime = 2 * time.Second

// mostCancelled bounds how many tasks one row may leave to be cancelled.
const mostCancelled = 500

// created are the tasks that a row of a test has created.
type created struct {
	mu    sync.Mutex
	tasks map[string]*request // by id: the request that cancels it
}

// add notes a task and how to cancel it.
func (c *created) add(id string, cancel *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks == nil {
		c.tasks = map[string]*request{}
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
	path, _, _ := strings.Cut(address, "?")
	_, there := c.tasks[path[strings.LastIndexByte(path, '/')+1:]]
	return there
}

func isFinal(state string) bool {
	return state == "completed" || state == "failed" || state == "canceled" || state == "rejected"
}

// sends are the ends of the paths that create a task, and what a cancel of it puts behind the task's id.
var sends = []struct{ path, cancel string }{
	{"/messages:send", "/cancel"}, {"/messages:stream", "/cancel"},
	{"/message:send", ":cancel"}, {"/message:stream", ":cancel"},
}

// noteEnd drops a task that was read and has ended.
func (p *player) noteEnd(task any) {
	id, _ := member(task, "id").(string)
	if state, _ := member(task, "state").(string); isFinal(state) {
		p.created.forget(id)
	}
}

// noteTask notes a task that an answer of messages:send or messages:stream names.
func (p *player) noteTask(q *request, task any) {
	if q.method != http.MethodPost || !p.run.isTarget(q.url) {
		return
	}
	id, _ := member(task, "id").(string)
	state, _ := member(task, "state").(string)
	if isFinal(state) {
		p.created.forget(id)
		return
	}
	path, _, _ := strings.Cut(q.url, "?")
	for _, send := range sends {
		if base, is := strings.CutSuffix(path, send.path); is && id != "" {
			p.created.add(id, &request{method: http.MethodPost, url: base + "/tasks/" + url.PathEscape(id) + send.cancel,
				header: withoutHeader(q.header, "Content-Type"), identity: q.identity, limit: cancelTime, shares: true})
			return
		}
	}
}

// cancelTasks cancels what the row has created, so that a second run finds what the first one found. It is no part of
// the test: what it answers is not looked at.
func (p *player) cancelTasks() {
	p.created.mu.Lock()
	tasks := p.created.tasks
	p.created.tasks = nil
	p.created.mu.Unlock()
	if len(tasks) == 0 {
		return
	}
	// An interrupted run cleans up as well.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), cancelTime)
	defer cancel()
	slots := make(chan struct{}, 8)
	var all sync.WaitGroup
	for _, q := range tasks {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			defer p.run.guard("cancelling a task")
			p.run.client.do(ctx, q)
		})
	}
	all.Wait()
}
