// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"time"
)

// openMedia opens the stream of a request in the media type that the server takes. As long as that is not known, it waits
// for the head of the answer.
func (p subscriber) openMedia(ctx context.Context, q *request, within time.Duration) *stream {
	s := p.openStream(q)
	if p.run.takesA2A.Load() || p.run.refusedMedia(q, http.StatusUnsupportedMediaType) == nil {
		return s
	}
	status, _ := p.head(ctx, s, within)
	p.run.tookMedia(q, status)
	other := p.run.refusedMedia(q, status)
	if other == nil {
		return s
	}
	second := p.openStream(other)
	again, _ := p.head(ctx, second, within)
	counts := inPlace(status, again)
	if counts && status >= 500 {
		third := p.openStream(q.steady())
		status, _ := p.head(ctx, third, within)
		counts = p.run.breaksOnMedia(status)
		third.cut()
		third.release()
	}
	if counts {
		p.run.tookMedia(other, again)
	} else {
		s, second = second, s
	}
	s.cut()
	s.release()
	return second
}
