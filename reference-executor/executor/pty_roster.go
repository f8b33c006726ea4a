// SPDX-License-Identifier: Apache-2.0

package executor

// rolesBehaviour is who may do what in a session. The session is locked.
type rolesBehaviour struct {
	onJoin     func(s *ptySession, c *ptyConnection, controller bool) (granted bool, reason string)
	onRequest  func(s *ptySession, c *ptyConnection, controller bool) (granted bool, err *ptyError)
	hasRoom    func(s *ptySession) bool // for one more controller
	admits     func(s *ptySession) bool // one more observer
	mayControl func(c *ptyConnection) bool
	mayType    func(s *ptySession, c *ptyConnection) *ptyError
	mayResize  func(s *ptySession, c *ptyConnection) *ptyError
	demoted    func(s *ptySession, c *ptyConnection) // a controller has become an observer
	clientID   func(c *ptyConnection) string         // in RoleAssigned
	member     func(c *ptyConnection, entry map[string]any)
	assigned   func(payload map[string]any) // the last word on RoleAssigned
	again      func(s *ptySession, c *ptyConnection, j *joining) *ptyError
}

var conformantRoles = rolesBehaviour{
	onJoin:     roleOnJoin,
	onRequest:  roleOnRequest,
	hasRoom:    func(s *ptySession) bool { return s.controllers() < s.hub.limits.controllers },
	admits:     func(s *ptySession) bool { return len(s.members)-s.controllers() < s.hub.limits.observers },
	mayControl: func(c *ptyConnection) bool { return c.scope >= scopeControl },
	mayType:    mayWrite,
	mayResize:  mayWrite,
	demoted:    func(*ptySession, *ptyConnection) {},
	clientID:   func(c *ptyConnection) string { return c.clientID },
	member:     func(*ptyConnection, map[string]any) {},
	assigned:   func(map[string]any) {},
	again: func(*ptySession, *ptyConnection, *joining) *ptyError {
		return badRequest("this connection has joined already")
	},
}

func (s *ptySession) controllers() int {
	n := 0
	for _, c := range s.members {
		if c.controller {
			n++
		}
	}
	return n
}

// roleOnJoin makes the first client of a session its controller, whatever it asks for, if only its scope allows that;
// later ones get what they ask for while there is room.
func roleOnJoin(s *ptySession, c *ptyConnection, controller bool) (bool, string) {
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

func roleOnRequest(s *ptySession, c *ptyConnection, controller bool) (bool, *ptyError) {
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
func mayWrite(s *ptySession, c *ptyConnection) *ptyError {
	switch {
	case !s.b.roles.mayControl(c):
		return denied("the principal may only watch")
	case !c.joined:
		return denied("this connection has no role yet")
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

func (c *ptyConnection) roleName() string {
	if c.controller {
		return roleController
	}
	return roleObserver
}

// roleFrame is RoleAssigned; the session is locked.
func (s *ptySession) roleFrame(c *ptyConnection, downgraded bool, reason string) *ptyFrame {
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
func (s *ptySession) rosterFrame(by *ptyConnection, cause string) *ptyFrame {
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
func (s *ptySession) setRole(c *ptyConnection, controller, asked bool) {
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
