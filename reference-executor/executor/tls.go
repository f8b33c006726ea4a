// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"
)

// A plainListener stands beside the one that speaks TLS.
type plainListener struct {
	server *http.Server
	url    string
}

// secure has the listener speak TLS, and opens the plain one beside it.
func (e *Executor) secure() error {
	if e.config.Certificate == nil {
		return nil
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{*e.config.Certificate},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"http/1.1"}, // a connection to a terminal is taken over, which HTTP/2 does not allow
	}
	if e.config.ClientCAs != nil {
		// Asked for in every handshake, wanted only where a terminal is attached to: v2.0 enforces it nowhere else.
		config.ClientAuth, config.ClientCAs = e.b.pty.ClientAuth(), e.config.ClientCAs
	}
	e.root = "https://" + e.listener.Addr().String()
	e.listener = tls.NewListener(e.listener, config)
	if e.config.PlainListen == "" {
		return nil
	}
	listener, err := net.Listen("tcp", e.config.PlainListen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	e.beside = &plainListener{
		server: &http.Server{
			Handler:           http.HandlerFunc(e.servePlain),
			ReadHeaderTimeout: 10 * time.Second,
		},
		url: "http://" + listener.Addr().String(),
	}
	go e.beside.server.Serve(listener)
	return nil
}

// PlainURL is the root of the listener without TLS; empty when there is none.
func (e *Executor) PlainURL() string {
	if e.beside == nil {
		return ""
	}
	return e.beside.url
}

// servePlain leads whoever asks without TLS to where there is.
func (e *Executor) servePlain(w http.ResponseWriter, r *http.Request) {
	if e.b.pty.ServesPlain(r) {
		e.ServeHTTP(w, r)
		return
	}
	http.Redirect(w, r, e.origin()+r.URL.RequestURI(), http.StatusPermanentRedirect)
}
