// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// soon is how long a certificate should still be valid.
const soon = 14 * 24 * time.Hour

// secured does a TLS handshake, and judges the certificate itself to be able to say everything that is wrong with it.
func (d *doctor) secured(ctx context.Context) bool {
	if d.at.Scheme != "https" {
		d.inTheClear()
		return true
	}
	if next := d.next(); next != d.at && next.Scheme != "http" {
		d.note("tls", "not checked through a proxy of the kind %s", next.Scheme)
		return true
	}
	state, err := d.handshake(ctx, d.at)
	if err != nil {
		problem, do := wire.Why(err, d.limits.Connect), "is this the port of the HTTPS server?"
		var record tls.RecordHeaderError
		if errors.As(err, &record) {
			do = "does the port speak plain HTTP? then the address begins with http://"
		} else if d.next() != d.at {
			do = "does the proxy let CONNECT to this host and port through, and does it want credentials?"
		}
		return d.stop(report.Unreachable, "tls", problem, do)
	}
	protocol := state.NegotiatedProtocol
	if protocol == "" {
		protocol = "none, so HTTP/1.1"
	}
	d.well("tls", "%s, %s, ALPN %s, %s", tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite), protocol, described(state.PeerCertificates))
	if protocol == "h2" {
		d.note("tls", "the server would rather speak HTTP/2; requests and terminals are judged over HTTP/1.1, which it has to speak as well")
	}
	return d.trusted(state.PeerCertificates)
}

// inTheClear warns of a token that others can read on the way.
func (d *doctor) inTheClear() {
	host := d.at.Hostname()
	if len(d.Explicit) == 0 || host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1" {
		return
	}
	d.say("tls", Warning, "the address begins with http://, so tokens go over the network in the clear", "give the https:// address")
}

// handshake shows what the server offers; nothing is sent over the connection, so nothing has to be trusted.
func (d *doctor) handshake(ctx context.Context, to *url.URL) (tls.ConnectionState, error) {
	ctx, cancel := context.WithTimeout(ctx, d.limits.Connect)
	defer cancel()
	bare, err := d.Client.Dialer.LineTo(ctx, to)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer bare.Close()
	config := &tls.Config{}
	if d.Config.TLS != nil {
		config = d.Config.TLS.Clone()
	}
	config.InsecureSkipVerify = true // trusted judges what comes
	config.NextProtos = []string{"h2", "http/1.1"}
	config.ServerName = to.Hostname()
	secured := tls.Client(bare, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return tls.ConnectionState{}, err
	}
	return secured.ConnectionState(), nil
}

// trusted judges the certificate as the client of a run will.
func (d *doctor) trusted(chain []*x509.Certificate) bool {
	if len(chain) == 0 {
		return d.stop(report.Unreachable, "certificate", "the server shows no certificate", "")
	}
	config := d.Config.TLS
	grade, ignored := Failing, ""
	if config != nil && config.InsecureSkipVerify {
		grade, ignored = Warning, " (--insecure lets it pass)"
	}
	leaf, now, broken := chain[0], time.Now(), 0
	breaks := func(seen, do string) {
		broken++
		d.say("certificate", grade, seen+ignored, do)
	}
	if err := leaf.VerifyHostname(d.at.Hostname()); err != nil {
		breaks(fmt.Sprintf("it is not for %s, but for %s", d.at.Hostname(), names(leaf)), "use one of its names, or a certificate with this one among its subjectAltNames")
	}
	for _, c := range chain {
		switch {
		case now.After(c.NotAfter):
			breaks(fmt.Sprintf("%s expired on %s", subject(c), day(c.NotAfter)), "renew it")
		case now.Before(c.NotBefore):
			breaks(fmt.Sprintf("%s is valid from %s only", subject(c), day(c.NotBefore)), "is the clock of this machine right?")
		}
	}
	d.chained(chain, breaks)
	switch left := leaf.NotAfter.Sub(now); {
	case broken > 0 && grade == Failing:
		d.said.Verdict = report.Unreachable
		return false // no client gets past it, and no token should
	case broken == 0 && left < soon:
		d.say("certificate", Warning, fmt.Sprintf("it expires on %s, in %s", day(leaf.NotAfter), shortly(left)), "renew it")
	case broken == 0:
		d.well("certificate", "trusted, for %s, valid until %s", d.at.Hostname(), day(leaf.NotAfter))
	}
	return true
}

// chained says what keeps the certificate from leading to an authority that is trusted here. When it is valid is judged
// elsewhere.
func (d *doctor) chained(chain []*x509.Certificate, breaks func(seen, do string)) {
	leaf := chain[0]
	options := x509.VerifyOptions{Intermediates: x509.NewCertPool(), CurrentTime: time.Now()}
	switch now := options.CurrentTime; {
	case now.After(leaf.NotAfter):
		options.CurrentTime = leaf.NotAfter.Add(-time.Minute)
	case now.Before(leaf.NotBefore):
		options.CurrentTime = leaf.NotBefore.Add(time.Minute)
	}
	if d.Config.TLS != nil {
		options.Roots = d.Config.TLS.RootCAs
	}
	for _, c := range chain[1:] {
		options.Intermediates.AddCert(c)
	}
	_, err := leaf.Verify(options)
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	top := chain[len(chain)-1]
	switch {
	case err == nil, errors.As(err, &invalid) && invalid.Reason == x509.Expired:
	case !errors.As(err, &unknown):
		breaks("it does not verify: "+wire.Last(err), "")
	case leaf.CheckSignature(leaf.SignatureAlgorithm, leaf.RawTBSCertificate, leaf.Signature) == nil:
		breaks("it is self-signed", "--cacert with this certificate trusts it")
	case len(chain) == 1:
		breaks(fmt.Sprintf("it is signed by %s, which is not trusted here, and the server sends no intermediate certificate", issuer(leaf)),
			"let the server send its whole chain; if the authority is a private one, --cacert names the file with its certificate")
	default:
		breaks(fmt.Sprintf("it leads to %s, which is not trusted here", issuer(top)), "--cacert names a file with the certificate of that authority")
	}
}

func described(chain []*x509.Certificate) string {
	if len(chain) == 0 {
		return "no certificate"
	}
	if len(chain) == 1 {
		return "1 certificate, issued by " + issuer(chain[0])
	}
	return fmt.Sprintf("%d certificates, issued by %s", len(chain), issuer(chain[0]))
}

// names are those the certificate is for.
func names(c *x509.Certificate) string {
	all := append([]string{}, c.DNSNames...)
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	switch {
	case len(all) == 0 && c.Subject.CommonName != "":
		return fmt.Sprintf("no name at all (its common name, %q, counts for nothing)", c.Subject.CommonName)
	case len(all) == 0:
		return "no name at all"
	case len(all) > 5:
		return fmt.Sprintf("%s and %d more", strings.Join(all[:5], ", "), len(all)-5)
	}
	return strings.Join(all, ", ")
}

func subject(c *x509.Certificate) string {
	return fmt.Sprintf("the certificate %q", named(c.Subject.CommonName, c.Subject.String()))
}

func issuer(c *x509.Certificate) string {
	return fmt.Sprintf("%q", named(c.Issuer.CommonName, c.Issuer.String()))
}

func named(common, whole string) string {
	if common != "" {
		return common
	}
	return whole
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
