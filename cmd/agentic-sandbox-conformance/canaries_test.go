// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
)

// canaries are secrets by where they were given, one for every place that takes some.
type canaries map[string]string

// canary makes the secret of a place up. Its length modulo 3 differs from place to place, and so does its base64.
func (c canaries) canary(place string) string {
	if c[place] == "" {
		c[place] = "canary7" + strings.ReplaceAll(place, " ", "") + rand.Text()
	}
	return c[place]
}

// forms are the ways in which a canary can stand in a file, thought up apart from those that the runner knows.
func (c canaries) forms() map[string]string {
	forms := map[string]string{}
	for place, secret := range c {
		b := []byte(secret)
		quoted, _ := json.Marshal(secret)
		var percent, escaped strings.Builder
		for _, one := range b {
			fmt.Fprintf(&percent, "%%%02X", one)
			fmt.Fprintf(&escaped, `\u%04x`, one)
		}
		for name, form := range map[string]string{
			"as it is": secret, "in JSON": string(quoted[1 : len(quoted)-1]), "in a URL": url.QueryEscape(secret), "in hex": hex.EncodeToString(b),
			"in percents": percent.String(), "in escapes": escaped.String(), "its first half, cut": secret[:len(secret)/2] + "...",
			"its second half": secret[len(secret)/2:],
		} {
			forms[place+", "+name] = form
		}
		for before := range 3 {
			for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
				text := encoding.EncodeToString(append(bytes.Repeat([]byte{' '}, before), b...))
				forms[fmt.Sprintf("%s, in %s at %d", place, name, before)] = text[4 : len(text)-4]
			}
		}
	}
	return forms
}

// in complains about each canary that stands in a text.
func (c canaries) in(t *testing.T, where, text string) {
	t.Helper()
	for form, secret := range c.forms() {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%s: the secret of %s: ...%q...", where, form, text[max(0, at-120):min(len(text), at+60)])
		}
	}
}

// conforms plays `run` as a process of its own, with all formats, and returns all that it has written.
func conforms(t *testing.T, stdin string, env []string, args ...string) (code int, written map[string]string) {
	t.Helper()
	return playedOnce(t, stdin, env, append(args, "--report-format", strings.Join(formats.FormatNames(), ","), "--report-out", "report.md")...)
}

// playedOnce plays the program as a process of its own, and returns all that it has written: by file, and what it said.
func playedOnce(t *testing.T, stdin string, env []string, args ...string) (code int, written map[string]string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, self, args...)
	c.Args[0] = program
	c.Dir = folder
	c.Stdin = strings.NewReader(stdin)
	c.Env = append(os.Environ(), append(env, "GITHUB_STEP_SUMMARY="+filepath.Join(folder, "summary.md"))...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	written = map[string]string{"standard output": stdout.String(), "standard error": stderr.String()}
	files, readErr := os.ReadDir(folder)
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		written[file.Name()] = string(text)
	}
	return codeOf(err), written
}

// A target that repeats whatever it is told, and hooks that do the same, get no secret into anything that the program
// writes, wherever it was given.
func TestCanaries(t *testing.T) {
	t.Parallel()
	all := canaries{}
	instance, admin, observe := all.canary("stdin"), all.canary("environment"), all.canary("config token")
	operator, foreign := all.canary("expanded token"), all.canary("foreign token")
	hookHeader, hookValue, hookAnswer := all.canary("hook header"), all.canary("hook value"), all.canary("hook answer")
	hookVariable, hookArgument := all.canary("hook environment"), all.canary("hook argument")
	header, custom, proxy := all.canary("header"), all.canary("header of any name"), all.canary("proxy")
	folder := t.TempDir()

	keys := filepath.Join(folder, "keys.json")
	all["private key"] = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
	writeFile(t, keys, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d" : "`+all["private key"]+`"}]}`)
	_, cert, key := newAuthority(t, "our authority").issue("client", x509.ExtKeyUsageClientAuth)
	pemText, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(pemText)
	all["client key"] = base64.StdEncoding.EncodeToString(block.Bytes)[:40]

	// The operator's service says in every answer what it was told.
	var asks atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked := asks.Add(1)
		if asked%2 == 0 {
			http.Error(w, fmt.Sprintf("no: %v", q.Header), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"session_id":"018fc0a2-1111-7aaa-bbbb-%012d","token":%q,"said":%q}`, asked, hookAnswer, fmt.Sprint(q.Header))
	}))
	t.Cleanup(service.Close)
	config := filepath.Join(folder, "config.yaml")
	writeFile(t, config, fmt.Sprintf(`
tokens: {operator: "${EXPANDED}", observe: %s, foreign: %s}
header: ["X-Api-Key: %s", "X-Whatever: %s"]
hooks:
  create-session: {url: "%s/sessions", header: {Authorization: Bearer %s, X-Any: %s}}
  second-instance: {value: {id: 018fc0a2-8888-7aaa-bbbb-ccccddddeeee, token: %s}}
  restart: {command: [sh, -c, "echo $HOOK_SECRET $0 >&2; exit 1", "--password=%s"]}
  provision: {value: {body: {runtime: docker, env: {API_KEY: %s}}}}
`, observe, foreign, header, custom, service.URL, hookHeader, hookHeader, hookValue, hookArgument, hookValue))
	env := []string{"AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN=" + admin, "EXPANDED=" + operator, "HOOK_SECRET=" + hookVariable,
		"HTTP_PROXY=http://someone:" + proxy + "@127.0.0.1:1"}

	for _, server := range []struct {
		place gauntlet.Place
		name  string
	}{
		{gauntlet.Everywhere, "an echo of what was sent"},
		{gauntlet.BesideTheCard, "an echo of what was sent"},
		{gauntlet.BesideTheCard, "an echo of what was sent, in a right answer"},
		{gauntlet.AtTheTerminal, "an echo of what was sent"},
	} {
		for _, said := range []string{"-v", "-q"} {
			if said == "-q" && server.place != gauntlet.BesideTheCard {
				continue
			}
			t.Run(string(server.place)+": "+server.name+" "+said, func(t *testing.T) {
				t.Parallel()
				at := hostile(t, server.place, server.name, executor.Config{Token: instance, AdminToken: admin, OperatorToken: operator, ObserveToken: observe, ForeignToken: foreign})
				args := []string{"--executor-url", at, "--config", config, "--token-file", "-", said, "--jwks", keys, "--cert", cert, "--key", key,
					"--evidence", "all", "--max-time", "20s", "--timeout", "2s", "--max-wait", "1s",
					"--run", "CARD-*,TASK-00*,TASK-02*,SSE-00*,AUTH-*,PTY-00*,PTY-06*,PUSH-0*,TEN-*,ADM-00*,ERR-00*"}
				code, written := conforms(t, instance, env, args...)
				if code != exitFail && code != exitIncomplete {
					t.Errorf("exit code is %d: %s", code, written["standard error"])
				}
				if len(written) < 5 {
					t.Errorf("too little was written: %d files", len(written))
				}
				if !strings.Contains(written["report.json"], "[redacted]") {
					t.Error("nothing was taken out of the report: nobody has echoed anything")
				}
				for name, text := range written {
					all.in(t, name, text)
				}
			})
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serving serves an executor until the test is over.
func serving(t *testing.T, config executor.Config) *executor.Executor {
	t.Helper()
	e, err := executor.New(config)
	if err != nil {
		t.Fatal(err)
	}
	serves(t, e)
	return e
}

// serves lets a reference server serve until the test is over.
func serves(t *testing.T, s interface {
	Serve() error
	Shutdown(ctx context.Context) error
}) {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
			return
		}
		<-served
	})
}

// hostile serves one of the gauntlet's servers with an executor behind it, and returns the address of the instance.
func hostile(t *testing.T, place gauntlet.Place, name string, config executor.Config) string {
	t.Helper()
	for _, server := range gauntlet.Servers() {
		if server.Place != place || server.Name != name {
			continue
		}
		running, err := server.Start()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(running.Close)
		config.PublicURL = running.Root
		e := serving(t, config)
		to, err := url.Parse(e.InstanceURLs()[0])
		if err != nil {
			t.Fatal(err)
		}
		running.Lead(to)
		return running.URL()
	}
	t.Fatalf("there is no server %q at %s", name, place)
	return ""
}

// The password of a proxy is in nothing that is said about it: when it answers and quotes it, when it is not there, and when
// its address is none.
func TestCanariesOfAProxy(t *testing.T) {
	t.Parallel()
	all := canaries{}
	password, token := all.canary("proxy"), all.canary("token")
	quotes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
		basic := strings.TrimPrefix(q.Header.Get("Proxy-Authorization"), "Basic ")
		plain, _ := base64.StdEncoding.DecodeString(basic)
		fmt.Fprintf(w, "no: %v %s", q.Header, plain)
	}))
	t.Cleanup(quotes.Close)
	there := strings.TrimPrefix(quotes.URL, "http://")
	for _, row := range []struct{ name, proxy string }{
		{"quotes", "http://someone:" + password + "@" + there},
		{"without a scheme", "someone:" + password + "@" + there},
		{"is not there", "http://someone:" + password + "@127.0.0.1:1"},
		{"is no address", "http://someone:" + password + "@[::1"},
		{"is no address, without a scheme", "some one:" + password + "@%zz"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			code, written := conforms(t, "", []string{"HTTP_PROXY=" + row.proxy}, "--executor-url", "http://sandbox.invalid/agents/a", "--token", token, "-v", "--evidence", "all")
			if code == exitPass || code == exitBug {
				t.Errorf("exit code is %d: %s", code, written["standard error"])
			}
			for name, text := range written {
				all.in(t, name, text)
			}
		})
	}
}

// What is refused before the run repeats no secret either.
func TestCanariesOfWhatIsRefused(t *testing.T) {
	t.Parallel()
	all := canaries{}
	secret := all.canary("secret")
	config := func(text string) string {
		path := filepath.Join(t.TempDir(), "config.yaml")
		writeFile(t, path, text)
		return path
	}
	for name, args := range map[string][]string{
		"userinfo":                   {"--executor-url", "http://someone:" + secret + "@127.0.0.1:1/"},
		"userinfo of no URL":         {"--executor-url", "http://someone:" + secret + "@[::1"},
		"userinfo of the admin URL":  {"--executor-url", "http://127.0.0.1:1", "--admin-url", "http://" + secret + "@127.0.0.1:1"},
		"userinfo of the key set":    {"--executor-url", "http://127.0.0.1:1", "--jwks", "http://a:" + secret + "@127.0.0.1:1/"},
		"a token with a blank":       {"--executor-url", "http://127.0.0.1:1", "--token", "Bearer " + secret},
		"a token behind Bearer":      {"--executor-url", "http://127.0.0.1:1", "--token", "Bearer", secret},
		"a header without a name":    {"--executor-url", "http://127.0.0.1:1", "--header", secret},
		"a header in pieces":         {"--executor-url", "http://127.0.0.1:1", "--header", "X-Api-Key:", secret},
		"a flag that is none":        {"--tokn=" + secret},
		"a short flag that is none":  {"-t" + secret},
		"the URL of a hook":          {"--executor-url", "http://127.0.0.1:1", "--config", config("hooks: {restart: {url: \"http://a:" + secret + "@h/\"}}")},
		"a number that is none":      {"--executor-url", "http://127.0.0.1:1", "--config", config("hooks: {x: {value: {password: 2001-01-01 " + secret + "}, y: !!int " + secret + "}}")},
		"a token that is a list":     {"--executor-url", "http://127.0.0.1:1", "--config", config("tokens: {instance: [" + secret + "]}")},
		"a token of nobody":          {"--executor-url", "http://127.0.0.1:1", "--config", config("tokens: {instanc: " + secret + "}")},
		"no YAML":                    {"--executor-url", "http://127.0.0.1:1", "--config", config("token: \"" + secret + "\nx: [")},
		"a token with a line break":  {"--executor-url", "http://127.0.0.1:1", "--config", config("tokens: {operator: \"" + secret + "\\nx\"}")},
		"a header of a hook, broken": {"--executor-url", "http://127.0.0.1:1", "--config", config("hooks: {x: {value: 1, header: {A: " + secret + "}}}")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, env: func(string) (string, bool) { return "", false }}
			if code := a.execute(args); code != exitUsage {
				t.Errorf("exit code is %d, want %d", code, exitUsage)
			}
			all.in(t, "standard output", stdout.String())
			all.in(t, "standard error", stderr.String())
		})
	}
}

// A panickingWriter panics with a secret when it is told of the first test, and is a writer otherwise.
type panickingWriter struct {
	bytes.Buffer
	says     string
	panicked bool
}

func (w *panickingWriter) Write(b []byte) (int, error) {
	if !w.panicked && bytes.Contains(b, []byte("CARD-001")) {
		w.panicked = true
		panic("out of paper: " + w.says)
	}
	return w.Buffer.Write(b)
}

// A panic of our own, with a secret in what it says, ends with 70, a report and no secret.
func TestCanariesOfAPanic(t *testing.T) {
	t.Parallel()
	all := canaries{}
	token := all.canary("token")
	at := hostile(t, gauntlet.InTheCard, "10,000 signatures", executor.Config{Token: token, AdminToken: token})
	out := filepath.Join(t.TempDir(), "report.md")
	stderr := &panickingWriter{says: token + " " + base64.StdEncoding.EncodeToString([]byte("x:"+token))}
	a := &app{stdin: strings.NewReader(token), stdout: io.Discard, stderr: stderr, env: func(string) (string, bool) { return "", false }}
	code := a.execute([]string{"--executor-url", at, "--token-file", "-", "-v", "--run", "CARD-001", "--report-out", out})
	if code != exitBug || !stderr.panicked {
		t.Errorf("exit code is %d, want %d: %s", code, exitBug, stderr.String())
	}
	if !strings.Contains(stderr.String(), "out of paper: [redacted]") || !strings.Contains(stderr.String(), "CONFORMANCE-INCOMPLETE ") {
		t.Errorf("the program says %s", stderr.String())
	}
	all.in(t, "standard error", stderr.String())
	for _, name := range []string{"report.md", "report.json", "report.junit.xml"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(out), name))
		if err != nil || !strings.Contains(string(text), "internal error, do not rely") {
			t.Errorf("%s: %v, %d bytes", name, err, len(text))
		}
		all.in(t, name, string(text))
	}

	// Outside of the run there is no report, and no secret either.
	stderr = &panickingWriter{}
	a = &app{stdin: strings.NewReader(token), stdout: io.Discard, stderr: stderr, env: func(string) (string, bool) { return "", false },
		now: func() time.Time { panic("no time: " + token) }}
	baseline := filepath.Join(t.TempDir(), "baseline.yaml")
	writeFile(t, baseline, "- {id: CARD-001, reason: r, owner: o, issue: \"https://tracker.example/1\", expires: 2099-01-31}\n")
	code = a.execute([]string{"--executor-url", at, "--token-file", "-", "--run", "CARD-001", "--baseline", baseline, "--report-out", out})
	if code != exitBug || !strings.Contains(stderr.String(), "no time: [redacted]") {
		t.Errorf("exit code is %d, want %d: %s", code, exitBug, stderr.String())
	}
	all.in(t, "standard error", stderr.String())
}

// doctor says what it sees, and no secret: of hostile targets, and of proxies.
func TestCanariesOfDoctor(t *testing.T) {
	t.Parallel()
	all := canaries{}
	token, admin, header, proxy := all.canary("token"), all.canary("environment"), all.canary("header"), all.canary("proxy")
	for _, server := range []struct {
		place gauntlet.Place
		name  string
	}{
		{gauntlet.Everywhere, "an echo of what was sent"},
		{gauntlet.BesideTheCard, "an echo of what was sent"},
		{gauntlet.BesideTheCard, "an echo of what was sent, in a right answer"},
		{gauntlet.BesideTheCard, "headers that act"},
		{gauntlet.AtTheTerminal, "an echo of what was sent"},
		{gauntlet.BesideTheCard, "a redirect to another host"},
		{"", ""},
	} {
		for _, form := range []string{"--json=true", "--json=false"} {
			t.Run(string(server.place)+": "+server.name+" "+form, func(t *testing.T) {
				t.Parallel()
				env := []string{"AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN=" + admin, "HTTP_PROXY=http://someone:" + proxy + "@127.0.0.1:1", "HTTPS_PROXY=someone:" + proxy + "@[::1"}
				at := "http://sandbox.invalid/agents/a" // through the proxy
				if server.name != "" {
					at = hostile(t, server.place, server.name, executor.Config{Token: token, AdminToken: admin})
				}
				code, written := playedOnce(t, token, env, "doctor", "--executor-url", at, "--token-file", "-", form, "--header", "X-Whatever: "+header,
					"--timeout", "1s", "--max-time", "30s", "--session", "018fc0a2-1111-7aaa-bbbb-000000000001")
				if code == exitBug || code == exitUsage || code < 0 {
					t.Errorf("exit code is %d: %s", code, written["standard error"])
				}
				for name, text := range written {
					all.in(t, name, text)
					if strings.ContainsAny(text, "\x1b\u202e\x00") || strings.Contains(text, "##[") {
						t.Errorf("%s acts: %q", name, text)
					}
				}
			})
		}
	}
}
