// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

var quiet = log.New(io.Discard, "", 0)

// A signer is a certificate that can sign others.
type signer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// signed makes a certificate, signed by another one or, for nil, by itself.
func signed(t *testing.T, by *signer, name string, change func(*x509.Certificate)) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour)}
	change(template)
	s := &signer{template, key}
	if by == nil {
		by = s
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, &key.PublicKey, by.key)
	if err != nil {
		t.Fatal(err)
	}
	if s.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return s
}

func authority(c *x509.Certificate) {
	c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
}

func forLoopback(c *x509.Certificate) {
	c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
}

// TestDiagnoseCertificates: everything that is wrong with a certificate is said, and no token is sent past one that is
// not trusted.
func TestDiagnoseCertificates(t *testing.T) {
	t.Parallel()
	root := signed(t, nil, "our root", authority)
	between := signed(t, root, "our intermediate", authority)
	good := signed(t, between, "server", forLoopback)
	trusting := x509.NewCertPool()
	trusting.AddCert(root.cert)
	with := func(s *signer, change func(*x509.Certificate)) *signer {
		return signed(t, s, "server", func(c *x509.Certificate) { forLoopback(c); change(c) })
	}
	late := func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Minute)
	}
	for name, c := range map[string]struct {
		chain    []*signer
		trusts   *x509.CertPool
		insecure bool
		verdict  report.Verdict
		want     []string
	}{
		"trusted": {[]*signer{good, between}, trusting, false, report.Passed,
			[]string{"ok tls: TLS 1.3, TLS_", `ok tls: ALPN http/1.1, 2 certificates, issued by "our intermediate"`, "ok certificate: trusted, for 127.0.0.1, valid until", "ok stream: live", "ok upgrade: "}},
		"of a private authority": {[]*signer{good, between}, nil, false, report.Unreachable,
			[]string{`fail certificate: it leads to "our root", which is not trusted here -> --cacert names a file`}},
		"without the intermediate": {[]*signer{good}, trusting, false, report.Unreachable,
			[]string{`fail certificate: signed by "our intermediate", which is not trusted here, and the server sends no intermediate certificate -> let the server send its whole chain`}},
		"signed by itself": {[]*signer{with(nil, func(*x509.Certificate) {})}, trusting, false, report.Unreachable,
			[]string{"fail certificate: it is self-signed -> --cacert"}},
		"expired": {[]*signer{with(between, late), between}, trusting, false, report.Unreachable,
			[]string{`fail certificate: the certificate "server" expired on`}},
		"expired, of somebody else": {[]*signer{with(between, late), between}, nil, false, report.Unreachable,
			[]string{"fail certificate: expired on", "fail certificate: is not trusted here"}},
		"not yet valid": {[]*signer{with(between, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) }), between}, trusting, false, report.Unreachable,
			[]string{"fail certificate: is valid from"}},
		"soon to expire": {[]*signer{with(between, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(5*24*time.Hour + time.Hour) }), between}, trusting, false, report.Passed,
			[]string{"warn certificate: UTC, in 5 days -> renew it"}},
		"of another name": {[]*signer{with(between, func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, []string{"sandbox.example", "www.sandbox.example"}
		}), between}, trusting, false, report.Unreachable,
			[]string{"fail certificate: it is not for 127.0.0.1, but for sandbox.example, www.sandbox.example"}},
		"of no name": {[]*signer{with(between, func(c *x509.Certificate) { c.IPAddresses = nil }), between}, trusting, false, report.Unreachable,
			[]string{`fail certificate: no name at all (its common name, "server", counts for nothing)`}},
		"not for servers": {[]*signer{with(between, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }), between}, trusting, false, report.Unreachable,
			[]string{"fail certificate: it does not verify"}},
		"anything, with --insecure": {[]*signer{with(nil, late)}, nil, true, report.Passed,
			[]string{"warn certificate: expired on", "warn certificate: self-signed (--insecure lets it pass)", "ok stream: live"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard()
			server := httptest.NewUnstartedServer(w)
			pair := tls.Certificate{PrivateKey: c.chain[0].key}
			for _, s := range c.chain {
				pair.Certificate = append(pair.Certificate, s.cert.Raw)
			}
			server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
			server.Config.ErrorLog = quiet
			server.StartTLS()
			t.Cleanup(server.Close)
			shows(t, diagnosed(t, server.URL+instancePath, target.Config{TLS: &tls.Config{RootCAs: c.trusts, InsecureSkipVerify: c.insecure}}, 0), c.verdict, c.want...)
			if n := w.asked.Load(); c.verdict == report.Unreachable && n > 0 {
				t.Errorf("%d requests were sent to a server that is not trusted", n)
			}
		})
	}
}

// TestDiagnoseClientCertificate: a server that wants one says so.
func TestDiagnoseClientCertificate(t *testing.T) {
	t.Parallel()
	root := signed(t, nil, "our root", authority)
	leaf := signed(t, root, "server", forLoopback)
	client := signed(t, root, "client", func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} })
	pool := x509.NewCertPool()
	pool.AddCert(root.cert)
	server := httptest.NewUnstartedServer(newWard())
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.cert.Raw}, PrivateKey: leaf.key}}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	without := diagnosed(t, server.URL+instancePath, target.Config{TLS: &tls.Config{RootCAs: pool}}, 0)
	shows(t, without, report.Unreachable, "fail http: it wants a client certificate (--cert and --key)")
	with := diagnosed(t, server.URL+instancePath, target.Config{TLS: &tls.Config{RootCAs: pool,
		Certificates: []tls.Certificate{{Certificate: [][]byte{client.cert.Raw}, PrivateKey: client.key}}}}, 0)
	shows(t, with, report.Passed, "ok certificate: trusted", "ok stream: live")
}
