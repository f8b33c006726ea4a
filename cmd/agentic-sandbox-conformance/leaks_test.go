// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/encodings"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
)

// How long TestNothingLeaks plays, and what it begins with.
var (
	leakTime = flag.Duration("leak-time", 0, "how long TestNothingLeaks plays; 0: three runs")
	leakSeed = flag.Uint64("leak-seed", 7, "decides about tokens, encoders and places of the first run of TestNothingLeaks")
)

// maxShownOf is how many characters of a token are no longer the end of something that was cut.
const maxShownOf = 16

// leakPlaces are the places in which a target or a hook says what it was told, and the step that looks there.
var leakPlaces = []struct{ name, steps string }{
	{"header", "- {request: \"GET ${base}/leak/header\", expect: {status: 299, header.X-Said: nothing}}"},
	{"body", "- {request: \"GET ${base}/leak/body\", expect: {text: nothing}}"},
	{"long-body", "- {request: \"GET ${base}/leak/long-body\", expect: {text: nothing}}"},
	{"json", "- {request: \"GET ${base}/leak/json\", expect: {json.detail: nothing, json.status: 1}}"},
	{"key", "- {request: \"GET ${base}/leak/key\", expect: {json: {equals: {a: 1}}}}"},
	{"reason", "- {request: \"GET ${base}/leak/reason\", expect: {status: 299}}"},
	{"malformed", "- {request: \"GET ${base}/leak/malformed\", expect: {status: 299}}"},
	{"redirect", "- {request: \"GET ${base}/leak/redirect\", redirects: 1, expect: {status: 299}}"},
	{"sse", "- {stream: \"GET ${base}/leak/sse\", until: closed, within: 5s, expect: {events: [], text: nothing}}"},
	{"refused", "- {open: \"${base}/leak/refused\", expect: {status: 101, text: nothing}}"},
	{"frames", "- {open: \"${base}/leak/frames\", expect: {status: 101}}\n      - {receive: {frame.text: nothing}, within: 1s}"},
	{"close", "- {open: \"${base}/leak/close\", expect: {status: 101}}\n      - {close: wait, expect: {closed.code: 4999, closed.reason: nothing}}"},
	{"hook-out", "- {hook: leak-out, expect: {result: nothing}}"},
	{"hook-err", "- {hook: leak-err, expect: {result: nothing}}"},
}

// oneLine are the places that hold one line.
var oneLine = map[string]bool{"header": true, "reason": true, "malformed": true, "redirect": true, "sse": true}

// inPieces are the places that hold a text in pieces, or the beginning of one.
var inPieces = map[string]bool{"frames": true, "sse": true}

// A leaking server says an encoded secret in the place that is asked for, and is an executor otherwise.
type leaking struct {
	said atomic.Pointer[map[string]string] // by place
	rest http.Handler
}

// pieces are the lines or frames that a text comes in.
func (l *leaking) pieces(text string) []string {
	cut := len(text) / 2
	return []string{text[:cut], text[cut:]}
}

// ServeHTTP implements http.Handler.
func (l *leaking) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	_, place, is := strings.Cut(q.URL.Path, "/leak/")
	if !is {
		l.rest.ServeHTTP(w, q)
		return
	}
	text := (*l.said.Load())[place]
	line := strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text)
	raw := func(answer string) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte(answer))
	}
	switch place {
	case "header":
		w.Header().Set("X-Said", line)
		w.Header().Add("Set-Cookie", "said="+line)
	case "body", "long-body":
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, text)
	case "json":
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]any{"title": "no", "status": 401, "detail": "said " + text})
	case "key":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{text: map[string]any{text: []string{text}}})
	case "reason":
		raw("HTTP/1.1 500 " + line + "\r\nContent-Length: 0\r\n\r\n")
	case "malformed":
		raw(line + "\r\n" + line + "\r\n\r\n")
	case "redirect":
		raw("HTTP/1.1 302 Found\r\nLocation: /leak/elsewhere?said=" + line + "\r\nContent-Length: 0\r\n\r\n")
	case "sse":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": %s\nid: %s\nevent: %s\n", line, line, line)
		for _, piece := range l.pieces(text) {
			fmt.Fprintf(w, "data: %s\n", strings.NewReplacer("\r", "", "\n", "").Replace(piece))
			_ = http.NewResponseController(w).Flush()
		}
		fmt.Fprint(w, "\n")
	case "refused":
		http.Error(w, text, http.StatusForbidden)
	case "frames", "close":
		conn, err := websocket.Accept(w, q, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		if place == "close" {
			_ = conn.Close(4001, text[:min(len(text), 120)])
			return
		}
		message, err := conn.Writer(q.Context(), websocket.MessageText)
		if err != nil {
			return
		}
		for _, piece := range l.pieces(text) {
			_, _ = message.Write([]byte(piece))
		}
		_ = message.Close()
		_, _, _ = conn.Read(q.Context())
	}
}

// A random token that went through a random chain of encoders, said in any place, is in nothing that a run writes.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	l := &leaking{}
	l.said.Store(&map[string]string{})
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	e := serving(t, executor.Config{PublicURL: server.URL})
	to, err := url.Parse(e.InstanceURLs()[0])
	if err != nil {
		t.Fatal(err)
	}
	root := &url.URL{Scheme: to.Scheme, Host: to.Host}
	l.rest = &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(root); p.Out.Host = p.In.Host }, FlushInterval: -1}

	until := time.Now().Add(*leakTime)
	runs := 0
	for seed := *leakSeed; runs < 3 && *leakTime == 0 || time.Now().Before(until); seed++ {
		runs++
		leaksNothing(t, l, server.URL+to.Path, seed)
		if t.Failed() {
			break
		}
	}
	t.Logf("%d runs of %d places from -leak-seed %d", runs, len(leakPlaces), *leakSeed)
}

// leaksNothing plays one run: what a seed decides about it is all there is.
func leaksNothing(t *testing.T, l *leaking, at string, seed uint64) {
	t.Helper()
	chosen := mathrand.New(mathrand.NewPCG(seed, 0))
	token := randomToken(chosen)
	places := map[string]string{}
	names := make([]string, 0, len(encodings.All))
	for name := range encodings.All {
		names = append(names, name)
	}
	slices.Sort(names)
	chains, encoded, most := map[string]string{}, map[string]string{}, map[string]int{}
	folder := t.TempDir()
	var suite strings.Builder
	suite.WriteString("suite: Leaks\ncontract: our handbook\nsurface: own\ntests:\n")
	for i, place := range leakPlaces {
		first, second := names[chosen.IntN(len(names))], names[chosen.IntN(len(names))]
		fits := encodings.Usual
		if inPieces[place.name] {
			fits = encodings.Cuttable
		}
		for !fits(first, second) {
			first, second = names[chosen.IntN(len(names))], names[chosen.IntN(len(names))]
		}
		if place.name == "json" || place.name == "key" { // the server writes JSON, which is the second
			second = "as it is"
		}
		if strings.Contains(encodings.All[second](encodings.All[first](token)), "\n") && oneLine[place.name] {
			first, second = "as it is", "json"
		}
		chains[place.name] = first + ", then " + second
		text := encodings.All[second](encodings.All[first](token))
		encoded[place.name], most[place.name] = text, encodings.Most(first, second, token, maxShownOf)
		switch place.name {
		case "close": // a reason has at most 123 bytes
			chains[place.name], text = "as it is", token
			encoded[place.name], most[place.name] = token, maxShownOf
		case "long-body":
			text = strings.Repeat("x. ", chosen.IntN(9000)) + text + strings.Repeat(" .y", chosen.IntN(9000))
		default:
			text = "said: " + text + " (that)"
		}
		places[place.name] = text
		fmt.Fprintf(&suite, "  - id: LEAK-%03d\n    test: place_%d\n    must: say nothing\n    source: handbook 1\n    steps:\n      %s\n", i+1, i+1, place.steps)
	}
	l.said.Store(&places)
	writeFile(t, filepath.Join(folder, "out.txt"), places["hook-out"])
	writeFile(t, filepath.Join(folder, "err.txt"), places["hook-err"])
	if err := os.Mkdir(filepath.Join(folder, "own"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "own", "leaks.yaml"), suite.String())
	writeFile(t, filepath.Join(folder, "config.yaml"), fmt.Sprintf("hooks:\n  leak-out: {command: [cat, %q]}\n  leak-err: {command: [sh, -c, 'cat \"$0\" >&2; exit 3', %q]}\n",
		filepath.Join(folder, "out.txt"), filepath.Join(folder, "err.txt")))
	code, stdout, stderr := said("run", "--executor-url", at, "--token", token, "-v", "--evidence", "all", "--suite-dir", filepath.Join(folder, "own"),
		"--config", filepath.Join(folder, "config.yaml"), "--run", "LEAK-*", "--timeout", "3s", "--report-format", "html,json,junit,markdown", "--report-out", filepath.Join(folder, "out", "report.json"))
	if code != exitFail {
		t.Errorf("exit code is %d: %s", code, stderr)
	}
	written := map[string]string{"standard output": stdout, "standard error": stderr}
	for _, name := range []string{"report.html", "report.json", "report.junit.xml", "report.md"} {
		text, err := os.ReadFile(filepath.Join(folder, "out", name))
		if err != nil {
			t.Fatal(err)
		}
		written[name] = string(text)
		if unescaped := html.UnescapeString(string(text)); name != "report.json" {
			written[name+", unescaped"] = unescaped
		}
	}
	var strs []string
	var report any
	if err := json.Unmarshal([]byte(written["report.json"]), &report); err != nil {
		t.Fatal(err)
	}
	everyText(report, &strs)
	written["report.json, unescaped"] = strings.Join(strs, "\n")
	if !strings.Contains(written["report.json"], "[redacted]") {
		t.Error("nothing was taken out: nobody has said anything")
	}
	for file, text := range written {
		for _, place := range leakPlaces {
			for what, secret := range map[string]string{"the token": token, chains[place.name]: encoded[place.name]} {
				if i := encodings.Find(text, secret, token, most[place.name]); i >= 0 {
					t.Errorf("seed %d: %s shows %q, said in the place %q: %q", seed, file, what, place.name, text[max(0, i-80):min(len(text), i+120)])
				}
			}
		}
	}
}

// everyText collects the texts of a JSON value, names of members included.
func everyText(value any, all *[]string) {
	switch v := value.(type) {
	case string:
		*all = append(*all, v)
	case []any:
		for _, one := range v {
			everyText(one, all)
		}
	case map[string]any:
		for name, one := range v {
			*all = append(*all, name)
			everyText(one, all)
		}
	}
}

// randomToken is a token in one of the alphabets that tokens have.
func randomToken(chosen *mathrand.Rand) string {
	alphabet := []string{
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=",
		"0123456789abcdef",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/",
	}[chosen.IntN(4)]
	var b bytes.Buffer
	for range 24 + chosen.IntN(40) {
		b.WriteByte(alphabet[chosen.IntN(len(alphabet))])
	}
	return b.String()
}
