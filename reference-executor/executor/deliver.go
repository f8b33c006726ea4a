// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// A pusher delivers the changes of tasks. Deliveries to one config keep their order; configs do not wait for each other.
type pusher struct {
	e       *Executor
	client  *http.Client
	ctx     context.Context
	stop    context.CancelFunc
	mu      sync.Mutex
	waiting map[string][][]byte // by config: bodies not yet delivered; an entry exists while a goroutine works on it
	running sync.WaitGroup
}

func newPusher(e *Executor) *pusher {
	p := &pusher{e: e, waiting: map[string][][]byte{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.client = &http.Client{
		Timeout: 15 * time.Second,
		Transport: &http.Transport{
			DialContext:       (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			DisableKeepAlives: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if e.config.Deliveries != nil {
		p.client.Transport = through{e.config.Deliveries, p.client.Transport}
	}
	return p
}

// changed delivers a task to every config that wants it; the lock on tasks is held, so nothing is sent here.
func (p *pusher) changed(t task) {
	b := &p.e.b.push
	configs := b.receivers(p.e, t)
	if len(configs) == 0 || !b.wants(p.e, t) {
		return
	}
	body := b.body(t)
	first := b.ahead(t)
	for _, config := range configs {
		if first != nil {
			p.enqueue(config, first)
		}
		if b.hurries {
			p.attempt(config, body, 1)
			continue
		}
		p.enqueue(config, body)
	}
}

func (p *pusher) enqueue(config pushConfig, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return
	}
	queue, busy := p.waiting[config.ID]
	p.waiting[config.ID] = append(queue, body)
	if !busy {
		p.running.Add(1)
		go p.work(config)
	}
}

// work delivers to one config until nothing is waiting.
func (p *pusher) work(config pushConfig) {
	defer p.running.Done()
	for {
		p.mu.Lock()
		queue := p.waiting[config.ID]
		if len(queue) == 0 {
			delete(p.waiting, config.ID)
			p.mu.Unlock()
			return
		}
		p.waiting[config.ID] = queue[1:]
		p.mu.Unlock()
		p.e.b.push.inTurn(func() { p.deliver(config, queue[0]) })
	}
}

// deliver tries until the receiver takes it, with growing pauses. A config that is deleted meanwhile gets nothing more.
func (p *pusher) deliver(config pushConfig, body []byte) {
	b := &p.e.b.push
	first := p.e.config.RetryPause
	if first <= 0 {
		first = time.Second
	}
	for tried := 1; tried <= b.tries; tried++ {
		if !b.exists(p.e, config) {
			return
		}
		if p.attempt(config, body, tried) {
			b.sent(p, config, body, tried)
			return
		}
		if tried == b.tries {
			return
		}
		pause := time.NewTimer(b.pause(first, tried))
		select {
		case <-pause.C:
		case <-p.ctx.Done():
			pause.Stop()
			return
		}
	}
}

func (p *pusher) attempt(config pushConfig, body []byte, tried int) bool {
	b := &p.e.b.push
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"reference-executor"}}
	now := time.Now()
	if p.e.config.Deliveries != nil {
		body = p.e.config.Deliveries.Body(body)
	}
	b.header(config, body, now, header)
	if tried > 1 {
		body = b.again(config, body, now, header)
	}
	request, err := http.NewRequestWithContext(p.ctx, b.method(config), config.URL, bytes.NewReader(body))
	if err != nil {
		p.e.log.Warn("push", "config", config.ID, "err", err)
		return false
	}
	request.Header = header
	b.asks(request)
	response, err := p.client.Do(request)
	if err != nil {
		p.e.log.Info("push was not delivered", "config", config.ID)
		return false
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10)
	return b.delivered(response.StatusCode)
}

// close gives up what is waiting and waits for the attempts that are being made.
func (p *pusher) close() {
	p.mu.Lock()
	p.stop()
	p.mu.Unlock()
	p.running.Wait()
	p.client.CloseIdleConnections()
}

// pushConfigs are the configs of a task.
func (e *Executor) pushConfigs(task string) []pushConfig {
	list, err := e.store.pushOf(task)
	if err != nil {
		e.log.Error("read push configs", "err", err)
	}
	return list
}

func (s *store) insertPush(p pushConfig) error {
	_, err := s.exec(`INSERT INTO push (id, task, doc) VALUES (?, ?, ?)`, p.ID, p.Task, doc(p))
	return err
}

func (s *store) push(id string) (pushConfig, bool, error) {
	var p pushConfig
	var text []byte
	found, err := s.one(`SELECT doc FROM push WHERE id = ?`, []any{id}, &text)
	if err != nil || !found {
		return p, false, err
	}
	return p, true, undoc(text, &p)
}

func (s *store) dropPush(id string) error {
	_, err := s.exec(`DELETE FROM push WHERE id = ?`, id)
	return err
}

// pushOf reads the configs of a task in the order they were made; an empty task means those of all tasks.
func (s *store) pushOf(task string) ([]pushConfig, error) {
	query, args := `SELECT doc FROM push WHERE task = ? ORDER BY number`, []any{task}
	if task == "" {
		query, args = `SELECT doc FROM push ORDER BY number`, nil
	}
	var list []pushConfig
	err := s.each(query, args, func(scan func(...any) error) error {
		var p pushConfig
		var text []byte
		if err := scan(&text); err != nil {
			return err
		}
		if err := undoc(text, &p); err != nil {
			return err
		}
		list = append(list, p)
		return nil
	})
	return list, err
}
