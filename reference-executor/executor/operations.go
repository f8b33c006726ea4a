// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The states of an operation.
const (
	opPending   = "pending"
	opRunning   = "running"
	opSucceeded = "succeeded"
	opFailed    = "failed"
)

// An operation is something that takes its time, on the admin surface.
type operation struct {
	ID        string
	Kind      string
	State     string
	Instance  string
	Created   time.Time
	Started   time.Time
	Completed time.Time
	Trouble   string
}

func (o operation) render(e *Executor) map[string]any {
	v := map[string]any{"id": o.ID, "kind": o.Kind, "state": o.State, "created_at": stamp(o.Created)}
	percent := 0
	if !o.Started.IsZero() {
		v["started_at"] = stamp(o.Started)
		percent = 50
	}
	if !o.Completed.IsZero() {
		v["completed_at"] = stamp(o.Completed)
		percent = 100
	}
	if o.State == opSucceeded {
		v["result"] = map[string]any{"instance_id": o.Instance}
	}
	if o.State == opFailed {
		v["error"] = map[string]any{
			"type": "https://agentic-sandbox.aiwg.io/problems/internal.unavailable", "title": titles["internal.unavailable"],
			"status": http.StatusInternalServerError, "code": "internal.unavailable",
		}
	}
	v["progress"] = map[string]any{"percent": percent, "phase": o.State}
	e.b.admin.shown(o, v)
	return v
}

// begin starts an operation and answers 202 with it. work is done while it is running.
func (c *call) begin(kind, instance string, work func() error) answer {
	e := c.e
	o := operation{ID: "op_" + strings.ReplaceAll(newID(), "-", ""), Kind: kind, State: opPending, Instance: instance, Created: time.Now().UTC()}
	if err := e.store.putDoc("operation", o.ID, o); err != nil {
		return c.refuse(e.internal(err))
	}
	e.proceed(o, e.b.admin.moves(o), work)
	a := c.json(http.StatusAccepted, o.render(e))
	a.header.Set("Location", c.e.b.transport.below()+"/api/v2/admin/operations/"+o.ID)
	return a
}

// proceed takes an operation through its states, with a pause before each.
func (e *Executor) proceed(o operation, moves []string, work func() error) {
	if len(moves) == 0 {
		return
	}
	e.agenda.after(o.ID, e.b.admin.pace(e.lawful.Between(20*time.Millisecond, 60*time.Millisecond)), func() {
		o.State = moves[0]
		now := time.Now().UTC()
		switch o.State {
		case opRunning:
			o.Started = now
		case opSucceeded:
			if err := work(); err != nil {
				e.log.Error("operation", "kind", o.Kind, "err", err)
				o.State, o.Trouble = opFailed, err.Error()
			}
			o.Completed = now
		}
		if err := e.store.putDoc("operation", o.ID, o); err != nil {
			e.log.Error("store an operation", "err", err)
		}
		e.admin.event(o.Kind+"."+o.State, "operation/"+o.ID, map[string]any{"instance_id": o.Instance})
		e.proceed(o, moves[1:], work)
	})
}

func getOperation(c *call) answer {
	var o operation
	found, err := c.e.store.getDoc("operation", c.vars["id"], &o)
	if err != nil {
		return c.refuse(c.e.internal(err))
	}
	if !found {
		return c.refuse(refuse(http.StatusNotFound, "operation.not_found", "there is no operation of that id"))
	}
	return c.json(http.StatusOK, o.render(c.e))
}

// lifecycle are the changes an instance can go through.
var lifecycle = map[string]func(c *call, in *instance) answer{
	"start": func(c *call, in *instance) answer {
		return c.begin("instance.start", in.ID, func() error { return in.enter(stateRunning) })
	},
	"stop": func(c *call, in *instance) answer {
		if err := in.enter(stateStopping); err != nil {
			return c.refuse(c.e.internal(err))
		}
		return c.begin("instance.stop", in.ID, func() error { in.abandon(); return in.enter(stateStopped) })
	},
	"restart":     again("instance.restart"),
	"reprovision": again("instance.reprovision"),
	"destroy":     destroy,
}

func again(kind string) func(c *call, in *instance) answer {
	return func(c *call, in *instance) answer {
		if err := in.enter(stateStarting); err != nil {
			return c.refuse(c.e.internal(err))
		}
		return c.begin(kind, in.ID, func() error { in.abandon(); return in.enter(stateRunning) })
	}
}

// abandon ends the tasks of an instance whose runtime goes away.
func (in *instance) abandon() {
	e := in.e
	for _, tell := range e.gone {
		defer tell(in)
	}
	e.work.Lock()
	defer e.work.Unlock()
	open, err := e.store.openTasks(in.ID)
	if err != nil {
		e.log.Error("abandon tasks", "err", err)
	}
	for _, t := range open {
		t.in = in
		if _, p := in.move(t, failed, fail("infrastructure", "the runtime was stopped")); p != nil {
			e.log.Error("abandon a task", "err", p.Error())
		}
	}
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{1,62}$`)

func validateProvision(body map[string]any) *problem {
	name, _ := body["name"].(string)
	runtime, _ := body["runtime"].(string)
	_, provider := body["provider"]
	if !namePattern.MatchString(name) {
		return unprocessable("name", "does not match "+namePattern.String())
	}
	if !slices.Contains([]string{"qemu", "docker", "host"}, runtime) {
		return unprocessable("runtime", "is not qemu, docker or host")
	}
	if provider && runtime != "qemu" {
		return unprocessable("provider", "is for qemu only")
	}
	for _, member := range []string{"provider", "loadout", "profile", "image", "working_dir", "ssh_key"} {
		if v, given := body[member]; given {
			if s, ok := v.(string); !ok || s == "" {
				return unprocessable(member, "is not a string with content")
			}
		}
	}
	if v, given := body["start"]; given {
		if _, ok := v.(bool); !ok {
			return unprocessable("start", "is not true or false")
		}
	}
	if v, given := body["labels"]; given {
		if _, ok := v.(map[string]any); !ok {
			return unprocessable("labels", "is not an object")
		}
	}
	if loadout, ok := body["loadout"].(string); ok && !loadoutPattern.MatchString(loadout) {
		return unprocessable("loadout", "is no name of a loadout")
	}
	return nil
}

var loadoutPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)

func provision(c *call) answer {
	body, _, p := c.readJSON()
	if p != nil {
		return c.refuse(p)
	}
	if p := c.e.b.admin.validate(body); p != nil {
		return c.refuse(p)
	}
	r := provisioned(body)
	if r.Runtime == "host" {
		return c.refuse(refuse(http.StatusNotImplemented, "runtime.not_implemented", "the host runtime is not enabled"))
	}
	for _, in := range c.e.instances.all() {
		if in.Name == r.Name {
			return c.refuse(refuse(http.StatusConflict, "instance.name_taken", "an instance of that name exists"))
		}
	}
	in, err := c.e.instances.add(r)
	if err != nil {
		return c.refuse(c.e.internal(err))
	}
	next := stateRunning
	if start, given := body["start"].(bool); given && !start {
		next = stateStopped
	}
	return c.begin("instance.provision", in.ID, func() error {
		c.e.b.admin.register(c.e, in)
		if err := c.e.store.putDoc("disk", in.ID, in.Name); err != nil {
			return err
		}
		return in.enter(next)
	})
}

// provisioned is the record of a new instance.
func provisioned(body map[string]any) record {
	r := record{ID: newID(), Created: time.Now().UTC(), Phase: stateProvisioning, Capabilities: []string{"exec", "pty"}}
	r.Name, _ = body["name"].(string)
	r.Runtime, _ = body["runtime"].(string)
	r.Loadout, _ = body["loadout"].(string)
	r.Provider, _ = body["provider"].(string)
	r.WorkingDir, _ = body["working_dir"].(string)
	r.Labels, _ = body["labels"].(map[string]any)
	if r.Loadout == "" {
		r.Loadout = "slim"
	}
	model := firstInstances()[1]
	if r.Runtime == "qemu" {
		model = firstInstances()[0]
	}
	r.Kind, r.Image, r.ImageRef = model.Kind, model.Image, model.ImageRef
	if r.Provider == "" {
		r.Provider = model.Provider
	}
	return r
}

// destroy takes an instance away, and its disk when force=true.
func destroy(c *call, in *instance) answer {
	force := c.query().Get("force") == "true"
	if err := in.enter("destroying"); err != nil {
		return c.refuse(c.e.internal(err))
	}
	return c.begin("instance.destroy", in.ID, func() error {
		in.abandon()
		if err := in.enter(stateDestroyed); err != nil {
			return err
		}
		if c.e.b.admin.wipes(force) {
			if _, err := c.e.store.dropDoc("disk", in.ID); err != nil {
				return err
			}
		}
		return c.e.b.admin.remove(c.e, in)
	})
}
