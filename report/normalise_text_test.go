// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"
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
		"status is 413 (in A2A-SEC-016; 1 of 3893 answers), want 200":                                   "status is 413 (in A2A-SEC-016; <n> of <n> answers), want 200",
		"the answer to GET /tasks, 3rd of 17 such answers":                                              "the answer to GET /tasks, <n> of <n> such answers",
		"frames[6].sequence is missing":                                                                 "frames[<n>].sequence is missing",
		"status is 200, want 404; sequence 17 was not replayed, TASK-020":                               "status is 200, want 404; sequence 17 was not replayed, TASK-020",
	} {
		if got := normaliseText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
