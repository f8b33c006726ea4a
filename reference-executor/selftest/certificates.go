// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
)

// certificates are those of a deployment behind TLS: one that is its own authority serves both sides.
type certificates struct {
	pair tls.Certificate
	pool *x509.CertPool
}

var certified = sync.OnceValues(func() (certificates, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificates{}, fmt.Errorf("make a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "self-test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return certificates{}, fmt.Errorf("make a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return certificates{}, err
	}
	c := certificates{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, x509.NewCertPool()}
	c.pool.AddCert(leaf)
	return c, nil
})

// behindTLS has an executor speak TLS, with a plain listener beside, and want client certificates.
func behindTLS(c *executor.Config) {
	made, err := certified()
	if err != nil {
		panic(err) // the machine has no randomness
	}
	c.Certificate, c.ClientCAs, c.PlainListen = &made.pair, made.pool, "127.0.0.1:0"
}

// askedOverTLS is how a client of such an executor asks.
func askedOverTLS() *tls.Config {
	made, err := certified()
	if err != nil {
		panic(err)
	}
	return &tls.Config{RootCAs: made.pool, Certificates: []tls.Certificate{made.pair}}
}
