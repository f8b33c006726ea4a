// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// This test is not parallel: it counts goroutines.
func TestSocketsLeaveNothingRunning(t *testing.T) {
	before := goleak.IgnoreCurrent()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.Write(context.Background(), websocket.MessageText, []byte(`{"op":"hello"}`))
		c.Read(context.Background())
	}))
	p := testPlayer(t, server.URL, Target{})
	for _, by := range []string{"left open", "closed", "cut", "muted", "again", "again", "silent"} {
		see(t, p.doBy(by, suites.Open{URL: "${url}"}), "status", 101)
		works(t, p.doBy(by, receive("frame.op", "hello")))
	}
	p.doBy("closed", suites.Close{Code: 1000})
	p.doBy("cut", suites.Cut{})
	p.doBy("muted", suites.Cut{Mute: true})
	p.doBy("silent", silence(time.Millisecond))
	p.doBy("silent", receive("frame.op", "never"), time.Millisecond)
	p.closeSockets()
	server.Close()
	p.run.Client.Close()
	goleak.VerifyNone(t, before)
}
