// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// When the time of a run is up its webhooks take nothing more in, however long the rest takes: what a target sends then
// would hold up the report.
func TestNothingIsDeliveredWhenTheTimeIsUp(t *testing.T) {
	t.Parallel()
	var hook atomic.Value
	f := &fake{routes: map[string]http.HandlerFunc{"POST /named": func(w http.ResponseWriter, q *http.Request) {
		var address string
		_ = json.NewDecoder(q.Body).Decode(&address)
		hook.Store(address)
		<-q.Context().Done()
	}}}
	profile := loaded(t, oneTest(`- {listen: got}
- {request: "POST ${api}/named", json: "${got.url}", within: 30s, expect: {status: 200}}`))
	refused := false
	out := runAll(t, profile, Target{ExecutorURL: f.start(t)}, Options{MaxTime: time.Second, Progress: func(p Progress) {
		address, _ := hook.Load().(string)
		for deadline := time.Now().Add(5 * time.Second); p.Done == 1 && !refused && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			answer, err := http.Post(address, "application/json", strings.NewReader("{}"))
			if refused = err != nil && address != ""; err == nil {
				answer.Body.Close()
			}
		}
	}})
	if !refused {
		t.Error("deliveries are still taken 5s after the time was up")
	}
	if summary(out) != "T-001 skip time-is-up" {
		t.Error(summary(out))
	}
}
