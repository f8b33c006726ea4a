// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// An unknown certificate is shown whichever authorities a server names, and one that verifies does not take it.
func TestUnknownCertificates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shown  string
		wanted tls.ClientAuthType
		status int
	}{
		{suites.CertificateNone, tls.RequestClientCert, 401},
		{suites.CertificateUnknown, tls.RequestClientCert, 200},
		{suites.CertificateUnknown, tls.VerifyClientCertIfGiven, 0},
	} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if len(r.TLS.PeerCertificates) == 0 {
				w.WriteHeader(http.StatusUnauthorized)
			}
		}))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		authorities := x509.NewCertPool()
		server.TLS = &tls.Config{ClientAuth: c.wanted, ClientCAs: authorities}
		server.StartTLS()
		authorities.AddCert(server.Certificate())
		address, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		trusted := x509.NewCertPool()
		trusted.AddCert(server.Certificate())
		d := NewDialer(time.Second, &tls.Config{RootCAs: trusted})
		u := Upgrade{Method: "GET", Address: address, Header: []suites.Header{{Name: "Host", Value: address.Host}}, Limit: 5 * time.Second, Certificate: c.shown}
		if got, _ := d.Shake(context.Background(), u); got.Status != c.status {
			t.Errorf("with the certificate %s, and %s: status %d (%s), want %d", c.shown, c.wanted, got.Status, got.Problem, c.status)
		}
		server.Close()
	}
}
