// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTLS: behind TLS everything is served, attaching wants a client certificate, and the plain listener leads there.
func TestTLS(t *testing.T) {
	t.Parallel()
	// httptest brings a certificate that is its own authority.
	borrowed := httptest.NewTLSServer(http.NotFoundHandler())
	defer borrowed.Close()
	pair, pool := borrowed.TLS.Certificates[0], x509.NewCertPool()
	pool.AddCert(borrowed.Certificate())

	d := serve(t, Config{Token: "the-token", AdminToken: "the-admin-token", Certificate: &pair, ClientCAs: pool, PlainListen: "127.0.0.1:0"}).e
	if !strings.HasPrefix(d.InstanceURLs()[0], "https://") {
		t.Fatalf("the instance is at %s", d.InstanceURLs()[0])
	}
	ask := func(address string, certificates ...tls.Certificate) *http.Response {
		t.Helper()
		client := &http.Client{
			Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certificates}},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		defer client.CloseIdleConnections()
		request, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{
			"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
			"Sec-Websocket-Protocol": {"pty-ws.v1"}, "Authorization": {"Bearer the-token"},
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	const nowhere = "/sessions/0190e6f8-7d0a-7cc2-b5b5-0d3b1a2c3d4e/attach"
	if got := ask(d.InstanceURLs()[0] + nowhere).StatusCode; got != http.StatusForbidden {
		t.Errorf("attaching without a certificate: status is %d, want 403", got)
	}
	if got := ask(d.InstanceURLs()[0] + "/.well-known/agent-card.json").StatusCode; got != http.StatusOK {
		t.Errorf("the card without a certificate: status is %d, want 200", got)
	}
	plain := ask(d.PlainURL() + "/x?y=z")
	if plain.StatusCode != http.StatusPermanentRedirect || plain.Header.Get("Location") != d.URL()+"/x?y=z" {
		t.Errorf("without TLS: status is %d, Location %q", plain.StatusCode, plain.Header.Get("Location"))
	}
}
