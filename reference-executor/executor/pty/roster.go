// SPDX-License-Identifier: Apache-2.0

package pty

// rolesBehaviour is who may do what in a session. The session is locked.
type rolesBehaviour struct {
	onJoin     func(s *session, c *connection, controller bool) (granted bool, reason string)
	onRequest  func(s *session, c *connection, controller bool) (granted bool, err *frameError)
	hasRoom    func(s *session) bool // for one more controller
	admits     func(s *session) bool // one more observer
	mayControl func(c *connection) bool
	mayType    func(s *session, c *connection) *frameError
	mayResize  func(s *session, c *connection) *frameError
	demoted    func(s *session, c *connection) // a controller has become an observer
	clientID   func(c *connection) string      // in RoleAssigned
	member     func(c *connection, entry map[string]any)
	assigned   func(payload map[string]any) // the last word on RoleAssigned
	again      func(s *session, c *connection, j *joining) *frameError
}

var conformantRoles = rolesBehaviour{
	onJoin:     roleOnJoin,
	onRequest:  roleOnRequest,
	hasRoom:    func(s *session) bool { return s.members.controllers() < s.hub.limits.controllers },
	admits:     func(s *session) bool { return len(s.members)-s.members.controllers() < s.hub.limits.observers },
	mayControl: func(c *connection) bool { return c.scope >= ScopeControl },
	mayType:    mayWrite,
	mayResize:  mayWrite,
	demoted:    func(*session, *connection) {},
	clientID:   func(c *connection) string { return c.clientID },
	member:     func(*connection, map[string]any) {},
	assigned:   func(map[string]any) {},
	again: func(*session, *connection, *joining) *frameError {
		return badRequest("this connection has joined already")
	},
}

// A roster is the members of a session, in the order in which they have joined.
type roster []*connection

// controllers is how many of them type.
func (m roster) controllers() int {
	n := 0
	for _, c := range m {
		if c.controller {
			n++
		}
	}
	return n
}

// roleOnJoin makes the first client of a session its controller, whatever it asks for, if only its scope allows that;
// later ones get what they ask for while there is room.
func roleOnJoin(s *session, c *connection, controller bool) (bool, string) {
	b := &s.b.roles
	switch {
	case !b.mayControl(c):
		return false, "the principal may only watch"
	case s.closed != nil:
		return false, "the session has ended"
	case !s.touched:
		return true, ""
	case controller && !b.hasRoom(s):
		return false, "the session has its controllers"
	}
	return controller, ""
}

func roleOnRequest(s *session, c *connection, controller bool) (bool, *frameError) {
	b := &s.b.roles
	switch {
	case controller && !b.mayControl(c):
		return false, denied("the principal may only watch")
	case controller && !c.controller && !b.hasRoom(s):
		return false, nil
	case !controller && c.controller && !b.admits(s):
		return false, denied("the session has its observers")
	}
	return controller, nil
}

// mayWrite holds that only a controller changes the terminal.
func mayWrite(s *session, c *connection) *frameError {
	switch {
	case !s.b.roles.mayControl(c):
		return denied("the principal may only watch")
	case !c.joined:
		return denied(noRole)
	case !c.controller:
		return denied("only a controller may do this")
	}
	return nil
}

// The roles.
const (
	roleController = "controller"
	roleObserver   = "observer"
)

func (c *connection) roleName() string {
	if c.controller {
		return roleController
	}
	return roleObserver
}

// roleFrame is RoleAssigned; the session is locked.
func (s *session) roleFrame(c *connection, downgraded bool, reason string) *frame {
	payload := map[string]any{"kind": kindRole, "role": c.roleName(), "client_id": s.b.roles.clientID(c)}
	if downgraded || s.hub.lawful.Below(2) == 0 {
		payload["downgraded"] = downgraded
	}
	if reason != "" {
		payload["reason"] = reason
	}
	s.b.roles.assigned(payload)
	f := terminalFrame(kindRole, payload)
	f.only, f.by = c, c
	return f
}

// rosterFrame is MembershipChanged, always with everyone; the session is locked.
func (s *session) rosterFrame(by *connection, cause string) *frame {
	controllers, observers := []any{}, []any{}
	for _, c := range s.members {
		entry := map[string]any{"client_id": c.clientID}
		if c.label != "" {
			entry["label"] = c.label
		}
		s.b.roles.member(c, entry)
		if c.controller {
			controllers = append(controllers, entry)
		} else {
			observers = append(observers, entry)
		}
	}
	f := terminalFrame(kindMembership, map[string]any{"kind": kindMembership, "controllers": controllers, "observers": observers})
	f.by, f.cause = by, cause
	s.b.stream.roster(by, f.payload)
	return f
}

// setRole changes the role of a member and tells everyone; the session is locked.
func (s *session) setRole(c *connection, controller, asked bool) {
	changed := c.controller != controller
	c.controller = controller
	reason := ""
	if asked && !controller {
		reason = "the session has its controllers"
	}
	s.emit(s.roleFrame(c, asked && !controller, reason))
	if !changed {
		return
	}
	if !controller {
		s.b.roles.demoted(s, c)
	}
	s.emit(s.rosterFrame(c, causeRole))
}
