// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestCaptionsSayWhatAMessageIs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ kind, head, body, want string }{
		{"request", "GET /agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/sessions/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/attach HTTP/1.1", "", "GET /sessions/…ddeeee/attach"},
		{"request", "POST https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/messages:send", "", "POST /v1/messages:send"},
		{"request", "GET https://sandbox.example", "", "GET https://sandbox.example"},
		{"request", "nonsense", "", "nonsense"},
		{"response", "HTTP/1.1 202 Accepted", "", "response 202 Accepted"},
		{"response", "", "", "response"},
		{"frame", "text, 9 bytes", `{"op":"pty.session_frame","sequence":7,"payload":{"kind":"Keyframe"}}`, "pty.session_frame Keyframe #7"},
		{"frame", "text, 9 bytes", `{"op":"Error","payload":{"code":"REPLAY_OUT_OF_RANGE"}}`, "Error REPLAY_OUT_OF_RANGE"},
		{"frame", "text, 9 bytes", `{"type":"output","data":"x"}`, "output"},
		{"frame", "binary, 3 bytes", `\x00\x01\x02`, "binary, 3 bytes"},
		{"frame", "text, 9 bytes", `{"op":{"not":"text"},"payload":[1]}`, "text, 9 bytes"},
		{"event", "event status-update", `{"statusUpdate":{"status":{"state":"working"}}}`, "statusUpdate working"},
		{"event", "event", `{"kind":"status-update","status":{"state":"canceled"}}`, "status-update canceled"},
		{"event", "event ping", "", "event ping"},
		{"closed", "closed by executor after 4ms", "", "closed by executor after 4ms"},
		{"closed", "by the harness with 1000", "", "closed by the harness with 1000"},
		{"frame", "text", `{"op":"\u202ered\n` + strings.Repeat("x", 300) + `"}`, `\u202ered\n` + strings.Repeat("x", maxCaption-12) + "…"},
	} {
		if got := caption(&report.Evidence{Kind: row.kind, Head: row.head, Body: row.body}); got != row.want {
			t.Errorf("%s %q %s: the caption is %q, want %q", row.kind, row.head, row.body, got, row.want)
		}
	}
}

func TestTimelinesAreBounded(t *testing.T) {
	t.Parallel()
	var entries []report.Evidence
	for c := range 10 {
		entries = append(entries, report.Evidence{Kind: "note", Head: fmt.Sprintf("case: %d", c)})
		for i := range 5000 {
			entries = append(entries, report.Evidence{AtMS: int64(i*i) - 3, Actor: fmt.Sprintf("actor %d", i%20), Kind: "frame", Head: "text"})
		}
	}
	entries = append(entries, report.Evidence{Kind: "frame", AtMS: 1 << 62})
	drawn, more := timelines(entries)
	if len(drawn) != maxPictures || more != 4 {
		t.Errorf("%d pictures are drawn and %d more are told, want %d and 4", len(drawn), more, maxPictures)
	}
	for _, picture := range drawn {
		if len(picture.Lanes) != maxLanes || picture.Lanes[maxLanes-1].Name != "others" {
			t.Errorf("the lanes are %v", picture.Lanes)
		}
		if len(picture.Ticks) > maxTicks || len(picture.Rows) > 2*maxRows+1 || len(picture.AxisTicks) > 8 {
			t.Errorf("a picture has %d ticks, %d rows and %d times", len(picture.Ticks), len(picture.Rows), len(picture.AxisTicks))
		}
		for _, k := range picture.Ticks {
			if k.X < 0 || k.X > picture.Width {
				t.Errorf("a tick stands at %d of %d", k.X, picture.Width)
			}
		}
	}
}

func TestNothingIsDrawnOfPlainRequests(t *testing.T) {
	t.Parallel()
	if drawn, more := timelines([]report.Evidence{{Kind: "request", Head: "GET / HTTP/1.1"}, {AtMS: 12, Kind: "response", Head: "HTTP/1.1 200 OK"}}); len(drawn) != 0 || more != 0 {
		t.Errorf("%d pictures are drawn", len(drawn)+more)
	}
}
