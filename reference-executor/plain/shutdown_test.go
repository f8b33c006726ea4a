// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestShutdown is not parallel: it looks at all goroutines.
func TestShutdown(t *testing.T) {
	never := make(chan struct{})
	url, got := hangingHook(t, never)
	before := goleak.IgnoreCurrent()
	s, err := New(Config{Work: 350 * time.Millisecond, AllowLoopbackHooks: true})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	cl := &client{t: t, s: s, binding: BindingREST, version: "1.0"}
	waits := cl.task(configured(send("scenario: input-required"), object{"taskPushNotificationConfig": object{"url": url}}))
	<-got
	begun := make(chan struct{})
	var streaming sync.WaitGroup
	streaming.Go(func() {
		cl.stream("SubscribeToTask", object{"id": waits["id"]}, func(object) bool { close(begun); return true })
	})
	<-begun
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	streaming.Wait()
	close(never)
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}
