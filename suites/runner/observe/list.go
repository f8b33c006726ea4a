// SPDX-License-Identifier: Apache-2.0

package observe

// A List is the observers of a run. They are told in their order.
type List []Observer

// Asked tells of a request that is about to be sent.
func (l List) Asked(q *Request) {
	for i := range l {
		if l[i].Asked != nil {
			l[i].Asked(q)
		}
	}
}

// Exchange tells of one that is over.
func (l List) Exchange(x *Exchange) {
	for i := range l {
		if l[i].Exchange != nil {
			l[i].Exchange(x)
		}
	}
}

// StreamOpened tells of a stream whose header has come.
func (l List) StreamOpened(s *Stream) {
	for i := range l {
		if l[i].StreamOpened != nil {
			l[i].StreamOpened(s)
		}
	}
}

// StreamEvent tells of an event.
func (l List) StreamEvent(s *Stream, e *Event) {
	for i := range l {
		if l[i].StreamEvent != nil {
			l[i].StreamEvent(s, e)
		}
	}
}

// StreamEnded tells that nothing more comes on a stream.
func (l List) StreamEnded(s *Stream, end *StreamEnd) {
	for i := range l {
		if l[i].StreamEnded != nil {
			l[i].StreamEnded(s, end)
		}
	}
}

// ConnectionOpened tells of an upgrade that has been answered, or has not.
func (l List) ConnectionOpened(c *Connection) {
	for i := range l {
		if l[i].ConnectionOpened != nil {
			l[i].ConnectionOpened(c)
		}
	}
}

// Frame tells of a frame that came or goes out.
func (l List) Frame(c *Connection, f *Frame) {
	for i := range l {
		if l[i].Frame != nil {
			l[i].Frame(c, f)
		}
	}
}

// Message tells of a message whose last frame came or goes out.
func (l List) Message(c *Connection, m *Message) {
	for i := range l {
		if l[i].Message != nil {
			l[i].Message(c, m)
		}
	}
}

// ConnectionEnded tells that nothing more comes on a connection.
func (l List) ConnectionEnded(c *Connection, end *ConnectionEnd) {
	for i := range l {
		if l[i].ConnectionEnded != nil {
			l[i].ConnectionEnded(c, end)
		}
	}
}

// Delivery tells of what a webhook receiver got.
func (l List) Delivery(d *Delivery) {
	for i := range l {
		if l[i].Delivery != nil {
			l[i].Delivery(d)
		}
	}
}

// Hook tells of a question to a hook.
func (l List) Hook(h *Hook) {
	for i := range l {
		if l[i].Hook != nil {
			l[i].Hook(h)
		}
	}
}
