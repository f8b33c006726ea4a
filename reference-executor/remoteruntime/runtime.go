// SPDX-License-Identifier: Apache-2.0

package remoteruntime

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
)

// What becomes of a runtime, as the runtime API says it in "status".
const (
	running = "running"
	paused  = "paused"
	stopped = "stopped"
)

// A runtime is the record of one that nobody has started.
type runtime struct {
	id      string
	session string
	n       int
	image   string
	key     string
	state   string
	ready   time.Time // while it runs: before that it is pending

	conversations map[string]object // by id, as the agent server has them
	commands      []command         // those that were sent to it
}

// A command is one that nobody runs.
type command struct {
	id    string
	fails bool
}

func (v *runtime) pause(time.Time) {
	if v.state == running {
		v.state = paused
	}
}

func (v *runtime) resume(ready time.Time) {
	if v.state == paused {
		v.state, v.ready = running, ready
	}
}

func (v *runtime) stop(time.Time) { v.state = stopped }

// isReady says whether the agent server of a runtime answers.
func (v *runtime) isReady() bool { return v.state == running && !time.Now().Before(v.ready) }

// shown is what is told of a runtime.
func (s *Server) shown(v *runtime) object {
	pod := "not found"
	switch {
	case v.isReady():
		pod = "ready"
	case v.state == running:
		pod = "pending"
	}
	var key any
	if v.isReady() || s.config.ShowKeys {
		key = v.key
	}
	return object{
		"runtime_id": v.id, "session_id": v.session, "image": v.image, "status": v.state, "pod_status": pod, "url": s.public() + agentPath + v.session,
		"session_api_key": key, "restart_count": 0, "restart_reasons": []any{}, "work_hosts": object{},
	}
}

// start makes a runtime, which is pending at first; one of a session that there is already is told as it is.
func (s *Server) start(w http.ResponseWriter, r *http.Request) {
	asked := read(r)
	session, _ := asked["session_id"].(string)
	image, _ := asked["image"].(string)
	if session == "" || len(session) > 200 {
		refuse(w, http.StatusUnprocessableEntity, "session_id is missing or too long")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.runtimes[session]
	if v == nil || v.state == stopped {
		s.made++
		v = &runtime{
			id: uuid.NewString(), session: session, n: s.made, image: image, key: "session-" + rand.Text(), state: running,
			ready: time.Now().Add(s.config.Pending), conversations: map[string]object{},
		}
		s.runtimes[session] = v
	}
	tell(w, http.StatusOK, s.shown(v))
}

// session tells of one runtime.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.runtimes[r.PathValue("id")]
	if v == nil {
		refuse(w, http.StatusNotFound, "there is no such session")
		return
	}
	tell(w, http.StatusOK, s.shown(v))
}

// moved moves a runtime that is named by its id.
func (s *Server) moved(move func(v *runtime, ready time.Time)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, _ := read(r)["runtime_id"].(string)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, v := range s.runtimes {
			if v.id == id && v.state != stopped {
				move(v, time.Now().Add(s.config.Pending))
				tell(w, http.StatusOK, s.shown(v))
				return
			}
		}
		refuse(w, http.StatusNotFound, "there is no such runtime")
	}
}

// list tells of all runtimes that are not stopped.
func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var there []*runtime
	for _, v := range s.runtimes {
		if v.state != stopped {
			there = append(there, v)
		}
	}
	slices.SortFunc(there, func(a, b *runtime) int { return cmp.Compare(a.n, b.n) })
	all := []any{}
	for _, v := range there {
		all = append(all, s.shown(v))
	}
	tell(w, http.StatusOK, object{"runtimes": all, "total": len(all)})
}
