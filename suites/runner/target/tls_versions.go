// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// tlsVersions are those that a handshake can be limited to.
var tlsVersions = []struct {
	name   string
	number uint16
}{{"1.0", tls.VersionTLS10}, {"1.1", tls.VersionTLS11}, {"1.2", tls.VersionTLS12}, {"1.3", tls.VersionTLS13}}

// TakenTLSVersions tries a handshake with each version alone, whatever the certificate. A reason says why nothing can be tried.
func (a *Agent) TakenTLSVersions(ctx context.Context) (result map[string]any, skip *report.Reason, problem string) {
	u, err := url.Parse(a.CardURL)
	if err != nil || u.Scheme != "https" {
		return nil, &report.Reason{Code: "no-tls", Detail: "the card is not served over TLS"}, ""
	}
	at := net.JoinHostPort(u.Hostname(), u.Port())
	if u.Port() == "" {
		at = net.JoinHostPort(u.Hostname(), "443")
	}
	accepted, refused := []any{}, []any{}
	last := ""
	for _, version := range tlsVersions {
		plain, err := (&net.Dialer{Timeout: a.connect}).DialContext(ctx, "tcp", at)
		if err != nil {
			return nil, nil, fmt.Sprintf("connect to %s: %v", at, err)
		}
		config := &tls.Config{}
		if a.Config.TLS != nil {
			config = a.Config.TLS.Clone()
		}
		config.MinVersion, config.MaxVersion, config.ServerName = version.number, version.number, u.Hostname()
		config.InsecureSkipVerify = true // what is asked is which version it takes; nothing is sent
		err = tls.Client(plain, config).HandshakeContext(ctx)
		plain.Close()
		switch {
		case ctx.Err() != nil:
			return nil, nil, fmt.Sprintf("the handshake of TLS %s with %s does not end", version.name, at)
		case err != nil:
			refused, last = append(refused, version.name), err.Error()
		default:
			accepted = append(accepted, version.name)
		}
	}
	if len(accepted) == 0 {
		return nil, nil, fmt.Sprintf("%s takes no handshake at all: %s", at, last)
	}
	return map[string]any{"host": at, "accepted": accepted, "refused": refused}, nil, ""
}
