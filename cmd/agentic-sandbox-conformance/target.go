// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// What a header can carry (RFC 9110, 5.1 and 5.5), without the obsolete bytes above ASCII.
var (
	headerName  = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")
	headerValue = regexp.MustCompile(`^[\t -~]*$`)
)

// target is the executor under test, with everything the operator configures.
func (s *settings) target(a *app) (runner.Target, error) {
	t := runner.Target{
		ExecutorURL: s.executorURL, Instance: s.instance, AdminURL: s.adminURL, JWKS: s.jwks, Tenant: s.tenant,
		Hooks: s.configured.Hooks, Secrets: s.configured.Secrets, Cues: s.configured.Cues, Sessions: s.session, RequireAuth: s.requireAuth, Production: s.production,
		Shared: s.shared, ProtectedMetrics: s.protectedMetrics, PTYDialect: s.ptyDialect,
		Tokens: map[string]string{}, Header: http.Header{}, PublicHeader: http.Header{}, Announced: map[string]string{},
	}
	if strings.Contains(s.jwks, "://") {
		if err := config.CheckURL(s.jwks); err != nil {
			return t, usage("--jwks: %w", err)
		}
	} else if s.jwks != "" {
		if _, err := os.Stat(s.jwks); err != nil {
			return t, usage("--jwks is neither an http URL nor a file: %w", err)
		}
	}
	if s.v1Sunset != "" {
		// The header is compared with it byte for byte, so only the one spelling that the header can have is accepted.
		if at, err := http.ParseTime(s.v1Sunset); err != nil || at.UTC().Format(http.TimeFormat) != s.v1Sunset {
			return t, usage(`--v1-sunset is written as the Sunset header is: "Sun, 09 May 2027 00:00:00 GMT"`)
		}
		t.Announced["v1-sunset"] = s.v1Sunset
	}
	if s.v1Link != "" {
		t.Announced["v1-link"] = s.v1Link
	}
	if err := s.credentials(a, t.Tokens); err != nil {
		return t, err
	}
	a.secrets.learn(runner.Target{Tokens: t.Tokens}) // those in files too
	for _, given := range []struct {
		flag  string
		lines []string
		to    http.Header
	}{{"header", s.header, t.Header}, {"public-header", s.publicHeader, t.PublicHeader}} {
		for _, line := range given.lines {
			name, value, ok := strings.Cut(line, ":")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if !ok || !headerName.MatchString(name) || !headerValue.MatchString(value) {
				return t, usage(`--%s is written "name: value"`, given.flag)
			}
			given.to.Add(name, value)
		}
	}
	takeBearer(&t)
	a.secrets.learn(runner.Target{Tokens: t.Tokens})
	err := checkHosts(s.allowHost)
	if err != nil {
		return t, err
	}
	t.AllowHosts = s.allowHost
	t.TLS, err = s.tls()
	return t, err
}

// takeBearer makes a bearer token that came as --header the token of the instance, so that it is left out where a test asks
// without credentials, or with wrong ones.
func takeBearer(t *runner.Target) {
	given := t.Header.Values("Authorization")
	if len(given) != 1 || t.Tokens["instance"] != "" {
		return
	}
	if scheme, token, _ := strings.Cut(given[0], " "); strings.EqualFold(scheme, "Bearer") && strings.TrimSpace(token) != "" {
		t.Tokens["instance"] = strings.TrimSpace(token)
		t.Header.Del("Authorization")
	}
}

// checkHosts accepts what --allow-host names: hosts, hosts with a port, and origins.
func checkHosts(entries []string) error {
	for _, entry := range entries {
		address := entry
		if !strings.Contains(entry, "://") {
			address = "https://" + entry
		}
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || strings.Contains(u.Hostname(), "*") {
			return usage("--allow-host names a host (agent.example), a host and port (agent.example:8443) or an origin (https://agent.example)")
		}
	}
	return nil
}

// credentials collects the tokens by identity.
func (s *settings) credentials(a *app, tokens map[string]string) error {
	if s.tokenFile == "-" && s.adminTokenFile == "-" {
		return usage("--token-file and --admin-token-file cannot both be standard input")
	}
	for identity, token := range s.configured.Tokens {
		tokens[identity] = token
	}
	for _, c := range []struct{ identity, flag, token, file string }{
		{"instance", "token", s.token, s.tokenFile},
		{"admin", "admin-token", s.adminToken, s.adminTokenFile},
	} {
		switch {
		case c.file != "":
			token, err := a.readToken(c.file)
			if err != nil {
				return usage("--%s-file: %v", c.flag, err)
			}
			tokens[c.identity] = token
		case c.token != "":
			tokens[c.identity] = c.token
		case s.flags.Changed(c.flag):
			return usage("--%s is empty; leave it out to run without that token", c.flag)
		}
	}
	for identity, token := range tokens {
		if !headerValue.MatchString(token) || strings.ContainsAny(token, " \t") {
			return usage("the token of %s holds a blank or a character that no header can carry; it is given without \"Bearer\"", identity)
		}
	}
	return nil
}

// readToken reads a token from a file or, for "-", from standard input.
func (a *app) readToken(path string) (string, error) {
	in := a.stdin
	if path != "-" {
		file, err := os.Open(path)
		var at *fs.PathError
		if errors.As(err, &at) { // the token itself may stand there by mistake
			return "", fmt.Errorf("the file %s: %w", unknownWord(path), at.Err)
		}
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, 64<<10))
	if err != nil {
		return "", err
	}
	token := string(bytes.TrimSpace(text))
	if token == "" {
		if path == "-" {
			path = "standard input"
		}
		return "", fmt.Errorf("%s holds no token", path)
	}
	return token, nil
}

// maxCertificates bounds the files of certificates and keys, in bytes: the store of a whole system has less than a MiB.
const maxCertificates = 4 << 20

// keyPair reads a certificate and its key.
func keyPair(cert, key string) (tls.Certificate, error) {
	certText, err := readBounded(cert, maxCertificates)
	if err != nil {
		return tls.Certificate{}, err
	}
	keyText, err := readBounded(key, maxCertificates)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certText, keyText)
}

// tls is how connections are secured; nil is the default way.
func (s *settings) tls() (*tls.Config, error) {
	if s.caCert == "" && s.cert == "" && s.key == "" && !s.insecure {
		return nil, nil
	}
	config := &tls.Config{InsecureSkipVerify: s.insecure}
	if (s.cert == "") != (s.key == "") {
		return nil, usage("--cert and --key go together")
	}
	if s.caCert != "" {
		pem, err := readBounded(s.caCert, maxCertificates)
		if err != nil {
			return nil, usage("--cacert: %w", err)
		}
		// A system without a store of its own still has the given one.
		if config.RootCAs, err = x509.SystemCertPool(); err != nil {
			config.RootCAs = x509.NewCertPool()
		}
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, usage("--cacert: %s holds no PEM certificate", s.caCert)
		}
	}
	if s.cert != "" {
		pair, err := keyPair(s.cert, s.key)
		if err != nil {
			return nil, usage("--cert and --key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
