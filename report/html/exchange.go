// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// An exchangeView is the transcript of a result: each entry with its time, its actor and its direction.
type exchangeView struct {
	Entries []entryView
	Total   int
	Open    bool
}

type entryView struct {
	At, Actor, Arrow, Kind, Head string
	Says                         string // what a message says it is
	Header, Body, Cut            string
	LeftOut                      string // in place of entries that are not shown
}

// arrows show the direction of an entry; the word of its kind says it too.
var arrows = map[string]string{"sent": "→", "received": "←", "closed": "✕", "local": "·"}

func viewExchange(entries []report.Evidence, clues phrases.Clues, d detail) *exchangeView {
	x := &exchangeView{Total: len(entries)}
	room := d.whole
	entries = phrases.WithoutRepeats(entries)
	from, to := show.Middle(len(entries), d.entries)
	for i := range entries {
		switch {
		case i == from && from < to:
			x.Entries = append(x.Entries, entryView{LeftOut: fmt.Sprintf("%d entries are left out here for size; the JSON report has them", to-from)})
		case i > from && i < to:
		default:
			e := viewEntry(&entries[i], min(d.bytes, max(room, 0)), clues)
			room -= len(e.Body) + len(e.Header)
			x.Entries = append(x.Entries, e)
		}
	}
	return x
}

func viewEntry(e *report.Evidence, most int, clues phrases.Clues) entryView {
	v := entryView{At: fmt.Sprintf("%d ms", e.AtMS), Actor: show.Brief(e.Actor, 60), Arrow: arrows[direction(e.Kind)],
		Kind: show.Brief(e.Kind, 40), Head: show.Brief(e.Head, 2000), Header: show.Visible(show.Clip(phrases.Header(e), max(most, 300)))}
	if direction(e.Kind) != "local" && e.Kind != "request" {
		v.Says = show.Brief(operation(e.Body), maxCaption)
	}
	body, cut := phrases.BodyOf(e, most, clues)
	v.Body = show.Visible(body)
	if full := max(e.BodyBytes, int64(len(e.Body))); phrases.IsCut(e) || cut {
		v.Cut = fmt.Sprintf("cut here; it has %s", show.Size(int(full)))
		if e.SHA256 != "" {
			v.Cut += ", SHA-256 of the whole " + show.Brief(e.SHA256, 80)
		}
	}
	return v
}

// short reports whether the exchange reads at a glance, so that it need not be folded.
func (x *exchangeView) short() bool {
	n := 0
	for i := range x.Entries {
		n += len(x.Entries[i].Body) + len(x.Entries[i].Header)
	}
	return len(x.Entries) <= 4 && n <= 3<<10
}
