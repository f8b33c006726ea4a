// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// overAll are tests of every kind of traffic: documents, tasks, event streams, refused credentials, WebSockets, and the
// admin surface.
const overAll = "CARD-001,CARD-008,CARD-010,CARD-011,CARD-026,TASK-001,TASK-008,TASK-020,SSE-001,SSE-002,SSE-008,AUTH-001,AUTH-010,V1-001,OBS-001,PTY-001,PTY-008,PTY-066,PTY-067"

const proxiedToken, proxiedAdminToken = "proxied-instance-token-5f1c", "proxied-admin-token-a07e"

// deployed serves the reference executor below a path prefix of a reverse proxy, as deployments do, and returns the
// address of the instance. security is nil for plain HTTP.
func deployed(t *testing.T, prefix string, security *tls.Config) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	public := url.URL{Scheme: "http", Host: listener.Addr().String(), Path: prefix}
	if security != nil {
		public.Scheme = "https"
		listener = tls.NewListener(listener, security)
	}
	e, err := executor.New(executor.Config{PublicURL: public.String(), Token: proxiedToken, AdminToken: proxiedAdminToken})
	if err != nil {
		t.Fatal(err)
	}
	serves(t, e)
	behind, err := url.Parse(e.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) },
		// An executor that knows nothing of the prefix names paths of its own; putting the prefix in front is the proxy's duty.
		ModifyResponse: func(r *http.Response) error {
			if location := r.Header.Get("Location"); strings.HasPrefix(location, "/") {
				r.Header.Set("Location", prefix+location)
			}
			return nil
		},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	server := &http.Server{Handler: http.StripPrefix(prefix, gauntlet.ReadFirst(proxy)), ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	_, path, _ := strings.Cut(e.InstanceURLs()[0], behind.Host)
	return public.String() + path
}

// An authority is a private CA, with files for the command line.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // PEM of the certificate
}

func newAuthority(t *testing.T, name string) *authority {
	a := &authority{t: t}
	a.key = newKey(t)
	template := &x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der := a.sign(template, template, &a.key.PublicKey)
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.file = writePEM(t, "ca.pem", "CERTIFICATE", der)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(template, parent *x509.Certificate, public any) []byte {
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

// issue returns a certificate with its key, for 127.0.0.1, and both as PEM files.
func (a *authority) issue(name string, usage x509.ExtKeyUsage) (pair tls.Certificate, certFile, keyFile string) {
	key := newKey(a.t)
	der := a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{usage}}, a.cert, &key.PublicKey)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		writePEM(a.t, "cert.pem", "CERTIFICATE", der), writePEM(a.t, "key.pem", "PRIVATE KEY", secret)
}

func writePEM(t *testing.T, name, kind string, der []byte) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// An ended run is what the program did.
type ended struct {
	code    int
	stderr  string
	results map[string]string // outcome by id, from the JSON report
	because string
	report  string // the Markdown
}

// conformance runs the program in this process, with a hook that makes terminal sessions through the same front door.
func conformance(t *testing.T, at string, args ...string) ended {
	folder := t.TempDir()
	out := filepath.Join(folder, "conformance.report.md")
	config := filepath.Join(folder, "config.yaml")
	hooks := fmt.Sprintf("hooks: {create-session: {url: %q, header: {Authorization: Bearer %s}}, echo-session: {value: true}}\n",
		target.RootOf(at)+"/operator/sessions", proxiedAdminToken)
	if err := os.WriteFile(config, []byte(hooks), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--executor-url", at, "--config", config, "--token", proxiedToken, "--admin-token", proxiedAdminToken, "--report-format", "markdown,json", "--report-out", out,
		"--no-color"}, args...)
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, env: func(string) (string, bool) { return "", false }}
	e := ended{code: a.execute(args), results: map[string]string{}}
	e.stderr = stderr.String()
	markdown, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("%v\n%s", err, e.stderr)
	}
	e.report = string(markdown)
	text, err := os.ReadFile(strings.TrimSuffix(out, ".md") + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Because string
		Results []struct{ ID, Outcome string }
	}
	if err := json.Unmarshal(text, &run); err != nil {
		t.Fatal(err)
	}
	e.because = run.Because
	for _, r := range run.Results {
		e.results[r.ID] = r.Outcome
	}
	return e
}

// holds checks that all the chosen tests were judged, and passed.
func (e ended) holds(t *testing.T) {
	t.Helper()
	for id := range strings.SplitSeq(overAll, ",") {
		if e.results[id] != "pass" {
			t.Errorf("%s is %q, want pass", id, e.results[id])
		}
	}
	if e.code != exitPass || t.Failed() {
		t.Errorf("exit code is %d, want %d:\n%s\n%s", e.code, exitPass, e.stderr, e.report)
	}
}

// unreachable checks that nothing was measured, and that the sentence says what to do about it.
func (e ended) unreachable(t *testing.T, wants ...string) {
	t.Helper()
	if e.code != exitUnreachable {
		t.Errorf("exit code is %d, want %d:\n%s", e.code, exitUnreachable, e.stderr)
	}
	for id, outcome := range e.results {
		if outcome == "pass" || outcome == "fail" {
			t.Errorf("%s is %s on a target that cannot be reached", id, outcome)
		}
	}
	for _, want := range wants {
		for where, text := range map[string]string{"the verdict": e.because, "standard error": e.stderr, "the report": e.report} {
			if !strings.Contains(strings.ReplaceAll(text, `\-`, "-"), want) {
				t.Errorf("%s does not say %q: %s", where, want, e.because)
			}
		}
	}
}

// TestBehindAPathPrefix: the deployment lives below a path of a host, and is named by its instance or by its root.
func TestBehindAPathPrefix(t *testing.T) {
	t.Parallel()
	at := deployed(t, "/pre/fix", nil)
	conformance(t, at, "--run", overAll).holds(t)
	conformance(t, at+"/", "--run", overAll).holds(t)
	conformance(t, target.RootOf(at)+"/", "--run", overAll).holds(t)
}

// TestBehindAPrivateAuthority: the certificate is signed by an authority of the operator's own.
func TestBehindAPrivateAuthority(t *testing.T) {
	t.Parallel()
	ours, others := newAuthority(t, "our authority"), newAuthority(t, "some other authority")
	server, _, _ := ours.issue("server", x509.ExtKeyUsageServerAuth)
	at := deployed(t, "/pre/fix", &tls.Config{Certificates: []tls.Certificate{server}})

	conformance(t, at, "--run", overAll, "--cacert", ours.file).holds(t)
	insecure := conformance(t, at, "--run", overAll, "--insecure")
	insecure.holds(t)
	if !strings.Contains(insecure.report, "not verified") {
		t.Error("the report of an --insecure run does not say that certificates were not verified")
	}
	conformance(t, at, "--run", overAll).unreachable(t, "TLS:", "unknown authority", "--cacert")
	conformance(t, at, "--run", overAll, "--cacert", others.file).unreachable(t, "TLS:", "unknown authority", "--cacert")
	conformance(t, strings.Replace(at, "127.0.0.1", "localhost", 1), "--run", overAll, "--cacert", ours.file).
		unreachable(t, "TLS:", "localhost")
}

// TestBehindMutualTLS: the front door wants a client certificate of its own authority.
func TestBehindMutualTLS(t *testing.T) {
	t.Parallel()
	ours, others := newAuthority(t, "our authority"), newAuthority(t, "some other authority")
	server, _, _ := ours.issue("server", x509.ExtKeyUsageServerAuth)
	_, cert, key := ours.issue("client", x509.ExtKeyUsageClientAuth)
	_, strangeCert, strangeKey := others.issue("stranger", x509.ExtKeyUsageClientAuth)
	accepted := x509.NewCertPool()
	accepted.AddCert(ours.cert)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			at := deployed(t, "/pre/fix", &tls.Config{Certificates: []tls.Certificate{server}, ClientCAs: accepted,
				ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: version, MaxVersion: version})
			conformance(t, at, "--run", overAll, "--cacert", ours.file, "--cert", cert, "--key", key).holds(t)
			conformance(t, at, "--run", overAll, "--cacert", ours.file).unreachable(t, "TLS:", "client certificate", "--cert")
			conformance(t, at, "--run", overAll, "--cacert", ours.file, "--cert", strangeCert, "--key", strangeKey).
				unreachable(t, "TLS:", "client certificate", "--cert")
		})
	}
}
