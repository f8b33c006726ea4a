// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
)

// An eventText is one event as it stood in a stream: its lines, without their ends.
type eventText struct {
	lines []string
	end   string // of its lines
}

// value is the value of a field, the lines of data joined; false when there is none.
func (e eventText) value(name string) (string, bool) {
	var values []string
	for _, line := range e.lines {
		field, value, _ := strings.Cut(line, ":")
		if field == name {
			values = append(values, strings.TrimPrefix(value, " "))
		}
	}
	return strings.Join(values, "\n"), len(values) > 0
}

// with is the event with another value of a field; without it when it is not kept.
func (e eventText) with(name, value string, keep bool) eventText {
	changed := eventText{end: e.end}
	done := false
	for _, line := range e.lines {
		field, _, _ := strings.Cut(line, ":")
		if field != name {
			changed.lines = append(changed.lines, line)
			continue
		}
		if !done && keep {
			changed.lines = append(changed.lines, name+": "+value)
		}
		done = true
	}
	return changed
}

func (e eventText) bytes() []byte {
	if len(e.lines) == 0 {
		return nil
	}
	return []byte(strings.Join(e.lines, e.end) + e.end + e.end)
}

// kind names an event by what it tells, however it is dressed: "task", "status-update", "comment".
func (e eventText) kind() string {
	data, has := e.value("data")
	if !has {
		return "comment"
	}
	v, ok := decode([]byte(data))
	if !ok {
		return "text"
	}
	return toldBy(v)
}

// toldBy names what a value of A2A tells: its kind, the one member that wraps it, or whether it looks like a task.
func toldBy(v any) string {
	object, is := v.(map[string]any)
	if !is {
		return "value"
	}
	if object["jsonrpc"] != nil {
		if object["error"] != nil {
			return "error"
		}
		return toldBy(object["result"])
	}
	if kind, is := object["kind"].(string); is {
		return kind
	}
	if len(object) == 1 {
		for name := range object {
			return name
		}
	}
	if object["status"] != nil {
		return "task"
	}
	return "value"
}

// readEvent reads up to the empty line behind an event. A comment on its own is an event of its own.
func readEvent(r *bufio.Reader) (eventText, error) {
	e := eventText{end: "\n"}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return e, err
		}
		if strings.HasSuffix(line, "\r\n") {
			e.end = "\r\n"
		}
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" && len(e.lines) > 0:
			return e, nil
		case line == "":
		case strings.HasPrefix(line, ":") && len(e.lines) == 0:
			e.lines = append(e.lines, line)
			return e, nil
		default:
			e.lines = append(e.lines, line)
		}
	}
}

// A streamer passes one event stream on.
type streamer struct {
	f       *Front
	q       *question
	name    string // of the exchange
	client  net.Conn
	chunked bool
	held    []byte // an event that the next one overtakes
}

// stream passes an event stream on, event by event.
func (f *Front) stream(client net.Conn, server *bufio.Reader, q *question, h *head, name string) bool {
	kind := exchangeKind(name, h, nil)
	t := f.traffic
	var over func()
	beside, over := t.lasting(q.template)
	defer over()
	q.second = q.second || beside
	t.Recording.exchange(kind, q.circumstance, h, nil)
	t.Recording.note(Site{kind, "stream"}, q.circumstance, "")
	if t.meant(kind) && t.Mutant.Part != "stream" {
		f.change(kind, q, h, nil)
	}
	t.varyHead(h)
	s := &streamer{f: f, q: q, name: kind, client: client, chunked: h.chunked()}
	if _, err := client.Write(h.bytes()); err != nil {
		return false
	}
	body := io.Reader(server)
	if s.chunked {
		body = chunks(server)
	}
	fires := t.fires(kind, "stream", q.circumstance)
	from := bufio.NewReader(body)
	for {
		e, err := readEvent(from)
		if err != nil && len(e.lines) == 0 {
			break
		}
		if !s.event(e) {
			return false
		}
		if err != nil {
			break
		}
		if fires && e.kind() != "comment" {
			switch t.Mutant.Operator {
			case Cut:
				return false
			case Truncate:
				return s.end() && false
			}
		}
	}
	if s.held != nil {
		s.write(s.held)
		t.unchanged() // nothing has overtaken it
	}
	if fires && t.Mutant.Operator == StaysOpen {
		io.Copy(io.Discard, client) // until the run goes; its requests are read elsewhere
		t.pause()
		return false
	}
	return s.end() && s.chunked
}

// end says that the stream is over.
func (s *streamer) end() bool {
	if s.chunked {
		_, err := io.WriteString(s.client, "0\r\n\r\n")
		return err == nil
	}
	return true
}

func (s *streamer) write(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if !s.chunked {
		return s.f.traffic.write(s.client, text) == nil
	}
	return s.f.traffic.write(s.client, fmt.Appendf(nil, "%x\r\n%s\r\n", len(text), text)) == nil
}

// event passes one event on, changed, and says whether the run still reads.
func (s *streamer) event(e eventText) bool {
	t := s.f.traffic
	kind := s.name + " event " + e.kind()
	c := s.q.circumstance
	data, _ := e.value("data")
	c.large = len(data) >= largeBody
	s.note(kind, c, e, data)
	held := s.held
	if e.kind() == "comment" {
		held = nil // it dispatches nothing: what comes before or behind it is the same stream
	} else {
		s.held = nil
	}
	text := e.bytes()
	if t.Variation != "" {
		text = t.varyEvent(e)
	}
	if t.meant(kind) {
		text = s.changed(kind, c, e, data)
	}
	return s.write(text) && s.write(held)
}

func (s *streamer) note(kind string, c circumstance, e eventText, data string) {
	r := s.f.traffic.Recording
	if r == nil {
		return
	}
	n := notebook{kind, c, r}
	n.note("event", "")
	for _, name := range []string{"event", "id", "retry"} {
		if value, has := e.value(name); has {
			n.note("field "+name, value)
		}
	}
	if v, ok := decode([]byte(data)); ok && data != "" {
		walk(v, "json", func(path string, v any) { n.note(path, string(encode(v))) })
	}
}

// changed is an event with the mutant in it.
func (s *streamer) changed(kind string, c circumstance, e eventText, data string) []byte {
	t := s.f.traffic
	m := t.Mutant
	switch part, name, _ := strings.Cut(m.Part, " "); {
	case part == "event" && t.fires(kind, m.Part, c):
		switch m.Operator {
		case Drop:
			return nil
		case Duplicate:
			return append(e.bytes(), e.bytes()...)
		case Swap:
			s.held = e.bytes()
			return nil
		case Truncate:
			return e.with("data", data[:len(data)/2], true).bytes()
		case Empty:
			return e.with("data", "", true).bytes()
		case Delay:
			t.pause()
		}
	case part == "field":
		if value, has := e.value(name); has && t.fires(kind, m.Part, c) {
			changed, keep := textEdit(m.Operator, value, t.Seen, m.String())
			return e.with(name, changed, keep).bytes()
		}
	case strings.HasPrefix(part, "json"):
		if v, ok := decode([]byte(data)); ok && has(v, "json", m.Part) && t.fires(kind, m.Part, c) {
			return e.with("data", string(encode(t.edited(v))), true).bytes()
		}
	}
	return e.bytes()
}
