// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// maxPutOff is how long a request is put off in all by a target that refuses it as one of too many. The first wait, whose length the target
// chooses, is always kept.
const maxPutOff = 12 * time.Second

// putOff is how often a request was put off.
type putOff struct {
	run   *run
	times int
	waits time.Duration
}

// again waits for as long as the target asks for (Retry-After), and says whether the request may go out once more then.
func (o *putOff) again(ctx context.Context, p *player, header http.Header) bool {
	wait := target.RetryAfter(header)
	o.times++
	if !o.run.Client.PutOff(o.times) || o.times > 1 && o.waits+wait > maxPutOff {
		return false
	}
	if pace := o.run.Client.Pace(); pace > 0 {
		o.run.slots.Few(fewPaced(pace))
	}
	o.waits += wait
	return p.pause(ctx, wait)
}

// shake does the handshake of a connection, again as long as it is put off.
func (t terminal) shake(ctx context.Context, u wire.Upgrade, q *target.Request) (wire.Handshake, *wire.Tap) {
	head, rest, _ := strings.Cut(u.Text(), "\r\n")
	header := strings.ReplaceAll(strings.TrimSpace(rest), "\r\n", "\n")
	for putOff := (putOff{run: t.run}); ; {
		t.rec.Record("request", q.Actor, head, header, nil)
		answered := listens(t.player)
		result, tap := t.run.Client.Dialer.Shake(ctx, u)
		answered()
		if tap != nil || !target.PutsOff(&t.run.Target, q, result.Status) || !putOff.again(ctx, t.player, result.Header) {
			return result, tap
		}
		t.rec.Record("response", q.Actor, result.Line, headerText(result.Header), result.Body)
		if t.run.Client.Wait(ctx) != nil {
			return result, nil
		}
	}
}
