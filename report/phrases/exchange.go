// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"encoding/json"
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// shownHeaders are the response headers that rendered formats show: those the contracts speak of, and what explains a
// proxy in between. The rest is counted; the JSON report has them all.
var shownHeaders = []string{
	"A2a-Extensions", "A2a-Version", "Age", "Allow", "Cache-Control", "Connection", "Content-Encoding", "Content-Length",
	"Content-Type", "Date", "Deprecated", "Deprecation", "Etag", "Idempotency-Key", "Last-Event-Id", "Last-Modified",
	"Link", "Location", "Retry-After", "Sec-Websocket-Accept", "Sec-Websocket-Extensions", "Sec-Websocket-Protocol",
	"Sec-Websocket-Version", "Server", "Sunset", "Traceparent", "Transfer-Encoding", "Upgrade", "Vary", "Via", "Warning",
	"Www-Authenticate", "X-Accel-Buffering", "X-Request-Id",
}

// A Cut is how much of an exchange is shown.
type Cut struct {
	Entries int
	Bytes   int    // of each body
	Cards   *Cards // where the card stands once; nil: it is a body as any other
	Actor   string // the client that the decisive finding is about: of a long exchange its part is shown; "" for none
	Clues   Clues  // of the result, to which the answer that was judged is cut
}

// Cards knows where a card stands whole, so that it does so once.
type Cards struct {
	Whole int    // bytes of it that are shown there
	ID    string // of the result that is written
	at    map[string]string
}

// stands returns the result in which the card of an answer stands whole: its own id the first time, "" for what is no card.
func (c *Cards) stands(e *report.Evidence, asked string) string {
	if c == nil || e.Body == "" || e.Kind != "response" || !strings.Contains(asked, "/agent-card.json") || !strings.Contains(e.Head, " 200") {
		return ""
	}
	text := canonical(e.Body)
	if c.at == nil {
		c.at = map[string]string{}
	}
	if c.at[text] == "" {
		c.at[text] = c.ID
		return c.ID
	}
	return c.at[text]
}

// canonical is a text for comparison: of JSON, the order of members and its spacing make no difference.
func canonical(text string) string {
	var value any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if len(text) > maxLaidOut || d.Decode(&value) != nil || d.More() {
		return text
	}
	ordered, err := json.Marshal(value)
	if err != nil {
		return text
	}
	return string(ordered)
}

// Exchange writes evidence as text, one entry after the other: when, who, what, then headers and body, as far as the cut lets it;
// the text says what is left out. The text is visible, but not escaped for the format that holds it.
func Exchange(entries []report.Evidence, cut Cut) string {
	var b strings.Builder
	asked, whole := "", map[string]bool{}
	maxEntries := cut.Entries
	entries = WithoutRepeats(entries)
	if len(entries) > maxEntries {
		var others int
		if entries, others = partOf(entries, cut.Actor); others > 0 {
			fmt.Fprintf(&b, "         … %d entries of other clients are left out here for size; the JSON report has them\n", others)
		}
	}
	skipFrom, skipTo := show.Middle(len(entries), maxEntries)
	for i := range entries {
		switch {
		case i == skipFrom && skipFrom < skipTo:
			fmt.Fprintf(&b, "         … %d entries are left out here for size; the JSON report has them\n", skipTo-skipFrom)
		case i > skipFrom && i < skipTo:
		default:
			e := &entries[i]
			if e.Kind == "request" {
				asked = e.Head
			}
			switch at := cut.Cards.stands(e, asked); {
			case at == "":
				writeEntry(&b, e, cut.Bytes, cut.Clues)
			case at == cut.Cards.ID && !whole[e.Body]:
				whole[e.Body] = true
				writeEntry(&b, e, cut.Cards.Whole, cut.Clues)
			default:
				same := *e
				same.Body, same.BodyBytes = "", 0
				writeEntry(&b, &same, 0, Clues{})
				fmt.Fprintf(&b, "          (the card, %s, which stands in the exchange of %s)\n", show.Size(int(max(e.BodyBytes, int64(len(e.Body))))), show.OneLine(at))
			}
		}
	}
	return b.String()
}

// partOf is the part of an exchange that a client has in it, with what is nobody's, and how many entries of other clients there are. It is the
// whole where the client has none.
func partOf(entries []report.Evidence, actor string) (part []report.Evidence, others int) {
	if actor == "" || !slices.ContainsFunc(entries, func(e report.Evidence) bool { return e.Actor == actor }) {
		return entries, 0
	}
	for _, e := range entries {
		if e.Actor == "" || e.Actor == actor {
			part = append(part, e)
		}
	}
	return part, len(entries) - len(part)
}

func writeEntry(b *strings.Builder, e *report.Evidence, maxBytes int, clues Clues) {
	who := e.Kind
	if e.Actor != "" {
		who = e.Actor + " " + who
	}
	fmt.Fprintf(b, "%6d ms %s: %s\n", e.AtMS, show.OneLine(who), show.Brief(e.Head, 2000))
	header := Header(e)
	indent(b, header)
	body, cut := BodyOf(e, maxBytes, clues)
	if header != "" && body != "" {
		b.WriteString("\n")
	}
	indent(b, show.Visible(body))
	if full := max(e.BodyBytes, int64(len(e.Body))); IsCut(e) || cut {
		fmt.Fprintf(b, "          … cut here; it has %s", show.Size(int(full)))
		if e.SHA256 != "" {
			fmt.Fprintf(b, ", SHA-256 of the whole %s", show.OneLine(e.SHA256))
		}
		b.WriteString("\n")
	}
}

// redacted begins what stands in place of a secret, which may have been longer.
const redacted = "[redacted"

// IsCut says whether the body of an entry was longer than what the report has of it. What is shorter for a secret that was taken out of it is
// whole.
func IsCut(e *report.Evidence) bool {
	return e.BodyBytes > int64(len(e.Body)) && (e.SHA256 != "" || !strings.Contains(e.Body, redacted))
}

// Header is the header as far as it is shown: of a response the allowed lines, of everything else all of it.
func Header(e *report.Evidence) string {
	var shown []string
	hidden := 0
	for line := range strings.Lines(e.Header) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		name, _, _ := strings.Cut(line, ":")
		_, allowed := slices.BinarySearch(shownHeaders, textproto.CanonicalMIMEHeaderKey(name))
		if allowed || e.Kind != "response" {
			shown = append(shown, show.Visible(line))
		} else {
			hidden++
		}
	}
	if hidden > 0 {
		shown = append(shown, fmt.Sprintf("(%d more in the JSON report)", hidden))
	}
	return strings.Join(shown, "\n")
}

// indent writes each line of text below the column of times, so that nothing of the target begins a line.
func indent(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("          ")
		b.WriteString(strings.TrimSuffix(line, "\n"))
		b.WriteString("\n")
	}
}
