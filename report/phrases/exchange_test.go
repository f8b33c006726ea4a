// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestShownHeadersAreSortedAndCanonical(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(shownHeaders) {
		t.Error("shownHeaders is not sorted, so that some are never found")
	}
	for _, name := range shownHeaders {
		if textproto.CanonicalMIMEHeaderKey(name) != name {
			t.Errorf("%s is never found, want %s", name, textproto.CanonicalMIMEHeaderKey(name))
		}
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	got := Exchange([]report.Evidence{
		{AtMS: 1, Actor: "alice", Kind: "request", Head: "GET /x", Header: "X-Mine: yes\r\nAccept: */*"},
		{AtMS: 2, Kind: "response", Head: "200 OK", Header: "x-powered-by: magic\nA2A-Version: 1.0\nset-cookie: [redacted]", Body: "12345678\n9", BodyBytes: 4000, SHA256: "abc"},
		{AtMS: 3, Kind: "event", Head: "left out"},
		{AtMS: 4, Kind: "event", Head: "left out"},
		{AtMS: 12345, Kind: "closed", Head: "by the executor"},
	}, Cut{Entries: 3, Bytes: 8})
	want := strings.Join([]string{
		"     1 ms alice request: GET /x",
		"          X-Mine: yes",
		"          Accept: */*",
		"     2 ms response: 200 OK",
		"          A2A-Version: 1.0",
		"          (2 more in the JSON report)",
		"",
		"          12345678",
		"          … cut here; it has 3.9 KiB, SHA-256 of the whole abc",
		"         … 2 entries are left out here for size; the JSON report has them",
		" 12345 ms closed: by the executor",
		"",
	}, "\n")
	if got != want {
		t.Errorf("the exchange is\n%s, want\n%s", got, want)
	}
}

// TestTheCardStandsOnce: of a card that several tests have asked for, all but the first say where it stands, whatever the order
// of its members; another card is another body.
func TestTheCardStandsOnce(t *testing.T) {
	t.Parallel()
	cards := Cards{Whole: 1000}
	ask := func(id, body string) string {
		cards.ID = id
		return Exchange([]report.Evidence{
			{Kind: "request", Head: "GET /agents/x/.well-known/agent-card.json HTTP/1.1"},
			{Kind: "response", Head: "HTTP/1.1 200 OK", Body: body, BodyBytes: int64(len(body))},
		}, Cut{Entries: 10, Bytes: 4, Cards: &cards})
	}
	for _, row := range []struct{ id, body, want string }{
		{"CARD-001", `{"name":"one","version":1}`, `{"name": "one", "version": 1}`},
		{"CARD-002", `{"version":1, "name":"one"}`, "(the card, 27 B, which stands in the exchange of CARD-001)"},
		{"CARD-003", `{"name":"two","version":1}`, `{"name": "two", "version": 1}`},
		{"CARD-004", `{"name":"two","version":1}`, "(the card, 26 B, which stands in the exchange of CARD-003)"},
	} {
		if got := ask(row.id, row.body); !strings.Contains(got, row.want) {
			t.Errorf("%s: the exchange is\n%s, want %s", row.id, got, row.want)
		}
	}
}

// Of a long exchange of several clients the part of the one that the finding is about is shown.
func TestExchangeOfOneClient(t *testing.T) {
	t.Parallel()
	var entries []report.Evidence
	for i := range 12 {
		entries = append(entries, report.Evidence{AtMS: int64(i), Actor: []string{"typist", "latecomer", "watcher"}[i%3], Kind: "received", Head: "a frame"})
	}
	entries = append(entries, report.Evidence{AtMS: 12, Kind: "note", Head: "a pause"})
	for _, row := range []struct {
		name, actor string
		most        int
		want, lacks string
	}{
		{"of one", "latecomer", 8, "8 entries of other clients are left out", "typist"},
		{"short", "latecomer", 20, "typist received", "left out"},
		{"of nobody", "", 8, "5 entries are left out", "other clients"},
		{"of who is not there", "someone", 8, "5 entries are left out", "other clients"},
	} {
		text := Exchange(entries, Cut{Entries: row.most, Bytes: 100, Actor: row.actor})
		if !strings.Contains(text, row.want) || strings.Contains(text, row.lacks) {
			t.Errorf("%s: %s", row.name, text)
		}
	}
}
