// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// observe makes known what can be seen of the connection as of a state: of the handshake, and of what came until then.
// `frame` is set by whoever takes one.
func (s *socket) observe(o *subjects.Observation, at state) {
	h := s.handshake
	if h.Status != 0 {
		o.SetHead(h.Status, h.Header)
		o.Set("subprotocol", func() any { return s.subprotocol() })
		o.Set("text", func() any { return strings.ToValidUTF8(string(h.Body), "\uFFFD") })
	}
	o.Set("frames", func() any { return s.frames(at.messages) })
	o.Set("wire", func() any { return s.wireList(at.wire) })
	o.Set("output", func() any { return s.outputText(at.messages) })
	o.Set("closed", func() any { return at.closing.value() })
}

// subprotocol is what the answer selected, byte for byte; Missing when it selected none.
func (s *socket) subprotocol() any {
	lines := s.handshake.Header.Values("Sec-WebSocket-Protocol")
	if len(lines) == 0 {
		return assertions.Missing
	}
	return strings.Join(lines, ", ")
}

// frames is the list of the first n messages. Every list shares its elements with those before.
func (s *socket) frames(n int) []any {
	s.mu.Lock()
	messages := s.messages[len(s.values):max(n, len(s.values))]
	s.mu.Unlock()
	for _, m := range messages {
		s.values = append(s.values, m.Value())
	}
	return s.values[:n:n]
}

func (s *socket) wireList(n int) []any {
	s.mu.Lock()
	frames := s.wire[len(s.wireValues):max(n, len(s.wireValues))]
	s.mu.Unlock()
	for _, f := range frames {
		s.wireValues = append(s.wireValues, f.Value())
	}
	return s.wireValues[:n:n]
}

// outputText is the terminal output of the first n messages.
func (s *socket) outputText(n int) string {
	if n == 0 {
		return ""
	}
	s.mu.Lock()
	messages := s.messages[len(s.outputEnds):max(n, len(s.outputEnds))]
	s.mu.Unlock()
	for _, m := range messages {
		s.output.Write(m.Output())
		s.outputEnds = append(s.outputEnds, s.output.Len())
	}
	return s.output.String()[:s.outputEnds[n-1]]
}

// message returns one that is known to have come.
func (s *socket) message(i int) *ptyws.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages[i]
}

// asOf is the state when message i had come; nobody had closed then.
func (s *socket) asOf(i int) state {
	return state{messages: i + 1, wire: s.message(i).WireEnd}
}

// over says why nothing can come on this socket, and "" while something can.
func (s *socket) over(at state) string {
	switch {
	case s.handshake.Status == 0:
		return "the upgrade got no answer (" + s.handshake.Problem + ")"
	case s.tap == nil:
		return fmt.Sprintf("the upgrade was answered with %d %s", s.handshake.Status, http.StatusText(s.handshake.Status))
	case at.closing.ended:
		return "the connection was closed " + at.closing.head()
	}
	return ""
}

// lost says whether there was no answer to the upgrade, or the connection broke off without a Close frame of the executor
// or a cut of ours.
func (s *socket) lost(at state) bool {
	return s.handshake.Status == 0 || s.tap != nil && at.closing.ended && at.closing.got == nil && at.closing.first == "executor"
}

// head says how the connection ended: `by the executor with 4400 "not an envelope"`.
func (c *closing) head() string {
	who := "by the executor"
	if c.first == "harness" {
		who = "by the harness"
	}
	switch {
	case c.endReason == errFlood, c.endReason == errFull:
		who = "by the harness: " + c.endReason.Error()
	case c.first == "harness" && c.sent != nil:
		who += " with " + farewell(c.sent)
		if c.got == nil {
			who += ", which was not answered"
		}
	case c.got != nil:
		who += " with " + farewell(c.got)
	case c.cut:
		who += ", without a goodbye"
	default:
		who += " without a Close frame"
	}
	if c.broken {
		who += ", in the middle of a message"
	}
	return who + " after " + c.at.Round(time.Millisecond).String()
}

// farewell is a Close frame in a sentence: `4400 "not an envelope"`.
func farewell(f *wire.Frame) string {
	code, reason, _ := f.Closing()
	if reason == "" {
		return strconv.Itoa(code)
	}
	return strconv.Itoa(code) + " " + ptyws.QuoteShort(reason, 123)
}

// maxKinds is how many kinds of messages are named of those that came and were not taken.
const maxKinds = 4

// others says in a few words which messages came that were not taken, those of one kind together where the last one of them came.
func (s *socket) others(at state) string {
	s.mu.Lock()
	messages := s.messages[:at.messages]
	s.mu.Unlock()
	var briefs []string
	count, of := 0, map[string]int{}
	for _, m := range slices.Backward(messages) {
		if m.Taken {
			continue
		}
		count++
		brief := m.Brief()
		if of[brief]++; of[brief] == 1 {
			briefs = append(briefs, brief)
		}
	}
	cut := ""
	if len(briefs) > maxKinds {
		briefs, cut = briefs[:maxKinds], "..., "
	}
	slices.Reverse(briefs)
	for i, brief := range briefs {
		if n := of[brief]; n > 1 && count > n {
			briefs[i] = fmt.Sprintf("%s (%d times)", brief, n)
		}
	}
	switch {
	case count == 0 && len(messages) == 0:
		return "nothing arrived"
	case count == 0:
		return "nothing else arrived"
	case count == 1:
		return "1 other arrived: " + briefs[0]
	case count > 1 && len(of) == 1:
		return fmt.Sprintf("%d others arrived, each %s", count, briefs[0])
	}
	return fmt.Sprintf("%d others arrived: %s%s", count, cut, strings.Join(briefs, ", "))
}

// headerText writes a header for the evidence, one line each.
func headerText(header http.Header) string {
	var lines []string
	for name, values := range header {
		for _, value := range values {
			lines = append(lines, name+": "+value)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
