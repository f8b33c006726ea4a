// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

func TestConnectionsShareWhatTheyMayHold(t *testing.T) {
	t.Parallel()
	held := budget.Of(maxOfTarget).Part(maxHeld)
	held.Take(maxHeld - freeReceived)
	s := newSocket(wire.Handshake{}, "", nil)
	s.held = held
	if err := s.count(freeReceived); err != nil {
		t.Fatalf("what every connection may send is refused: %v", err)
	}
	if err := s.count(1); !errors.Is(err, errFull) || !s.full.Load() {
		t.Errorf("too much is taken: %v", err)
	}
	small := newSocket(wire.Handshake{}, "", nil)
	small.held = held
	if err := small.count(freeReceived); err != nil || small.full.Load() {
		t.Errorf("another connection has no room: %v", err)
	}
	s.release()
	s.release()
	small.release()
	if n := held.Held(); n != maxHeld-freeReceived {
		t.Errorf("%d bytes were not given back", n-maxHeld+freeReceived)
	}
	large := newSocket(wire.Handshake{}, "", nil)
	large.held = budget.Of(maxOfTarget).Part(maxHeld)
	if err := large.count(maxMessage + freeReceived); err != nil {
		t.Errorf("a message of the greatest length is refused: %v", err)
	}
}

// PTX-061 has 5 MiB printed to one who reads them as bytes, and to one who reads late and gets them as JSON in 1,600 frames, all of them
// where something in between takes what is written. There is room for both, and for what others are sent meanwhile.
func TestTheLongestTestHasRoomBesideOthers(t *testing.T) {
	t.Parallel()
	held := budget.Of(maxOfTarget).Part(maxHeld)
	for _, row := range []struct {
		name   string
		frames int
		length int
	}{
		{"others", 4, 512 << 10},
		{"bytes", 1950, 2800},
		{"JSON", 1600, 4600},
	} {
		s := newSocket(wire.Handshake{}, "", func(kind, actor, head, header string, body []byte) {})
		s.held = held
		payload := []byte(`{"data":"` + strings.Repeat("A", row.length-20) + `"}`)
		for i := range row.frames {
			s.takeFrame(&wire.Frame{Header: ws.Header{Fin: true, OpCode: ws.OpText, Length: int64(len(payload))}, Payload: payload, Got: int64(len(payload))})
			if err := s.count(len(payload)); err != nil {
				t.Fatalf("%s: frame %d: %v, where %d bytes are held", row.name, i, err, held.Held())
			}
		}
	}
}

// What a message takes when it is taken apart is asked for first: where there is no room it stays text, and the connection ends.
func TestMessagesOfManyValuesNeedRoom(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"op":[` + strings.Repeat("0,", 100_000) + `0]}`)
	for _, row := range []struct {
		name string
		free int64
		full bool
	}{
		{"room for it", maxHeld, false},
		{"no room", 0, true},
	} {
		held := budget.Of(maxOfTarget).Part(maxHeld)
		held.Take(maxHeld - row.free)
		s := newSocket(wire.Handshake{}, "", func(kind, actor, head, header string, body []byte) {})
		s.held = held
		s.takeFrame(&wire.Frame{Header: ws.Header{Fin: true, OpCode: ws.OpText, Length: int64(len(raw))}, Payload: raw, Got: int64(len(raw))})
		if err := s.count(len(raw)); errors.Is(err, errFull) != row.full {
			t.Errorf("%s: %v", row.name, err)
		}
		if m := s.messages[0]; m.Unread != row.full || (m.Members == nil) != row.full {
			t.Errorf("%s: unread is %v, taken apart %v", row.name, m.Unread, m.Members != nil)
		}
	}
}

// What a connection has brought is not kept after the row that opened it. Of many connections one may be held for a while by a
// stack that the collector reads cautiously; what held them for good would hold them all.
func TestAConnectionThatIsOverIsForgotten(t *testing.T) {
	t.Parallel()
	url := bareServer(t, func(c net.Conn, in *bufio.Reader) {
		_, _ = io.WriteString(c, "\x82\x01x")
		_, _ = io.Copy(io.Discard, in)
	})
	var gone []weak.Pointer[socket]
	for range 8 {
		p := testPlayer(t, url, Target{})
		opened(t, p)
		for _, a := range p.actors {
			a.socket.hangUp()
			gone = append(gone, weak.Make(a.socket))
		}
		clear(p.actors)
		p.seen = nil
	}
	held := func() (n int) {
		for _, g := range gone {
			if g.Value() != nil {
				n++
			}
		}
		return n
	}
	for end := time.Now().Add(time.Minute); held() > 1; {
		if time.Now().After(end) {
			t.Fatalf("%d of %d connections are still held", held(), len(gone))
		}
		runtime.GC()
		runtime.Gosched() // whoever still reads a connection has to see its end
	}
}
