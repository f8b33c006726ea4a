// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// hooks delivers the events of tasks to their webhooks. Deliveries to one configuration keep their order; configurations
// do not wait for each other.
type hooks struct {
	s       *Server
	client  *http.Client
	mu      sync.Mutex
	waiting map[*pushConfig][]delivery // an entry exists while a goroutine works on it
	running sync.WaitGroup
}

// A delivery is what a webhook has not got yet.
type delivery struct {
	body []byte
	t    *task
}

func newHooks(s *Server) *hooks {
	dialer := &net.Dialer{
		Timeout: 5 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error { return s.dialable(address) },
	}
	return &hooks{
		s:       s,
		waiting: map[*pushConfig][]delivery{},
		client: &http.Client{
			Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// queue queues an event for every webhook of its task; the lock of the server is held, so nothing is sent here.
func (k *hooks) queue(t *task, ev event) {
	b := &k.s.b.push
	configs := b.receivers(k.s, t)
	if len(configs) == 0 || !b.wants(k.s, t, ev) || k.s.stopping.Err() != nil {
		return
	}
	c := &call{s: k.s, version: version10} // what is pushed belongs to no binding
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range configs {
		body := k.s.lawful.Encode(b.body(c, p, ev))
		queue, busy := k.waiting[p]
		k.waiting[p] = append(queue, delivery{body, t})
		if !busy {
			k.running.Go(func() { k.work(p) })
		}
	}
}

// busy says whether something is being delivered of a task.
func (k *hooks) busy(task string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for p := range k.waiting {
		if p.task == task {
			return true
		}
	}
	return false
}

// work delivers to one webhook until nothing is waiting.
func (k *hooks) work(p *pushConfig) {
	for {
		k.mu.Lock()
		queue := k.waiting[p]
		if len(queue) == 0 || k.s.stopping.Err() != nil {
			delete(k.waiting, p)
			k.mu.Unlock()
			return
		}
		k.waiting[p] = queue[1:]
		k.mu.Unlock()
		var delivered bool
		k.s.b.push.inTurn(func() { delivered = k.deliver(p, queue[0].body) })
		k.s.b.push.ended(k.s, queue[0].t, delivered)
	}
}

// deliver tries until the receiver takes it, with growing pauses. A receiver that does not answer in time is not asked
// again; a configuration that is deleted meanwhile gets nothing more.
func (k *hooks) deliver(p *pushConfig, body []byte) bool {
	b := &k.s.b.push
	for tried := 1; ; tried++ {
		if !b.exists(k.s, p) {
			return false
		}
		taken, late := k.attempt(p, b.payload(tried, body))
		if taken || late || tried >= b.tries {
			return taken
		}
		pause := time.NewTimer(b.pause(tried))
		select {
		case <-pause.C:
		case <-k.s.stopping.Done():
			pause.Stop()
			return false
		}
	}
}

// attempt makes one request; late says that the receiver has not answered in time.
func (k *hooks) attempt(p *pushConfig, body []byte) (taken, late bool) {
	b := &k.s.b.push
	ctx, cancel := k.s.stopping, context.CancelFunc(func() {})
	if limit := b.timeout(k.s); limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, b.method(p), b.target(p), bytes.NewReader(body))
	if err != nil {
		return false, false
	}
	request.Header.Set("User-Agent", "reference-executor")
	b.header(p, request.Header)
	response, err := k.send(request)
	if err != nil {
		k.s.log.Info("a webhook was not reached", "config", p.id)
		return false, errors.Is(err, context.DeadlineExceeded)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10)
	b.heard(k.s, p, response.StatusCode)
	return response.StatusCode >= 200 && response.StatusCode < 300, false
}

// send makes a request, by way of what stands between the server and webhooks.
func (k *hooks) send(request *http.Request) (*http.Response, error) {
	if k.s.config.Deliver != nil {
		return k.s.config.Deliver(k.client.Transport, request)
	}
	return k.client.Do(request)
}

// close waits for the attempts that are being made.
func (k *hooks) close() {
	k.running.Wait()
	k.client.CloseIdleConnections()
}
