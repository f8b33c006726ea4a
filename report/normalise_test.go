// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNormaliseText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"task 0192A0aa-1111-7abc-8def-000000000001.":                                           "task <uuid>.",
		`"timestamp": "2026-11-21T09:30:00.123456Z"`:                                           `"timestamp": "<time>"`,
		"2026-11-21T09:30:00+01:00":                                                            "<time>",
		"Date: Sat, 21 Nov 2026 09:30:01 GMT":                                                  "Date: <time>",
		"http://127.0.0.1:43121/agents and ws://[::1]:80/x":                                    "http://127.0.0.1:<port>/agents and ws://[::1]:<port>/x",
		"dial tcp 127.0.0.1:43121: refused":                                                    "dial tcp 127.0.0.1:<port>: refused",
		"took 1.25s, want at most 500ms":                                                       "took <duration>, want at most <duration>",
		strings.Repeat("0f", 32):                                                               "<sha256>",
		"Content-Length: 213":                                                                  "Content-Length: <n>",
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=":                                   "Sec-WebSocket-Accept: <nonce>",
		"eyJhbGciOiJFZERTQSJ9..c2ln":                                                           "<jws>",
		`text is "{\"kind\":\"task\",\"id"... (cut, 548 bytes), want a text that contains "x"`: `text is <cut>, want a text that contains "x"`,
		`exchange is {"body": "{\"title\""... (cut, 303 bytes)... (cut), want anything but errcode "a"`: `exchange is <cut>, want anything but errcode "a"`,
		`operations is ["ping", "GetTask"... (cut), want a list; status is 200`:                         `operations is <cut>, want a list; status is 200`,
		"frames[6].sequence is missing":                                   "frames[<n>].sequence is missing",
		"status is 200, want 404; sequence 17 was not replayed, TASK-020": "status is 200, want 404; sequence 17 was not replayed, TASK-020",
	} {
		if got := normaliseText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestNormaliseMakesRunsComparable(t *testing.T) {
	t.Parallel()
	first, second := everyOutcome(), everyOutcome()
	second.StartedAt = second.StartedAt.Add(time.Hour)
	second.DurationMS += 12
	second.Target.ExecutorURL = strings.ReplaceAll(second.Target.ExecutorURL, "7777", "7778")
	second.Flags[2].Value = "43"
	broken := &second.Results[1]
	broken.DurationMS++
	broken.Evidence[1].AtMS++
	broken.Evidence[0].Head = strings.ReplaceAll(broken.Evidence[0].Head, "000000000001", "000000000002")
	broken.Evidence[1].Header = strings.ReplaceAll(broken.Evidence[1].Header, "09:30:01", "10:30:02")
	broken.Evidence = append(broken.Evidence, broken.Evidence...) // it asked once more
	if diff := cmp.Diff(rendered(t, WriteJSON, first), rendered(t, WriteJSON, second)); diff == "" {
		t.Fatal("the runs do not differ before")
	}
	for i, f := range second.Flags {
		if f.Name == "executor-url" {
			second.Flags[i].Value = strings.ReplaceAll(f.Value, "7777", "7778")
		}
	}
	if diff := cmp.Diff(rendered(t, WriteJSON, Normalise(first)), rendered(t, WriteJSON, Normalise(second))); diff != "" {
		t.Errorf("the runs differ (-first +second):\n%s", diff)
	}
}

func TestNormaliseKeepsWhatMatters(t *testing.T) {
	t.Parallel()
	first, second := everyOutcome(), everyOutcome()
	second.Results[1].Findings[0].Problem = `task.state is "failed", want "canceled"`
	if cmp.Equal(rendered(t, WriteJSON, Normalise(first)), rendered(t, WriteJSON, Normalise(second))) {
		t.Error("another finding is lost")
	}
	second = everyOutcome()
	second.Results[0].Outcome = Fail
	if cmp.Equal(rendered(t, WriteJSON, Normalise(first)), rendered(t, WriteJSON, Normalise(second))) {
		t.Error("another outcome is lost")
	}
	if got := Normalise(first); got.Suites.Digest != first.Suites.Digest || got.Results[1].Requirement != first.Results[1].Requirement {
		t.Error("what the suites say is changed")
	}
}
