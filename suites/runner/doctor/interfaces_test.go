// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// elsewhere is a server at another port, which must be shown no token.
func elsewhere(t *testing.T, tls bool, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "" {
			t.Errorf("%s was sent credentials", q.URL)
		}
		answer(out, q)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if tls {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.URL
}

// entry is one of supportedInterfaces.
func entry(address, binding string) string {
	text, _ := json.Marshal(map[string]string{"url": address, "protocolBinding": binding, "protocolVersion": "1.0"})
	return string(text)
}

const nobody = "http://127.0.0.1:1"

// TestDiagnoseInterfacesOfAnInstance: each interface of a card is tried, with the token only where that may go.
func TestDiagnoseInterfacesOfAnInstance(t *testing.T) {
	t.Parallel()
	page := func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "<html>") }
	refuse := func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusUnauthorized) }
	many := make([]string, 0, 30)
	for range 30 {
		many = append(many, entry(nobody, "GRPC"))
	}
	for _, row := range []struct {
		name    string
		entries func(t *testing.T, base string) []string
		want    string
	}{
		{"its own", func(_ *testing.T, base string) []string { return []string{entry(base+"/v1", "HTTP+JSON")} },
			"ok interface: HTTP+JSON (protocolVersion 1.0) at http://127.0.0.1:"},
		{"a transport, as 0.3 has it", func(_ *testing.T, base string) []string {
			return []string{`{"url":"` + base + `/v1","transport":"HTTP+JSON"}`}
		},
			"ok interface: HTTP+JSON at http://127.0.0.1:"},
		{"an address that lacks its end", func(_ *testing.T, base string) []string { return []string{entry(base, "HTTP+JSON")} },
			"warn interface: status is 404 to GET .../tasks: no list of tasks -> is that the address of this instance?"},
		{"nobody there", func(*testing.T, string) []string { return []string{entry(nobody+"/v1", "HTTP+JSON")} },
			"warn interface: which is another host, or port, than that of --executor-url: connection refused to GET .../tasks -> is that an address which clients can reach from here?"},
		{"a page on another host", func(t *testing.T, _ string) []string {
			return []string{entry(elsewhere(t, false, page)+"/v1", "HTTP+JSON")}
		},
			"warn interface: status is 200 to GET .../tasks: no list of tasks"},
		{"another host that wants a token", func(t *testing.T, _ string) []string {
			return []string{entry(elsewhere(t, false, refuse)+"/v1", "HTTP+JSON")}
		},
			"note interface: no credentials were sent there"},
		{"terminals", func(_ *testing.T, base string) []string {
			return []string{entry("ws"+strings.TrimPrefix(base, "http")+"/sessions/{session_id}/attach", "https://x.example/pty-ws/v1")}
		}, "ok interface: /sessions/{session_id}/attach: a connection is made; nothing was sent"},
		{"terminals of nobody", func(*testing.T, string) []string { return []string{entry("wss://127.0.0.1:1/x", "pty-ws")} },
			"warn interface: at wss://127.0.0.1:1/x, which is another host, or port, than that of --executor-url: connection refused"},
		{"a certificate that is not trusted", func(t *testing.T, _ string) []string { return []string{entry(elsewhere(t, true, page), "GRPC")} },
			"warn interface: -> clients that find this address in the card fail in the same way"},
		{"no address", func(*testing.T, string) []string {
			return []string{entry("/v1", "HTTP+JSON"), entry("file:///etc/passwd", "\u001b[2J"), `5`}
		},
			"warn interface: its url is no address of http, https, ws or wss"},
		{"a password in it", func(*testing.T, string) []string {
			return []string{entry("http://somebody:s3cret-passw0rd@127.0.0.1:1/v1", "HTTP+JSON")}
		},
			"warn interface: at http://127.0.0.1:1/v1"},
		{"many", func(*testing.T, string) []string { return many }, "note interface: 20 interfaces are declared beyond these 10, and not tried"},
		{"none", func(*testing.T, string) []string { return nil }, "ok card: ward"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWard()
			base := serveWard(t, w) + instancePath
			w.card = strings.TrimSuffix(wardCard, "}") + `,"supportedInterfaces":[` + strings.Join(row.entries(t, base), ",") + "]}"
			d := diagnosed(t, base, target.Config{}, patient)
			shows(t, d, report.Passed, row.want)
			for _, c := range d.Checks {
				if strings.Contains(c.Seen, "s3cret") || strings.ContainsRune(c.Seen, '\u001b') {
					t.Errorf("a check shows %q", c.Seen)
				}
			}
		})
	}
}

// TestDiagnoseOtherInterfacesOfAnAgent: the interfaces that a run would not begin with are tried as well.
func TestDiagnoseOtherInterfacesOfAnAgent(t *testing.T) {
	t.Parallel()
	page := func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "<html>") }
	var asked atomic.Int32
	for _, row := range []struct {
		name    string
		entries func(t *testing.T, base string) []string
		verdict report.Verdict
		want    string
	}{
		{"another of the same binding", func(_ *testing.T, base string) []string { return []string{entry(base+"/a2a/x/..", "HTTP+JSON")} }, report.Passed,
			"ok interface: status is 404 to GetTask of an unknown task, as A2A has it"},
		{"one that speaks something else", func(t *testing.T, _ string) []string { return []string{entry(elsewhere(t, false, page), "HTTP+JSON")} }, report.Failed,
			"fail interface: and the body is no error of A2A: it begins with \"<html>\" -> does what answers there speak HTTP+JSON?"},
		{"nobody", func(*testing.T, string) []string { return []string{entry(nobody, "HTTP+JSON")} }, report.Failed, "fail interface: connection refused to GetTask"},
		{"one that wants credentials", func(t *testing.T, _ string) []string {
			return []string{entry(elsewhere(t, false, func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusUnauthorized) }), "HTTP+JSON")}
		}, report.Passed, "warn interface: no credentials were sent there -> --allow-host 127.0.0.1:"},
		{"one that is not driven", func(t *testing.T, _ string) []string {
			return []string{entry(elsewhere(t, false, func(http.ResponseWriter, *http.Request) { asked.Add(1) }), "X")}
		}, report.Passed,
			"ok interface: X (protocolVersion 1.0) at http://127.0.0.1:"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ward := &agentWard{canceled: make(chan struct{})}
			server := httptest.NewServer(ward)
			t.Cleanup(server.Close)
			ward.address = server.URL
			ward.card = `{"name":"ward","version":"1","capabilities":{},"supportedInterfaces":[` +
				strings.Join(append([]string{entry(server.URL+"/a2a", "HTTP+JSON")}, row.entries(t, server.URL)...), ",") + "]}%.0[1]s"
			config := target.Config{ExecutorURL: server.URL, Tokens: map[string]string{"instance": wardToken}}
			d, err := Diagnose(t.Context(), profiles.Of("a2a-1.0"), config, Options{Limits: target.Limits{Request: patient}})
			if err != nil {
				t.Fatal(err)
			}
			shows(t, d, row.verdict, row.want)
		})
	}
	t.Cleanup(func() {
		if asked.Load() != 0 {
			t.Error("an interface that is not driven was sent a request")
		}
	})
}
