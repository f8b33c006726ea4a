// SPDX-License-Identifier: Apache-2.0

package phrases

import (
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

// Exchange writes evidence as text, one entry after the other: when, who, what, then headers and body. Each body is cut
// to maxBytes and there are at most maxEntries; the text says what was cut. The text is visible, but not escaped
// for the format that holds it.
func Exchange(entries []report.Evidence, maxEntries, maxBytes int) string {
	var b strings.Builder
	skipFrom, skipTo := show.Middle(len(entries), maxEntries)
	for i := range entries {
		switch {
		case i == skipFrom && skipFrom < skipTo:
			fmt.Fprintf(&b, "         … %d entries are left out here for size; the JSON report has them\n", skipTo-skipFrom)
		case i > skipFrom && i < skipTo:
		default:
			writeEntry(&b, &entries[i], maxBytes)
		}
	}
	return b.String()
}

func writeEntry(b *strings.Builder, e *report.Evidence, maxBytes int) {
	who := e.Kind
	if e.Actor != "" {
		who = e.Actor + " " + who
	}
	fmt.Fprintf(b, "%6d ms %s: %s\n", e.AtMS, show.OneLine(who), show.Brief(e.Head, 2000))
	header := Header(e)
	indent(b, header)
	body := show.CutAt(e.Body, maxBytes)
	if header != "" && body != "" {
		b.WriteString("\n")
	}
	indent(b, show.Visible(body))
	if full := max(e.BodyBytes, int64(len(e.Body))); full > int64(len(body)) {
		fmt.Fprintf(b, "          … %s of %s shown", show.Size(len(body)), show.Size(int(full)))
		if e.SHA256 != "" {
			fmt.Fprintf(b, ", SHA-256 of the whole %s", show.OneLine(e.SHA256))
		}
		b.WriteString("\n")
	}
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
