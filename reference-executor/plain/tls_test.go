// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTLS(t *testing.T) {
	t.Parallel()
	borrowed := httptest.NewUnstartedServer(nil)
	borrowed.StartTLS() // makes a certificate for 127.0.0.1
	borrowed.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(borrowed.Certificate())
	s := start(t, Config{Certificate: &borrowed.TLS.Certificates[0]})
	if !strings.HasPrefix(s.URL(), "https://") {
		t.Fatalf("the URL is %s", s.URL())
	}
	for version, served := range map[uint16]bool{tls.VersionTLS13: true, tls.VersionTLS12: true, tls.VersionTLS11: false, tls.VersionTLS10: false} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: version, MaxVersion: version}}
		client := &http.Client{Transport: transport}
		response, err := client.Get(s.CardURL())
		if (err == nil) != served {
			t.Errorf("TLS version %x: %v, want that it is served: %v", version, err, served)
		}
		if err == nil {
			if response.Header.Get("Strict-Transport-Security") == "" {
				t.Error("there is no Strict-Transport-Security")
			}
			response.Body.Close()
		}
		transport.CloseIdleConnections()
	}
}
