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

// The states of an instance.
const (
	stateProvisioning = "provisioning"
	stateStopped      = "stopped"
	stateStarting     = "starting"
	stateRunning      = "running"
	stateStopping     = "stopping"
	stateDestroyed    = "destroyed"
)

// An instance is one agent with its runtime. What is stored of it is its record and its key.
type instance struct {
	record
	e    *Executor
	seed []byte // of the signing key

	artifactReads perSecond

	mu    sync.Mutex
	phase string // one of the states
}

// A record is what does not change while an instance exists.
type record struct {
	ID           string
	Name         string
	Kind         string // of the runtime, in the card: vm or container
	Runtime      string // of the runtime, on the admin surface: qemu or docker
	Provider     string
	Loadout      string
	ImageRef     string
	Image        string
	Capabilities []string
	Labels       map[string]any
	WorkingDir   string
	Created      time.Time
	Phase        string // as it was when it was stored
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

// populate reads the instances of the store, or makes the first ones.
func (e *Executor) populate() error {
	err := e.store.each(`SELECT seed, doc FROM instances ORDER BY number`, nil, func(scan func(...any) error) error {
		in := &instance{e: e}
		var text []byte
		if err := scan(&in.seed, &text); err != nil {
			return err
		}
		if err := undoc(text, &in.record); err != nil {
			return err
		}
		e.adopt(in)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read instances: %w", err)
	}
	for _, in := range e.instances {
		e.b.card.reopened(e, in)
	}
	if len(e.order) == 0 {
		for _, r := range firstInstances() {
			if _, err := e.addInstance(r); err != nil {
				return err
			}
		}
	}
	copy(e.pair[:], e.order)
	return nil
}

// addInstance stores a new instance and serves it from then on.
func (e *Executor) addInstance(r record) (*instance, error) {
	in := &instance{e: e, record: r, seed: make([]byte, ed25519.SeedSize)}
	if _, err := rand.Read(in.seed); err != nil {
		return nil, err
	}
	if _, err := e.store.exec(`INSERT INTO instances (id, seed, doc) VALUES (?, ?, ?)`, r.ID, in.seed, doc(r)); err != nil {
		return nil, err
	}
	e.adopt(in)
	return in, nil
}

func (e *Executor) adopt(in *instance) {
	in.phase = in.Phase
	e.known.Lock()
	defer e.known.Unlock()
	e.instances[in.ID] = in
	e.order = append(e.order, in.ID)
}

// removeInstance forgets an instance: its card, key and tasks are gone.
func (e *Executor) removeInstance(in *instance) error {
	if _, err := e.store.exec(`DELETE FROM instances WHERE id = ?`, in.ID); err != nil {
		return err
	}
	e.known.Lock()
	defer e.known.Unlock()
	delete(e.instances, in.ID)
	e.order = slices.DeleteFunc(e.order, func(id string) bool { return id == in.ID })
	return nil
}

// instance finds an instance by its id.
func (e *Executor) instance(id string) (*instance, bool) {
	e.known.RLock()
	defer e.known.RUnlock()
	in, ok := e.instances[id]
	return in, ok
}

// all returns the instances, the oldest first.
func (e *Executor) all() []*instance {
	e.known.RLock()
	defer e.known.RUnlock()
	list := make([]*instance, len(e.order))
	for i, id := range e.order {
		list[i] = e.instances[id]
	}
	return list
}

func (in *instance) state() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.phase
}

// enter brings the instance into another state and stores it.
func (in *instance) enter(phase string) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.phase = phase
	r := in.record
	r.Phase = phase
	_, err := in.e.store.exec(`UPDATE instances SET doc = ? WHERE id = ?`, doc(r), in.ID)
	return err
}

// extensions are the URIs that the card of the instance advertises.
func (in *instance) extensions() []string {
	return []string{uriRuntime, uriIdempotency, uriHITL, uriTenant, uriPTY, uriAdapter, uriOutput}
}

// resumeTasks lets the agents go on with what they were doing when the executor was stopped.
func (e *Executor) resumeTasks() error {
	e.work.Lock()
	defer e.work.Unlock()
	for _, in := range e.all() {
		open, err := e.store.openTasks(in.ID)
		if err != nil {
			return fmt.Errorf("resume tasks: %w", err)
		}
		for _, t := range open {
			t.in = in
			if !interrupted(t.State) {
				in.schedule(t)
			}
		}
	}
	return nil
}
