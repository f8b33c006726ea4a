// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// behind puts something in front of a handler.
type behind func(http.Handler) http.Handler

// How long a test is willing to wait for what will not come: quick where every answer may be late, patient where others
// have to be in time.
const (
	quick   = 300 * time.Millisecond
	patient = 1500 * time.Millisecond
)

func diagnosed(t *testing.T, address string, config target.Config, timeout time.Duration) *Diagnosis {
	t.Helper()
	config.ExecutorURL = address
	if config.Tokens == nil {
		config.Tokens = map[string]string{"instance": wardToken, "admin": wardAdmin}
	}
	d, err := Diagnose(t.Context(), profiles.Of("agentic-sandbox-v2"), config, Options{Limits: target.Limits{Request: timeout}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{wardToken, wardAdmin} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("the diagnosis shows a token: %s", text)
		}
	}
	return d
}

// shows wants checks, each written "grade topic: words that are in what was seen or what to do".
func shows(t *testing.T, d *Diagnosis, verdict report.Verdict, wants ...string) {
	t.Helper()
	var all strings.Builder
	for _, c := range d.Checks {
		fmt.Fprintf(&all, "\n%s %s: %s -> %s", c.Grade, c.Topic, c.Seen, c.Do)
	}
	for _, want := range wants {
		head, words, _ := strings.Cut(want, ": ")
		found := false
		for _, c := range d.Checks {
			found = found || string(c.Grade)+" "+c.Topic == head && strings.Contains(c.Seen+" -> "+c.Do, words)
		}
		if !found {
			t.Errorf("no check says %q:%s", want, &all)
		}
	}
	for _, c := range d.Checks {
		expected := c.Grade != Failing
		for _, want := range wants {
			expected = expected || strings.HasPrefix(want, "fail "+c.Topic+":")
		}
		if !expected {
			t.Errorf("%s fails too:%s", c.Topic, &all)
		}
	}
	if d.Verdict != verdict {
		t.Errorf("verdict is %s, want %s:%s", d.Verdict, verdict, &all)
	}
}

const instancePath = "/agents/" + wardInstance

// TestDiagnoseWell: nothing is wrong with a target on which nothing is wrong, named by its instance or by its root.
func TestDiagnoseWell(t *testing.T) {
	t.Parallel()
	for _, path := range []string{instancePath, ""} {
		w := newWard()
		w.prefix = "/pre/fix"
		d := diagnosed(t, serveWard(t, w)+w.prefix+path, target.Config{}, 0)
		shows(t, d, report.Passed,
			"note dns: 127.0.0.1 is an address", "ok tcp: connected to 127.0.0.1:", "ok http: HTTP/1.1", "ok clock: agrees with ours",
			`ok card: "ward", version "1"`, "ok credentials: with the instance token: status is 200, without one 401",
			"ok admin: with 1 instances that are ready", "ok stream: live: the header came after", "ok compression: as it is",
			"ok upgrade: answered with 404, a plain GET with 426, so the headers of the upgrade arrive", "note idle: not measured")
		select {
		case <-w.canceled:
		default:
			t.Error("the task was not cancelled")
		}
	}
}

// atOnceOnly is a proxy that collects an answer before it passes anything on.
func atOnceOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		collected := httptest.NewRecorder()
		h.ServeHTTP(collected, q)
		for name, lines := range collected.Header() {
			out.Header()[name] = lines
		}
		out.WriteHeader(collected.Code)
		_, _ = out.Write(collected.Body.Bytes())
	})
}

// headFirst is a proxy that passes the header on at once, and collects the body.
func headFirst(h http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		h.ServeHTTP(&unflushed{ResponseWriter: out, held: &bytes.Buffer{}}, q)
	})
}

// unflushed sends its header with the first flush and holds a stream's body until its handler has returned.
type unflushed struct {
	http.ResponseWriter
	held *bytes.Buffer
}

func (u *unflushed) Write(b []byte) (int, error) {
	if u.Header().Get("Content-Type") == "text/event-stream" && !strings.Contains(string(b), `"canceled"`) {
		return u.held.Write(b)
	}
	if _, err := u.held.WriteTo(u.ResponseWriter); err != nil {
		return 0, err
	}
	return u.ResponseWriter.Write(b)
}

func (u *unflushed) Flush() { u.ResponseWriter.(http.Flusher).Flush() }

// zipped compresses streams for whoever takes it; held says whether it flushes the compressor too.
func zipped(held bool) behind {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
			if !strings.Contains(q.Header.Get("Accept-Encoding"), "gzip") {
				h.ServeHTTP(out, q)
				return
			}
			out.Header().Set("Content-Encoding", "gzip")
			z := &zipping{ResponseWriter: out, z: gzip.NewWriter(out), held: held}
			h.ServeHTTP(z, q)
			_ = z.z.Close()
		})
	}
}

type zipping struct {
	http.ResponseWriter
	z    *gzip.Writer
	held bool
}

func (z *zipping) Write(b []byte) (int, error) { return z.z.Write(b) }

func (z *zipping) Flush() {
	if !z.held {
		_ = z.z.Flush()
	}
	z.ResponseWriter.(http.Flusher).Flush()
}

// TestDiagnoseStreams: what is done to streams on the way is told from an executor that is slow or quiet.
func TestDiagnoseStreams(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proxy  behind
		change func(*ward)
		wait   time.Duration
		want   string
		fails  bool
	}{
		"a proxy collects the whole answer": {proxy: atOnceOnly, wait: patient, fails: true,
			want: "fail stream: buffered: nothing came for 1.5s, and header and events at once when the task was cancelled -> let the executor flush every event, and every proxy pass it on as it comes: nginx proxy_buffering off"},
		"a proxy collects the body": {proxy: headFirst, wait: patient, fails: true,
			want: "fail stream: buffered: the header came, but no event for 1.5s, and all of them at once"},
		"the executor is quiet at first": {change: func(w *ward) { w.silent = true }, wait: patient,
			want: "warn stream: no event before the task was cancelled, and 1 then"},
		"a proxy compresses, and passes on":  {proxy: zipped(false), want: `warn compression: encoded ("gzip"); the first event came through`},
		"a proxy compresses, and holds back": {proxy: zipped(true), wait: patient, want: `fail compression: encoded ("gzip"), and no event came while the task was open`, fails: true},
		"the stream is refused": {fails: true, want: "fail stream: status is 403", change: func(w *ward) {
			w.routes["GET /tasks/task-1/subscribe"] = func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(403) }
		}},
		"the stream is a page": {fails: true, want: "fail stream: no event stream: text/html", change: func(w *ward) {
			w.routes["GET /tasks/task-1/subscribe"] = func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "<html>") }
		}},
		"nothing ever comes": {wait: patient, fails: true, want: "fail stream: nothing came for 1.5s, and nothing when the task was cancelled either", change: func(w *ward) {
			w.routes["GET /tasks/task-1/subscribe"] = func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }
		}},
		"the task ends by itself": {want: "warn stream: the task ended by itself, and its 2 events came within", change: func(w *ward) { close(w.canceled); w.once.Do(func() {}) }},
		"the task has ended already": {want: "note stream: the task has ended at once", change: func(w *ward) {
			w.routes["POST /messages:send"] = func(out http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(out, `{"id":"task-1","status":{"state":"completed"}}`)
			}
		}},
		"no task can be started": {want: "warn stream: no task could be started: POST", change: func(w *ward) {
			w.routes["POST /messages:send"] = func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(503) }
		}},
		"messages are taken bare": {want: "ok stream: live", change: func(w *ward) {
			w.routes["POST /messages:send"] = func(out http.ResponseWriter, q *http.Request) {
				if body, _ := io.ReadAll(q.Body); bytes.Contains(body, []byte(`"message":`)) {
					out.WriteHeader(400)
				}
				fmt.Fprint(out, `{"id":"task-1","status":{"state":"working"}}`)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard()
			if c.change != nil {
				c.change(w)
			}
			var h http.Handler = w
			if c.proxy != nil {
				h = c.proxy(w)
			}
			verdict := report.Passed
			if c.fails {
				verdict = report.Failed
			}
			d := diagnosed(t, serveWard(t, h)+instancePath, target.Config{}, c.wait)
			shows(t, d, verdict, c.want)
		})
	}
}

// TestDiagnoseUpgrades: what proxies answer to an upgrade that they do not pass on is told from what an executor answers.
func TestDiagnoseUpgrades(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(code) }
	}
	for name, c := range map[string]struct {
		attach  http.HandlerFunc
		session []string
		want    string
	}{
		"as a plain request":         {status(200), nil, "fail upgrade: is answered with 200, as if it were a plain request -> let every proxy pass the upgrade on: nginx proxy_http_version 1.1; proxy_set_header Upgrade"},
		"the headers are lost, 400":  {status(400), nil, "fail upgrade: answered with 400, and so is a plain GET: the headers of the upgrade do not reach the executor"},
		"the headers are lost, 426":  {status(426), nil, "fail upgrade: answered with 426, and so is a plain GET"},
		"a bad gateway":              {status(502), nil, "fail upgrade: answered with 502: a proxy could not hand it on"},
		"a redirect":                 {http.RedirectHandler("/login", http.StatusFound).ServeHTTP, nil, "fail upgrade: a redirect, which no WebSocket client follows"},
		"the token is lost":          {status(401), nil, "fail upgrade: answered with 401, though the same token opens the tasks"},
		"nobody knows":               {status(404), nil, "note upgrade: and so is a plain GET, so that it is unknown whether upgrades get through"},
		"a session that is gone":     {status(404), []string{"s-1"}, "fail upgrade: the upgrade for the terminal session of --session is answered with 404 at http://"},
		"busy":                       {status(429), nil, "warn upgrade: answered with 429"},
		"no answer":                  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil, "fail upgrade: gets no answer"},
		"a changed handshake":        {func(out http.ResponseWriter, q *http.Request) { out.WriteHeader(400 + 26*len(q.Header["Origin"])) }, nil, "fail upgrade: 400"},
		"upgraded, and ended":        {upgrading("pty-ws.v1", true), []string{"s-1"}, "fail terminal: the connection of the terminal session of --session ended before anything came"},
		"upgraded, no subprotocol":   {upgrading("", true), nil, "warn upgrade: names no subprotocol, though pty-ws.v1 was offered"},
		"upgraded, another one":      {upgrading("chat", true), nil, `warn upgrade: the subprotocol "chat"`},
		"upgraded by somebody else":  {upgrading("pty-ws.v1", false), nil, "fail upgrade: Sec-WebSocket-Accept is not made of the key"},
		"an executor, no such thing": {nil, nil, "ok upgrade: so the headers of the upgrade arrive"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard()
			w.attach = c.attach
			verdict := report.Passed
			if strings.HasPrefix(c.want, "fail") {
				verdict = report.Failed
			}
			shows(t, diagnosed(t, serveWard(t, w)+instancePath, target.Config{Sessions: c.session}, 0), verdict, c.want)
		})
	}
}

// upgrading answers 101 by hand.
func upgrading(subprotocol string, keyed bool) http.HandlerFunc {
	return func(out http.ResponseWriter, q *http.Request) {
		conn, _, err := http.NewResponseController(out).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		accept := "AAAAAAAAAAAAAAAAAAAAAAAAAAA="
		if keyed {
			accept = wire.AcceptFor(q.Header.Get("Sec-WebSocket-Key"))
		}
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n", accept)
		if subprotocol != "" {
			fmt.Fprintf(conn, "Sec-WebSocket-Protocol: %s\r\n", subprotocol)
		}
		fmt.Fprint(conn, "\r\n")
	}
}

// TestDiagnoseAddresses: redirects, pages for people, and addresses that name too much say which address would do.
func TestDiagnoseAddresses(t *testing.T) {
	t.Parallel()
	other := serveWard(t, http.NotFoundHandler())
	redirect := func(to func(*http.Request) string) behind {
		return func(http.Handler) http.Handler {
			return http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
				http.Redirect(out, q, to(q), http.StatusMovedPermanently)
			})
		}
	}
	for name, c := range map[string]struct {
		proxy   behind
		path    string
		verdict report.Verdict
		want    []string
	}{
		"to https": {redirect(func(q *http.Request) string { return "https://127.0.0.1:8443" + q.URL.Path }), instancePath, report.Failed,
			[]string{"fail redirect: give --executor-url https://127.0.0.1:8443" + instancePath + ": redirects are not followed, and a token would have gone in the clear"}},
		"to a login": {redirect(func(*http.Request) string { return other + "/login?next=x" }), instancePath, report.Failed,
			[]string{"fail redirect: if that is where people log in, exempt the paths of the executor"}},
		"to a slash": {redirect(func(q *http.Request) string { return q.URL.Path + "/" }), instancePath, report.Failed,
			[]string{"fail redirect: only changes the slash at the end"}},
		"to another path": {redirect(func(q *http.Request) string { return "/moved" + q.URL.Path }), instancePath, report.Failed,
			[]string{"fail redirect: /moved" + instancePath}},
		"nowhere": {func(http.Handler) http.Handler {
			return http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(302) })
		}, instancePath, report.Failed, []string{"fail redirect: which leads nowhere"}},
		"a path too much": {nil, "/ui/x", report.Failed,
			[]string{"warn instance: no instance was found", "fail card: an executor answers at http://127.0.0.1:", "fail credentials: status is 404"}},
		"a prefix too much": {nil, "/api/v9" + instancePath, report.Failed, []string{"fail card: an executor answers at http://127.0.0.1:", "fail credentials: 404"}},
		"a page for people": {func(http.Handler) http.Handler {
			return http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "<html>welcome") })
		}, instancePath, report.Failed, []string{`fail card: that is a page for people`, "warn credentials: and without one too"}},
		"nothing behind the proxy": {func(http.Handler) http.Handler {
			return http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(503) })
		}, instancePath, report.Failed, []string{"fail card: a proxy answers, but cannot reach the executor behind it", "fail credentials: 503"}},
		"a proxy that names itself": {func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
				out.Header().Set("Server", "nginx/1.27")
				out.Header().Set("Via", "1.1 front\u202e")
				h.ServeHTTP(out, q)
			})
		}, instancePath, report.Passed, []string{`note between: Server: nginx/1.27; Via: 1.1 front\u{202e}`, "note idle: nginx ends a connection that is silent for 1m0s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h http.Handler = newWard()
			if c.proxy != nil {
				h = c.proxy(h)
			}
			d := diagnosed(t, serveWard(t, h)+c.path, target.Config{}, 0)
			shows(t, d, c.verdict, c.want...)
			for _, check := range d.Checks {
				if strings.ContainsAny(check.Seen+check.Do, "\x1b\n\u202e") {
					t.Errorf("%s shows what the target wants a terminal to do: %q", check.Topic, check.Seen)
				}
			}
		})
	}
}

// TestDiagnoseClocks: the clock of the target is judged by the room that the contract leaves.
func TestDiagnoseClocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead   time.Duration
		verdict report.Verdict
		want    string
	}{
		"in time":      {0, report.Passed, "ok clock: agrees with ours"},
		"a minute":     {time.Minute, report.Passed, "warn clock: ahead of ours"},
		"behind":       {-time.Minute, report.Passed, "warn clock: behind ours"},
		"ten minutes":  {10 * time.Minute, report.Failed, "fail clock: five minutes of room"},
		"long ago":     {-24 * time.Hour, report.Failed, "fail clock: behind ours"},
		"no such time": {-1, report.Passed, "warn clock: no Date header that could be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard()
			address := serveWard(t, http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
				out.Header().Set("Date", time.Now().Add(c.ahead).UTC().Format(http.TimeFormat))
				if c.ahead == -1 {
					out.Header().Set("Date", "yesterday")
				}
				w.ServeHTTP(out, q)
			}))
			shows(t, diagnosed(t, address+instancePath, target.Config{}, 0), c.verdict, c.want)
		})
	}
}

func jwt(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + "." + encode([]byte("signature"))
}

// TestDiagnoseTokens: a JWT that is not valid now is said to be, by its times alone.
func TestDiagnoseTokens(t *testing.T) {
	t.Parallel()
	now := time.Now().Unix()
	for name, c := range map[string]struct {
		token   string
		verdict report.Verdict
		want    string
	}{
		"expired":             {jwt(fmt.Sprintf(`{"exp":%d,"sub":"somebody"}`, now-3600)), report.Failed, "fail token: the token of instance expired on"},
		"not yet valid":       {jwt(fmt.Sprintf(`{"nbf":%d}`, now+3600)), report.Failed, "fail token: is valid from"},
		"too short for a run": {jwt(fmt.Sprintf(`{"exp":%d}`, now+60)), report.Passed, "warn token: and a run may take 30m0s (--max-time)"},
		"long enough":         {jwt(fmt.Sprintf(`{"exp":%d.5}`, now+7200)), report.Passed, "ok token: the token of instance is valid until"},
		"no times":            {jwt(`{"exp":"tomorrow","nbf":1e300}`), report.Passed, "ok credentials: status is 200"},
		"no JWT":              {"a.b.c", report.Passed, "ok credentials: status is 200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard()
			w.token = c.token
			d := diagnosed(t, serveWard(t, w)+instancePath, target.Config{Tokens: map[string]string{"instance": c.token}}, 0)
			shows(t, d, c.verdict, c.want)
			for _, check := range d.Checks {
				if strings.Contains(check.Seen, c.token) || strings.Contains(check.Seen, "somebody") {
					t.Errorf("%s shows more of the token than its times: %s", check.Topic, check.Seen)
				}
			}
		})
	}
}

// TestDiagnoseCredentials: who is refused is told what to give.
func TestDiagnoseCredentials(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tokens  map[string]string
		open    bool
		verdict report.Verdict
		want    []string
	}{
		"another token":       {map[string]string{"instance": "not-the-right-token"}, false, report.Unauthorized, []string{"fail credentials: with the instance token: status is 401 -> is it the token of this deployment"}},
		"no token":            {map[string]string{}, false, report.Unauthorized, []string{"fail credentials: without a token: status is 401 -> give a token: --token-file"}},
		"another admin token": {map[string]string{"instance": wardToken, "admin": "not-the-right-token"}, false, report.Unauthorized, []string{"fail admin: with the admin token: status is 401"}},
		"the tokens swapped":  {map[string]string{"instance": wardAdmin, "admin": wardToken}, false, report.Unauthorized, []string{"fail credentials: with the instance token: status is 401 -> swap them", "fail admin: with the admin token: status is 401 -> swap them: the target takes the token of --admin-token as the instance's"}},
		"no admin token":      {map[string]string{"instance": wardToken}, false, report.Passed, []string{"note admin: with the instance token: status is 401; what needs the admin surface is skipped"}},
		"nobody is refused":   {map[string]string{"instance": wardToken}, true, report.Passed, []string{"warn credentials: and without one too"}},
		"nobody needs one":    {map[string]string{}, true, report.Passed, []string{"ok credentials: without a token: status is 200"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard()
			if c.open {
				w.token, w.admin = "", ""
			}
			shows(t, diagnosed(t, serveWard(t, w)+instancePath, target.Config{Tokens: c.tokens}, 0), c.verdict, c.want...)
		})
	}
}

// TestDiagnoseUnreachable: without a connection, what is in the way is said, and nothing else is looked at.
func TestDiagnoseUnreachable(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	shows(t, diagnosed(t, closed.URL, target.Config{}, 0), report.Unreachable, "fail tcp: connection refused -> is the port right")
	shows(t, diagnosed(t, "http://no-such-host.invalid/", target.Config{}, 0), report.Unreachable, "fail dns: no address for no-such-host.invalid")
	plain := serveWard(t, newWard())
	shows(t, diagnosed(t, strings.Replace(plain, "http://", "https://", 1), target.Config{}, 0), report.Unreachable, "fail tls: does not speak TLS -> does the port speak plain HTTP?")
	secured := httptest.NewUnstartedServer(newWard())
	secured.Config.ErrorLog = quiet
	secured.StartTLS()
	t.Cleanup(secured.Close)
	shows(t, diagnosed(t, strings.Replace(secured.URL, "https://", "http://", 1), target.Config{}, 0), report.Unreachable, "fail http: the address begins with http:// -> give the https:// address")
	at, err := url.Parse(plain)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := diagnosed(t, "http://localhost:"+at.Port()+instancePath, target.Config{}, 0)
	shows(t, elsewhere, elsewhere.Verdict, "ok dns: localhost is ", "ok card: ")
}
