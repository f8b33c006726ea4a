// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
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
	for _, in := range e.instances.all() {
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
