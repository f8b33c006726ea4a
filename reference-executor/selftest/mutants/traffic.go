// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Traffic stands between a run and the servers it asks. The zero Traffic changes nothing.
type Traffic struct {
	Recording *Recording // is told everything that passes; may be nil
	Mutant    *Mutant    // what is changed; nil: nothing
	Seen      []string   // values seen at the site of the mutant
	Variation string     // a lawful change of everything; empty: none
	DelayBy   time.Duration
	Own       []string // tokens of the first client; none: the first one that is shown

	mu     sync.Mutex
	fronts []*Front
	first  string         // the first credential that was shown
	open   map[string]int // connections that last, by template
	count  int            // occurrences of the mutant's site, in its mode
	hits   int            // of them, changed
	ended  bool
}

// Hits is how often the mutant was at work.
func (t *Traffic) Hits() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hits
}

// A Front is the address at which the run finds one server.
type Front struct {
	traffic  *Traffic
	listener net.Listener

	mu       sync.Mutex
	upstream string // host:port; "": not known yet
	address  string // scheme://host:port of the server
	sign     func(path string, card map[string]any) []any
	conns    map[net.Conn]bool
}

// Front opens an address for a server whose own is not known yet.
func (t *Traffic) Front() (*Front, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a proxy: %w", err)
	}
	f := &Front{traffic: t, listener: listener, conns: map[net.Conn]bool{}}
	t.mu.Lock()
	t.fronts = append(t.fronts, f)
	t.mu.Unlock()
	return f, nil
}

// URL is the address as the run is told it.
func (f *Front) URL() string { return "http://" + f.listener.Addr().String() }

// To says where the server is, http://host:port, and begins to pass on what comes. sign makes the signatures of a card that
// was changed, as the server that served it at path signs its own: a server with that defect would have signed it so.
func (f *Front) To(address string, sign func(path string, card map[string]any) []any) {
	f.mu.Lock()
	f.address, f.upstream, f.sign = address, strings.TrimPrefix(address, "http://"), sign
	f.mu.Unlock()
	go func() {
		for {
			conn, err := f.listener.Accept()
			if err != nil {
				return
			}
			go f.pass(conn)
		}
	}()
}

// Public is an address of a server as the run is told it: with that of its front.
func (t *Traffic) Public(address string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.fronts {
		f.mu.Lock()
		own := f.address
		f.mu.Unlock()
		if rest, is := strings.CutPrefix(address, own); is && own != "" {
			return f.URL() + rest
		}
	}
	return address
}

// Close ends every front and every connection through them.
func (t *Traffic) Close() {
	t.mu.Lock()
	fronts := t.fronts
	t.ended = true
	t.mu.Unlock()
	for _, f := range fronts {
		f.listener.Close()
		f.mu.Lock()
		for conn := range f.conns {
			conn.Close()
		}
		f.mu.Unlock()
	}
}

// keep notes a connection, to be closed in the end.
func (f *Front) keep(conn net.Conn) (forget func()) {
	f.mu.Lock()
	f.conns[conn] = true
	f.mu.Unlock()
	return func() {
		conn.Close()
		f.mu.Lock()
		delete(f.conns, conn)
		f.mu.Unlock()
	}
}

// A circumstance is what the modes ask of an occurrence.
type circumstance struct {
	later, second, large bool
}

// in says whether a mode covers the circumstance.
func (c circumstance) in(mode string) bool {
	switch mode {
	case Later:
		return c.later
	case Second:
		return c.second
	case Large:
		return c.large
	}
	return true
}

// credential says whether a request shows another credential than those of the first client, by its header Authorization or by a cookie.
func (t *Traffic) credential(shown string) (second bool) {
	if shown == "" {
		return false
	}
	if len(t.Own) > 0 {
		return !slices.ContainsFunc(t.Own, func(token string) bool { return shown == "Bearer "+token || strings.HasSuffix(shown, "="+token) })
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first == "" {
		t.first = shown
	}
	return t.first != shown
}

// lasting counts a connection that lasts, and says whether there is another one like it.
func (t *Traffic) lasting(template string) (beside bool, over func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[string]int{}
	}
	t.open[template]++
	return t.open[template] > 1, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open[template]--
	}
}

// fires says whether the mutant is at work on this occurrence of a part.
func (t *Traffic) fires(kind, part string, c circumstance) bool {
	m := t.Mutant
	if m == nil || m.Kind != kind || m.Part != part || !c.in(m.Mode) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	if m.Mode == Nth && t.count%3 != 2 {
		return false
	}
	t.hits++
	return true
}

// unchanged takes back an occurrence in which the mutant had nothing to change after all.
func (t *Traffic) unchanged() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hits--
}

// meant says whether the mutant is about this kind at all, so that nothing else has to be looked at.
func (t *Traffic) meant(kind string) bool { return t.Mutant != nil && t.Mutant.Kind == kind }

// pause is the delay of the operator of that name, which ends early when everything does.
func (t *Traffic) pause() {
	by := t.DelayBy
	if by == 0 {
		by = 3 * time.Second
	}
	for end := time.Now().Add(by); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		t.mu.Lock()
		ended := t.ended
		t.mu.Unlock()
		if ended {
			return
		}
	}
}
