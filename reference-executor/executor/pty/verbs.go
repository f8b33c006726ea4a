// SPDX-License-Identifier: Apache-2.0

package pty

func runLeave(c *connection, _ *request) *frameError {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped && s.closed == nil {
		s.b.ending.left(s, c)
	}
	return nil
}

func runInput(c *connection, r *request) *frameError {
	v, given := r.payload["data"]
	data, err := c.b.terminal.decode(v, given)
	if err != nil {
		return err
	}
	return c.session.input(c, r, data)
}

func runResize(c *connection, r *request) *frameError {
	m := &members{v: r.payload}
	cols, rows := c.b.terminal.size(m)
	if m.err != nil {
		return m.err
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.b.roles.mayResize(s, c); err != nil {
		return err
	}
	if s.closed == nil && !s.applySize(c, cols, rows, s.b.terminal.tells(s, cols, rows)) {
		s.b.terminal.failed(s, c, codeResizeFailed)
	}
	return nil
}

func runRequestRole(c *connection, r *request) *frameError {
	m := members{v: r.payload}
	role := m.text("role", true)
	if role != roleController && role != roleObserver {
		m.fail("role", "is not controller or observer")
	}
	if m.err != nil {
		return m.err
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.joined {
		return badRequest("this connection has not joined")
	}
	if s.closed != nil {
		return nil
	}
	granted, err := s.b.roles.onRequest(s, c, role == roleController)
	if err != nil {
		return err
	}
	s.setRole(c, granted, role == roleController)
	return nil
}

func runRequestKeyframe(c *connection, _ *request) *frameError {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.joined {
		return badRequest("this connection has not joined")
	}
	if s.closed == nil {
		s.b.terminal.answers(s, c)
	}
	return nil
}
