// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"net"
	"testing"
	"time"
)

// An executor that begins to listen after its hook has answered is waited for.
func TestListening(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	result := map[string]any{"url": "http://" + address + "/agents/one"}
	listening := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		Listening(ctx, result)
		close(listening)
	}()
	select {
	case <-listening:
		t.Fatal("did not wait for an executor that does not listen yet")
	case <-time.After(4 * lookEvery):
	}
	late, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip("somebody else took the port: ", err)
	}
	defer late.Close()
	select {
	case <-listening:
	case <-time.After(StartTime):
		t.Error("did not see that it listens")
	}
}

func TestListeningWithoutWaiting(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]any{
		"no url":  map[string]any{"seconds": 3},
		"a text":  "http://127.0.0.1",
		"no host": map[string]any{"url": "/agents/one"},
	} {
		began := time.Now()
		Listening(t.Context(), result)
		if took := time.Since(began); took > StartTime/2 {
			t.Errorf("%s: waited %s", name, took)
		}
	}
}
