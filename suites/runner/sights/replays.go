// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
)

const (
	// maxOriginals bounds the frames that are remembered of all sessions, some 300 bytes each.
	maxOriginals = 50_000
	// longestOriginal is how much is remembered of what a frame held, to be shown.
	longestOriginal = 100
)

// originals are the frames of sessions as they were first sent, by session and number, to compare replays with.
type originals struct {
	mu   sync.Mutex
	kept int
	of   map[string]map[int64]original
}

// An original is a live frame that is told to all.
type original struct {
	digest    [sha256.Size]byte
	kind      string
	ts        any // nil: it came in binary, which tells none
	held, who string
}

// compare remembers a live frame, and says of a replayed one under altered and ts_altered what is no longer as it was. Nothing is said of a
// frame that nobody had live, nor of what is for one client alone.
func (o *originals) compare(c *observe.Connection, f streamFrame, replayed bool, at string, about map[string]any) {
	switch f.kind {
	case "Output", "Resize", "MembershipChanged", "Closed", "TaskStatusUpdate":
	default:
		return
	}
	held, err := base64.StdEncoding.DecodeString(f.data) // output is the same in base64 and in binary
	if f.kind != "Output" || err != nil {
		held, _ = json.Marshal(assertions.WithoutServiceParameters(f.payload))
	}
	is := original{digest: sha256.Sum256(held), kind: f.kind, ts: f.ts, held: ptyws.QuoteShort(string(held), longestOriginal), who: at}
	o.mu.Lock()
	defer o.mu.Unlock()
	frames := o.of[c.Session]
	was, had := frames[f.sequence]
	switch {
	case !replayed && !had && o.kept < maxOriginals:
		if frames == nil {
			frames = map[int64]original{}
			o.of[c.Session] = frames
		}
		frames[f.sequence] = is
		o.kept++
	case replayed && had:
		about["original"] = was.who
		if was.kind != is.kind || was.digest != is.digest {
			about["altered"] = fmt.Sprintf("sequence %d was %s %s", f.sequence, was.kind, was.held)
		}
		if was.ts != is.ts && assertions.IsDateTime(was.ts) && assertions.IsDateTime(is.ts) { // what is no time is for PTY-036
			about["ts_altered"] = fmt.Sprintf("sequence %d had %v", f.sequence, was.ts)
		}
	}
}
