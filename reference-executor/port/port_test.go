// SPDX-License-Identifier: Apache-2.0

package port

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestShutdownWaitsForNobodyWhoHasNotAsked: a connection over which nothing has come is closed, and one whose request is being answered
// gets its answer.
func TestShutdownWaitsForNobodyWhoHasNotAsked(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	p, err := Open(Options{Log: slog.New(slog.DiscardHandler)}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		io.WriteString(w, "answered")
	}))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve() }()

	at := strings.TrimPrefix(p.Root, "http://")
	silent, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	asking, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer asking.Close()
	if _, err := io.WriteString(asking, "GET / HTTP/1.1\r\nHost: here\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-entered

	// Nothing ends this but the port: net/http alone would close the silent connection only when it is five seconds old.
	down := make(chan error, 1)
	go func() { down <- p.Shutdown(context.Background()) }()
	silent.SetReadDeadline(time.Now().Add(4 * time.Second))
	if _, err := silent.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection over which nothing was asked is open: %v", err)
	}
	close(leave)
	if all, err := io.ReadAll(asking); err != nil || !strings.HasSuffix(string(all), "answered") {
		t.Errorf("the request that was being answered got %q, %v", all, err)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
