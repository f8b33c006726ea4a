// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A scope is the names of one test; a branch of a `together` has a scope of its own inside it.
type scope struct {
	outer *scope
	mu    sync.RWMutex
	names map[string]any
	seen  map[string]bool // which of them are parts of what was seen, and not made by the suite
}

func newScope(outer *scope) *scope { return &scope{outer: outer, names: map[string]any{}} }

// set gives a name its value from now on.
func (s *scope) set(name string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = v
	delete(s.seen, name)
}

// keep is set for a part of what was seen.
func (s *scope) keep(name string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = v
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[name] = true
}

// isSeen says whether a name stands for a part of what was seen.
func (s *scope) isSeen(name string) bool {
	for ; s != nil; s = s.outer {
		s.mu.RLock()
		_, found := s.names[name]
		seen := s.seen[name]
		s.mu.RUnlock()
		if found {
			return seen
		}
	}
	return false
}

func (s *scope) find(name string) (any, bool) {
	for ; s != nil; s = s.outer {
		s.mu.RLock()
		v, found := s.names[name]
		s.mu.RUnlock()
		if found {
			return v, true
		}
	}
	return nil, false
}

// own is a copy of the names kept in this scope itself.
func (s *scope) own() map[string]any {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make(map[string]any, len(s.names))
	for name, v := range s.names {
		names[name] = v
	}
	return names
}

// A namer says what names stand for in a row of a test.
type namer struct {
	run       *run
	test      *suites.Test
	transport target.Transport // what its operations are sent over
	cells     map[string]any   // of the row, names filled in
	names     *scope
}

// lookup returns what ${name} stands for now. What `let` and `keep` named comes first; the fixed names are reserved, so
// neither can hide the other.
func (n *namer) lookup(name string) (any, error) {
	if v, found := n.names.find(name); found {
		return v, nil
	}
	first, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		if v, found := n.run.Place.Named(name); found {
			return v, nil
		}
		if v, known, err := n.namedPlainly(name); known {
			return v, err
		}
		if name == "tokens" {
			return n.run.Explicit.List(), nil
		}
		if name == "receiver" {
			return n.run.someReceiver(), nil
		}
		if name == "plain_root" {
			if plain := n.run.Place.Plain(); plain != "" {
				return plain, nil
			}
			return nil, &target.Skipped{Reason: report.Reason{Code: "no-tls", Detail: "the target is used without TLS, so there is no separate plain listener"}}
		}
		if name == "token" {
			return n.run.TokenNamed("instance")
		}
		return nil, fmt.Errorf("nothing called ${%s} has been kept", name)
	}
	switch first {
	case "fresh":
		v, err := fresh(rest)
		if token, is := v.(string); is && rest == "token" {
			n.run.secrets.Learn(token)
		}
		return v, err
	case "filler":
		return filler(rest)
	case "ago":
		d, err := time.ParseDuration(rest)
		return time.Now().Add(-d).UTC().Format(wholeMilliseconds), err
	case "fits", "breaks":
		return n.valueFor(first, rest)
	case "case":
		if v, found := n.cells[rest]; found {
			return v, nil
		}
	case "uri":
		if n.test.Suite != nil {
			if uri, found := n.test.Suite.URIs[rest]; found {
				return uri, nil
			}
		}
	case "token":
		return n.run.TokenNamed(rest)
	case "cue":
		return n.run.Cue(rest)
	case "announced":
		return n.run.Announced(rest)
	}
	return nil, fmt.Errorf("nothing is called ${%s}", name)
}

const wholeMilliseconds = "2006-01-02T15:04:05.000Z"

// fresh is a value nobody has seen before.
func fresh(what string) (any, error) {
	if version, variant, is := strings.Cut(what, "."); is && slices.Contains([]string{"8", "9", "a", "b"}, variant) {
		v, err := fresh(version)
		if id, is := v.(string); is && len(id) == 36 {
			return id[:19] + variant + id[20:], err // the digit that begins with the two bits of the variant
		}
	}
	switch what {
	case "uuid":
		id, err := uuid.NewV7()
		return id.String(), err
	case "uuid4":
		return uuid.NewString(), nil
	case "time":
		return time.Now().UTC().Format(wholeMilliseconds), nil
	case "marker":
		return "marker-" + strings.ToLower(rand.Text())[:12], nil
	case "token":
		return rand.Text() + rand.Text(), nil
	case "traceparent":
		id := make([]byte, 24) // of the trace, and of the parent (W3C Trace Context, 3.2.2); it is never all zeros
		_, _ = rand.Read(id)   // it never fails
		return fmt.Sprintf("00-%x-%x-01", id[:16], id[16:]), nil
	case "websocket_key":
		key := make([]byte, 16) // RFC 6455, 4.1
		_, _ = rand.Read(key)   // it never fails
		return base64.StdEncoding.EncodeToString(key), nil
	}
	return nil, fmt.Errorf("nothing is called ${fresh.%s}", what)
}

// maxFiller bounds ${filler.N}.
const maxFiller = 256 << 20

var sizes = []struct {
	suffix string
	unit   int
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"KB", 1000}, {"MB", 1000 * 1000}, {"B", 1}, {"", 1}}

// filler is a text of a given size: "12MiB".
func filler(size string) (any, error) {
	for _, s := range sizes {
		digits, found := strings.CutSuffix(size, s.suffix)
		if !found {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 || n > maxFiller/s.unit {
			break
		}
		return strings.Repeat("x", n*s.unit), nil
	}
	return nil, fmt.Errorf("${filler.%s} is not a size such as 12MiB, at most 256MiB", size)
}
