// SPDX-License-Identifier: Apache-2.0

// Package undo knows what a row of a test has created on its target, and undoes it when the row is over: tasks and their push
// configurations, objects of the storage, instances. None of it is part of the test; what the target says to it is not judged.
package undo

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// cancelEach is added for every task of many that are cancelled.
const cancelEach = 50 * time.Millisecond

// maxCancelled bounds how many tasks one row may leave to be cancelled.
const maxCancelled = 500

// Bounds are those of the run that undoing keeps to.
type Bounds struct {
	Undoing func(limit time.Duration) (context.Context, context.CancelFunc) // an interrupted run undoes as well, for a moment
	Limit   func(time.Duration) time.Duration                               // a time bound as this run has it
	Wait    func(time.Duration) time.Duration                               // a wait as this run has it
	Far     func() bool                                                     // whether the target is far away and copes, so that more is undone at once; nil: it is not
	Starts  *Starts                                                         // of the whole run; nil: nobody keeps them
}

// Created is what a row has created.
type Created struct {
	target *target.Agent
	ctx    context.Context // of the row
	bounds Bounds

	mu      sync.Mutex
	tasks   map[string]*target.Request // by id: the request that cancels it
	configs map[string]*target.Request // by address: the request that deletes it
	lists   map[string]*listing        // by address: where a push configuration may stand of which nobody knows the id
	objects map[string]*target.Request // by address: the request that deletes it

	instances []target.Provisioning
	starts    []string // ids, in what the run has started
}

// New is for a row that has created nothing yet.
func New(ctx context.Context, a *target.Agent, bounds Bounds) *Created {
	return &Created{target: a, ctx: ctx, bounds: bounds}
}

// Noticed takes from an exchange what is to be undone, and what is gone already.
func (c *Created) Noticed(x *target.Exchange) {
	c.noteAdmin(x)
	c.noteMade(x)
	c.Started(x.Request, x.Status, x.Body)
	if x.Request.Call == nil {
		c.noteConfig(x.Request, x.Status, x.Body)
	}
	if x.Status == 0 || !c.target.IsTarget(x.Request.URL) {
		return
	}
	if call := x.Request.Call; call != nil {
		c.noteOperation(call, x.Request, x.Status, jsontext.Parse(x.Body))
		return
	}
	if x.Request.Method == http.MethodGet && x.Status == http.StatusOK && c.reads(x.Request.URL) {
		c.noteEnd(readers.Task(jsontext.Parse(x.Body)))
	}
	if x.Request.StartsTask() && x.Status <= 299 {
		c.Task(x.Request, readers.Task(jsontext.Parse(x.Body)))
	}
}
