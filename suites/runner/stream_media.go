// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"net/http"
	"time"
)

// openMedia opens the stream of a request in the media type that the server takes. As long as that is not known, it waits
// for the head of the answer.
func (p subscriber) openMedia(ctx context.Context, q *target.Request, within time.Duration) *stream {
	s := p.openStream(q)
	if p.run.TakesA2A.Load() || p.run.RefusedMedia(q, http.StatusUnsupportedMediaType) == nil {
		return s
	}
	status, _ := p.head(ctx, s, within)
	p.run.TookMedia(q, status)
	other := p.run.RefusedMedia(q, status)
	if other == nil {
		return s
	}
	second := p.openStream(other)
	again, _ := p.head(ctx, second, within)
	counts := target.InPlace(status, again)
	if counts && status >= 500 {
		third := p.openStream(q.Steady())
		status, _ := p.head(ctx, third, within)
		counts = p.run.BreaksOnMedia(status)
		third.leave()
		third.release()
	}
	if counts {
		p.run.TookMedia(other, again)
	} else {
		s, second = second, s
	}
	s.leave()
	s.release()
	return second
}
