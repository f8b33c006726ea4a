// SPDX-License-Identifier: Apache-2.0

// Package html writes what a run found as one page that needs nothing else, for who looks through all of it.
//
// First a builder decides how much of each result is shown, and makes views of what the run says, in which every text is
// visible and bounded; then the views are written as elements (see node), where every text is escaped.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // of style and script
	"encoding/base64"
	"fmt"
	"io"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// maxBytes is the size that an HTML report stays under, so that a browser opens it without thinking.
const maxBytes = 20 << 20

// spare is kept free for everything around the results.
const spare = 4 << 20

//go:embed report.css
var style string

//go:embed report.js
var script string

// contentPolicy lets a browser use the style and the script of the page and nothing else: no other script, no picture
// from anywhere, no request.
func contentPolicy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		sourceHash(style), sourceHash(script))
}

func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// A detail is how much of a result the HTML report shows.
type detail struct {
	entries  int // of the exchange
	bytes    int // of each body in it
	whole    int // of all bodies in it
	findings int
	text     int  // of each part of a finding
	pictures bool // of streams and terminals
}

var full = detail{entries: 200, bytes: 16 << 10, whole: 192 << 10, findings: 50, text: 8 << 10, pictures: true}

var bare = detail{findings: 4, text: 500}

// levels are the details to try until the report fits: first of results that are not as wanted, then of the others.
var levels = []struct{ broken, other detail }{
	{full, full},
	{full, detail{entries: 16, bytes: 2 << 10, whole: 16 << 10, findings: 20, text: 4 << 10}},
	{detail{entries: 60, bytes: 4 << 10, whole: 48 << 10, findings: 20, text: 4 << 10, pictures: true}, bare},
	{detail{entries: 12, bytes: 1 << 10, whole: 8 << 10, findings: 10, text: 1 << 10}, bare},
	{detail{entries: 6, bytes: 512, whole: 2 << 10, findings: 10, text: 1 << 10}, bare},
	{bare, bare},
}

// Write writes the report as one page that needs nothing else: style and script are in it, it asks nobody for
// anything, and it reads without the script too. It stays under maxBytes; what is left out for that is said where it
// would stand.
func Write(w io.Writer, run report.Settled) error {
	h := &builder{run: run.Run, keys: map[string]int{}}
	h.name()
	h.findCauses()
	h.unfold()
	for i, level := range levels {
		last := i == len(levels)-1
		h.render(level.broken, level.other, last)
		if h.size <= maxBytes-spare {
			if i > 0 {
				h.shortened = h.shortening(level.broken)
			}
			break
		}
	}
	var b bytes.Buffer
	h.page().write(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// A builder is one HTML report in the making.
type builder struct {
	run       *report.Run
	keys      map[string]int // element ids that are taken, with the number that tells the next such one apart
	idOf      []string       // element id of each result
	open      []bool         // which results show their inside at once
	causes    []*causeView
	shared    map[string]*causeView // by the id of the cause
	rendered  []string              // each result; empty when it is left out
	size      int                   // of them
	leftOut   int
	shortened string
}

// maxOpen results stand open; behind that many a reader would lose the overview.
const maxOpen = 40

// name gives each result an element id: its own, so that #ID leads there.
func (h *builder) name() {
	h.idOf = make([]string, len(h.run.Results))
	for i := range h.run.Results {
		h.idOf[i] = h.key(h.run.Results[i].ID)
	}
}

// unfold lets the results stand open that are not as wanted, failures first. What is blocked by a cause that others share
// is told there.
func (h *builder) unfold() {
	h.open = make([]bool, len(h.run.Results))
	opened := 0
	for _, i := range h.byWeight() {
		r := &h.run.Results[i]
		if opened < maxOpen && unwanted(r) && !(r.Blocked() && h.shared[r.Cause] != nil) {
			h.open[i] = true
			opened++
		}
	}
}

// key makes a free element id of a test id. Those of the page itself begin with a small letter, which no test id does.
func (h *builder) key(id string) string {
	var b bytes.Buffer
	for _, r := range show.CutAt(id, 80) {
		switch {
		case r >= 'a' && r <= 'z' && b.Len() > 0, r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		b.WriteByte('_')
	}
	base := b.String()
	free, n := base, max(h.keys[base], 2)
	for ; h.keys[free] > 0; n++ {
		free = fmt.Sprintf("%s.%d", base, n)
	}
	h.keys[base] = n
	h.keys[free] = max(h.keys[free], 1)
	return free
}

// render renders every result. At the last level it leaves out those that find no room, passes before the others.
func (h *builder) render(broken, other detail, last bool) {
	h.rendered, h.size, h.leftOut = make([]string, len(h.run.Results)), 0, 0
	var b bytes.Buffer
	for _, i := range h.byWeight() {
		detail := other
		if unwanted(&h.run.Results[i]) {
			detail = broken
		}
		b.Reset()
		h.result(i, detail).write(&b)
		if h.size+b.Len() > maxBytes-spare {
			if !last {
				h.size += b.Len()
				return
			}
			h.leftOut++
			continue
		}
		h.size += b.Len()
		h.rendered[i] = b.String()
	}
}

// byWeight lists the results, those first that a reader would miss most.
func (h *builder) byWeight() []int {
	order := make([]int, len(h.run.Results))
	for i := range order {
		order[i] = i
	}
	weight := func(i int) int { return slices.Index(shownOutcomes, outcomeShown(&h.run.Results[i])) }
	slices.SortStableFunc(order, func(a, b int) int { return weight(a) - weight(b) })
	return order
}

// unwanted reports whether a reader wants to see why.
func unwanted(r *report.Result) bool { return r.Outcome != report.Pass && r.Outcome != report.Skip }

func (h *builder) shortening(broken detail) string {
	text := fmt.Sprintf("exchanges of failures show at most %d entries with %s of each body, those of other results less or nothing",
		broken.entries, show.Size(broken.bytes))
	if broken.entries == 0 {
		text = fmt.Sprintf("all exchanges are left out, results show at most %d findings", broken.findings)
	}
	if h.leftOut > 0 {
		text += fmt.Sprintf("; %s altogether, passes first", show.Plural(h.leftOut, "result is left out", "results are left out"))
	}
	return fmt.Sprintf("to stay under %s: %s. The JSON report is whole.", show.Size(maxBytes), text)
}
