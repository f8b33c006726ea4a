// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

const answerText = `{"op":"x"}`

// A framingRow is what a server says behind a proper handshake, and what is seen of it.
type framingRow struct {
	section, name string
	bytes         string
	messages      []string // exactly these, byte for byte
	ends          string   // who ended the conversation, and how
	judged        string   // the requirements that fail by it
}

const (
	byServer = "by the executor without a Close frame"
	cutOff   = byServer + ", in the middle of a message"
	givenUp  = "by the harness with 1002"
)

// framingRows follow RFC 6455 section 5 and RFC 7692. Each server hangs up behind its bytes.
func framingRows() []framingRow {
	answer := "\x81\x0a" + answerText
	one := []string{answerText}
	masked := "\x81\x8a\x00\x00\x00\x00" + answerText
	long := strings.Repeat("x", 126)
	huge := strings.Repeat("y", 1<<16)
	quoted := func(s string) string { return `{"op":"` + s + `"}` }
	return []framingRow{
		{"5.2", "7 bits of length", answer, one, byServer, ""},
		{"5.2", "16 bits of length", "\x81\x7e\x00\x87" + quoted(long), []string{quoted(long)}, byServer, ""},
		{"5.2", "64 bits of length", "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x09" + quoted(huge), []string{quoted(huge)}, byServer, ""},
		{"5.2", "16 bits where 7 do", "\x81\x7e\x00\x0a" + answerText, one, byServer, ""},
		{"5.2", "64 bits where 7 do", "\x81\x7f\x00\x00\x00\x00\x00\x00\x00\x0a" + answerText, one, byServer, ""},
		{"5.2", "64 bits with the highest one set", "\x81\x7f\x80\x00\x00\x00\x00\x00\x00\x0a" + answerText, nil, cutOff, ""},
		{"5.2", "RSV1, which nobody negotiated", "\xc1\x0a" + answerText, one, givenUp, ""},
		{"5.2", "RSV2", "\xa1\x0a" + answerText, one, givenUp, ""},
		{"5.2", "RSV3", "\x91\x0a" + answerText, one, givenUp, ""},
		{"5.2", "opcode 3", "\x83\x00" + answer, one, givenUp, ""},
		{"5.2", "opcode 7", "\x87\x00" + answer, one, givenUp, ""},
		{"5.2", "opcode 11", "\x8b\x00" + answer, one, givenUp, ""},
		{"5.2", "opcode 15", "\x8f\x00" + answer, one, givenUp, ""},
		{"5.1", "a mask", masked, one, byServer, ""},
		{"5.4", "three fragments", "\x01\x04{\"op\x00\x04\":\"x\x80\x02\"}", one, byServer, ""},
		{"5.4", "fragments around a Ping and a Pong", "\x01\x04{\"op\x89\x01p\x00\x04\":\"x\x8a\x00\x80\x02\"}", one, byServer, ""},
		{"5.4", "a continuation of nothing", "\x80\x01x" + answer, one, givenUp, ""},
		{"5.4", "a message inside a fragmented one", "\x01\x01{" + answer, one, givenUp, ""},
		{"5.4", "a fragment without an end", "\x01\x03{\"o", nil, cutOff, ""},
		{"5.5", "a fragmented Ping", "\x09\x01p\x80\x01q" + answer, one, givenUp, ""},
		{"5.5", "a Ping of 126 bytes", "\x89\x7e\x00\x7e" + long + answer, one, givenUp, ""},
		{"5.6", "text that is no UTF-8", "\x81\x0b{\"op\":\"\xc3\x28\"}", []string{"{\"op\":\"\xc3\x28\"}"}, byServer, "PTY-033"},
		{"5.6", "a character that two fragments share", "\x01\x08{\"op\":\"\xc3\x80\x03\xa9\"}", []string{quoted("é")}, byServer, ""},
		{"5.6", "no UTF-8, over two fragments", "\x01\x08{\"op\":\"\xc3\x80\x03\x28\"}", []string{"{\"op\":\"\xc3\x28\"}"}, byServer, "PTY-033"},
		{"5.6", "a character that is cut at the end", "\x81\x08{\"op\":\"\xc3", []string{"{\"op\":\"\xc3"}, byServer, "PTY-033"},
		{"7692 6", "RSV1 on a message that is compressed", "\xc1\x07\xca\x48\xcd\xc9\xc9\x07\x00", []string{"\xca\x48\xcd\xc9\xc9\x07\x00"}, givenUp, "PTY-033"},
		{"7692 6", "RSV1 on a continuation", "\x01\x04{\"op\xc0\x06\":\"x\"}", one, givenUp, ""},
		{"7692 6", "RSV1 on a Ping", "\xc9\x00" + answer, one, givenUp, ""},
	}
}

// Each message stands as it came, or does not stand at all; what RFC 6455 forbids is in the report, and the harness gives up as
// section 7.1.7 demands wherever the table says so.
func TestFraming(t *testing.T) {
	t.Parallel()
	oneObject := bundled(t, "PTY-033")
	judge := oneObject.Steps[len(oneObject.Steps)-1]
	page := make([]string, len(framingRows()))
	t.Run("rows", func(t *testing.T) {
		for i, row := range framingRows() {
			t.Run(row.section+" "+row.name, func(t *testing.T) {
				t.Parallel()
				p := testPlayer(t, writing(t, true, row.bytes), Target{})
				opened(t, p)
				s := p.actors[""].socket
				works(t, p.do(receive("closed.ended", true), 20*time.Second))
				var messages []string
				judged := ""
				for _, m := range s.messages {
					messages = append(messages, string(m.Raw))
					o := subjects.New()
					o.Value("frame", m.Value())
					if !p.expectAll(judge, o) || len(p.findings) > 0 {
						judged = oneObject.ID
					}
				}
				if !slices.Equal(messages, row.messages) {
					t.Errorf("messages %.80q, want %.80q", messages, row.messages)
				}
				ending := s.closing.head()
				if !strings.HasPrefix(ending, row.ends) || row.ends == byServer && strings.Contains(ending, "middle") {
					t.Errorf("ended %s, want %s", ending, row.ends)
				}
				if judged != row.judged {
					t.Errorf("judged by %q, want %q: %v", judged, row.judged, p.findings)
				}
				page[i] = framingLine(row, s)
			})
		}
	})
	if !t.Failed() {
		golden(t, "framing", "| RFC | The server sends | Frames in the report | Messages | The conversation ends | Fails |\n|---|---|---|---|---|---|\n"+strings.Join(page, ""))
	}
}

func framingLine(row framingRow, s *socket) string {
	var frames []string
	for _, f := range s.wire {
		if !f.FromHarness {
			frames = append(frames, f.Head())
		}
	}
	seen := strings.Join(frames, "; ")
	if seen == "" {
		seen = "none: nothing behind it has a meaning"
	}
	rfc := "6455 section " + row.section
	if after, is := strings.CutPrefix(row.section, "7692 "); is {
		rfc = "7692 section " + after
	}
	messages := map[bool]string{true: "none", false: "1, as it came"}[len(row.messages) == 0]
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", rfc, row.name, seen, messages, row.ends, orDash(row.judged))
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// A handshakeRow is a whole answer to an upgrade: ACCEPT stands for the right Sec-WebSocket-Accept.
type handshakeRow struct {
	name   string
	status string
	header string
	open   bool // the terminal can still be used: the other requirements are measured
	fails  bool // PTY-002, or what is assumed before it is judged
}

func handshakeRows() []handshakeRow {
	const switching, upgrade, connection, accept, protocol = "101 Switching Protocols", "Upgrade: websocket\r\n", "Connection: Upgrade\r\n", "Sec-WebSocket-Accept: ACCEPT\r\n", "Sec-WebSocket-Protocol: pty-ws.v1\r\n"
	rows := []handshakeRow{
		{"a proper answer", switching, upgrade + connection + accept + protocol, true, false},
		{"names in another case, a list in Connection", switching, "upgrade: WebSocket\r\nconnection: keep-alive, upgrade\r\n" + accept + protocol, true, false},
		{"a wrong Sec-WebSocket-Accept", switching, upgrade + connection + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" + protocol, true, true},
		{"no Sec-WebSocket-Accept", switching, upgrade + connection + protocol, true, true},
		{"no Upgrade", switching, connection + accept + protocol, true, true},
		{"another Upgrade", switching, "Upgrade: h2c\r\n" + connection + accept + protocol, true, true},
		{"no Connection", switching, upgrade + accept + protocol, true, true},
		{"Connection: close", switching, upgrade + "Connection: close\r\n" + accept + protocol, true, true},
		{"status 200", "200 OK", upgrade + connection + accept + protocol + "Content-Length: 0\r\n", false, true},
		{"status 426", "426 Upgrade Required", "Upgrade: websocket\r\nContent-Length: 0\r\n", false, true},
	}
	for _, extension := range []string{"permessage-deflate", "x-nobody-knows", "permessage-deflate; no_such_parameter", "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
		"permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16", "permessage-deflate; client_max_window_bits=15", "permessage-deflate, permessage-deflate", ""} {
		rows = append(rows, handshakeRow{"Sec-WebSocket-Extensions: " + extension, switching, upgrade + connection + accept + protocol + "Sec-WebSocket-Extensions: " + extension + "\r\n", true, true})
	}
	return rows
}

// The answer to an upgrade is judged by PTY-002 of the bundled suite, and costs no other requirement where it can be spared.
func TestHandshakes(t *testing.T) {
	t.Parallel()
	valid := bundled(t, "PTY-002")
	page := make([]string, len(handshakeRows()))
	t.Run("rows", func(t *testing.T) {
		for i, row := range handshakeRows() {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				p := testPlayer(t, answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) {
					header := strings.ReplaceAll(row.header, "ACCEPT", wire.AcceptFor(q.Header.Get("Sec-WebSocket-Key")))
					io.WriteString(c, "HTTP/1.1 "+row.status+"\r\n"+header+"\r\n")
					if row.open {
						io.WriteString(c, "\x81\x0a"+answerText)
					}
					untilGone(in)
				}), Target{})
				p.names.Set("session", "s")
				p.names.Set("key", wire.NewKey())
				held := p.playStep(valid.Steps[0]) && len(p.findings) == 0
				if held == row.fails {
					t.Errorf("%s held: %v: %v", valid.ID, held, p.findings)
				}
				if row.open {
					works(t, p.do(receive("frame.op", "x")))
				}
				page[i] = handshakeLine(row, p)
			})
		}
	})
	if !t.Failed() {
		golden(t, "handshakes", "| The server answers | PTY-002 | The finding |\n|---|---|---|\n"+strings.Join(page, ""))
	}
}

func handshakeLine(row handshakeRow, p *player) string {
	said := "–"
	if len(p.findings) > 0 {
		key, _ := p.expandString("${key}")
		said = strings.NewReplacer(key, "KEY", wire.AcceptFor(key), "ACCEPT", "|", `\|`).Replace(p.findings[0].Problem)
	}
	verdict := map[bool]string{true: "fails", false: "holds"}[row.fails]
	if row.fails && len(p.findings) == 0 {
		verdict = "is blocked"
	}
	return fmt.Sprintf("| %s | %s | %s |\n", row.name, verdict, said)
}

// A goodbyeRow is how a server answers a Close frame.
type goodbyeRow struct {
	name, bytes string
	fails       bool // PTY-113
}

func goodbyeRows() []goodbyeRow {
	code := func(n int, reason string) string {
		return fmt.Sprintf("\x88%c%c%c%s", 2+len(reason), 0, 0, reason)[:2] + string([]byte{byte(n >> 8), byte(n)}) + reason
	}
	return []goodbyeRow{
		{"code 1000", code(1000, ""), false},
		{"code 1000 and a reason", code(1000, "bye"), false},
		{"an empty body", "\x88\x00", false},
		{"a body of one byte", "\x88\x01\x03", true},
		{"code 999", code(999, ""), true},
		{"code 1005", code(1005, ""), true},
		{"code 1006", code(1006, ""), true},
		{"code 1015", code(1015, ""), true},
		{"code 5000", code(5000, ""), true},
		{"a reason that is no UTF-8", code(1000, "\xc3\x28"), true},
		{"a fragmented Close", "\x08\x02\x03\xe8", true},
		{"126 bytes", "\x88\x7e\x00\x7e\x03\xe8" + strings.Repeat("r", 124), true},
		{"data behind it", code(1000, "") + "\x81\x0a" + answerText, false},
		{"no answer", "", true},
	}
}

// The answer to a Close frame is judged by PTY-113 of the bundled suite.
func TestGoodbyes(t *testing.T) {
	t.Parallel()
	answered := bundled(t, "PTY-113")
	page := make([]string, len(goodbyeRows()))
	t.Run("rows", func(t *testing.T) {
		for i, row := range goodbyeRows() {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				p := testPlayer(t, bareServer(t, func(c net.Conn, in *bufio.Reader) {
					if _, err := readFrame(in); err == nil {
						io.WriteString(c, row.bytes)
					}
				}), Target{})
				opened(t, p)
				held := p.playStep(answered.Steps[0]) && len(p.findings) == 0
				if held == row.fails {
					t.Errorf("%s held: %v: %v", answered.ID, held, p.findings)
				}
				said := "–"
				if len(p.findings) > 0 {
					said = p.findings[0].Problem
				}
				page[i] = fmt.Sprintf("| %s | %s | %s |\n", row.name, map[bool]string{true: "fails", false: "holds"}[row.fails], said)
			})
		}
	})
	if !t.Failed() {
		golden(t, "goodbyes", "| The server answers a Close with | PTY-113 | The finding |\n|---|---|---|\n"+strings.Join(page, ""))
	}
}

// bundled is a test of the bundled suites of agentic-sandbox-v2.
func bundled(t *testing.T, id string) *suites.Test {
	t.Helper()
	profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	for _, suite := range profile.Suites {
		for _, test := range suite.Tests {
			if test.ID == id {
				return test
			}
		}
	}
	t.Fatalf("no test %s", id)
	return nil
}

// golden holds a table against the page that publishes it. WEBSOCKET_PAGE=update writes the page anew.
func golden(t *testing.T, name, table string) {
	t.Helper()
	const page = "../../docs/websocket.md"
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	pageLock <- struct{}{}
	defer func() { <-pageLock }()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	was, tail, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no place for %s", page, name)
	}
	if os.Getenv("WEBSOCKET_PAGE") == "update" {
		if err := os.WriteFile(page, []byte(head+begin+table+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if was != table {
		shown, _ := json.Marshal(table)
		t.Errorf("%s is not what is measured; write it anew with WEBSOCKET_PAGE=update: %s", page, shown)
	}
}

var pageLock = make(chan struct{}, 1)
