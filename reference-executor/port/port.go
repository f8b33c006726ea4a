// SPDX-License-Identifier: Apache-2.0

// Package port serves something on one address, which may be in TLS, and far away. The reference servers have one or more each.
package port

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/far"
)

// Options say how a port is opened. The zero Options are a free port of the loopback, in plain HTTP.
type Options struct {
	Address     string           // host:port; empty: 127.0.0.1:0
	Certificate *tls.Certificate // nil: no TLS
	Far         time.Duration    // how much later arrives what is sent
	Log         *slog.Logger     // of what net/http complains of
}

// A Port is one address on which something is served.
type Port struct {
	Root string // scheme://host:port
	net  net.Listener
	http *http.Server
}

// Open begins to listen; Serve answers.
func Open(o Options, handler http.Handler) (*Port, error) {
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	at, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if o.Far > 0 {
		at = far.Listener(at, o.Far)
	}
	p := &Port{Root: "http://" + at.Addr().String(), net: at}
	if o.Certificate != nil {
		p.Root = "https://" + at.Addr().String()
		p.net = tls.NewListener(at, &tls.Config{
			Certificates: []tls.Certificate{*o.Certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		})
	}
	p.http = &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	CloseUnasked(p.http)
	return p, nil
}

// Serve answers requests until Shutdown.
func (p *Port) Serve() error {
	if err := p.http.Serve(p.net); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown waits for what is being answered, and closes the rest when ctx is done.
func (p *Port) Shutdown(ctx context.Context) error {
	err := p.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, p.http.Close())
	}
	if closed := p.net.Close(); !errors.Is(closed, net.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}
