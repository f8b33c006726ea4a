// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"
)

// instances are those that an executor serves now. They are in its store as well.
type instances struct {
	e *Executor

	mu    sync.RWMutex
	byID  map[string]*instance
	order []string // their ids, oldest first
}

func newInstances(e *Executor) *instances {
	return &instances{e: e, byID: map[string]*instance{}}
}

// firstInstances are those of a fresh executor: one of each runtime.
func firstInstances() []record {
	now := time.Now().UTC()
	return []record{
		{
			ID: newID(), Name: "agent-one", Kind: "vm", Runtime: "qemu", Provider: "libvirt", Loadout: "base-dev", Created: now,
			Image: "agent-base", ImageRef: "qcow2://images.example.net/agent-base.qcow2@sha256:" + digest("agent-base"),
			Capabilities: []string{"exec", "network:egress", "pty", "storage.inbox"}, Phase: stateRunning,
		},
		{
			ID: newID(), Name: "agent-two", Kind: "container", Runtime: "docker", Provider: "docker-engine", Loadout: "slim", Created: now,
			Image: "agent-slim", ImageRef: "registry.example.net/agents/agent-slim@sha256:" + digest("agent-slim"),
			Capabilities: []string{"exec", "pty"}, Phase: stateRunning,
		},
	}
}

// open reads the instances of the store, or makes the first ones.
func (is *instances) open() error {
	err := is.e.store.each(`SELECT seed, doc FROM instances ORDER BY number`, nil, func(scan func(...any) error) error {
		in := &instance{e: is.e}
		var text []byte
		if err := scan(&in.seed, &text); err != nil {
			return err
		}
		if err := undoc(text, &in.record); err != nil {
			return err
		}
		is.adopt(in)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read instances: %w", err)
	}
	for _, in := range is.all() {
		is.e.b.card.reopened(is.e, in)
	}
	if len(is.order) == 0 {
		for _, r := range firstInstances() {
			if _, err := is.add(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// add stores a new instance and serves it from then on.
func (is *instances) add(r record) (*instance, error) {
	in := &instance{e: is.e, record: r, seed: make([]byte, ed25519.SeedSize)}
	if _, err := rand.Read(in.seed); err != nil {
		return nil, err
	}
	if _, err := is.e.store.exec(`INSERT INTO instances (id, seed, doc) VALUES (?, ?, ?)`, r.ID, in.seed, doc(r)); err != nil {
		return nil, err
	}
	is.adopt(in)
	return in, nil
}

func (is *instances) adopt(in *instance) {
	in.phase = in.Phase
	is.mu.Lock()
	defer is.mu.Unlock()
	is.byID[in.ID] = in
	is.order = append(is.order, in.ID)
}

// remove forgets an instance: its card, key and tasks are gone.
func (is *instances) remove(in *instance) error {
	if _, err := is.e.store.exec(`DELETE FROM instances WHERE id = ?`, in.ID); err != nil {
		return err
	}
	is.mu.Lock()
	defer is.mu.Unlock()
	delete(is.byID, in.ID)
	is.order = slices.DeleteFunc(is.order, func(id string) bool { return id == in.ID })
	return nil
}

// find finds an instance by its id.
func (is *instances) find(id string) (*instance, bool) {
	is.mu.RLock()
	defer is.mu.RUnlock()
	in, ok := is.byID[id]
	return in, ok
}

// all returns the instances, the oldest first.
func (is *instances) all() []*instance {
	is.mu.RLock()
	defer is.mu.RUnlock()
	list := make([]*instance, len(is.order))
	for i, id := range is.order {
		list[i] = is.byID[id]
	}
	return list
}

// ownerOf is the instance that runs a command; nil when none does.
func (is *instances) ownerOf(command string) *instance {
	for _, in := range is.all() {
		if _, found := in.getTask(command); found {
			return in
		}
	}
	return nil
}
