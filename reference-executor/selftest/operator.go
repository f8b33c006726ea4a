// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
)

// operator is what stands behind the hooks: it runs the executor under test, restarts it, and starts others.
type operator struct {
	setup     setup
	faults    []string
	consulted func(point string)
	data      string
	url       string // of its own hook server
	server    *httptest.Server
	clean     func()

	mu       sync.Mutex
	executor *executor.Executor
	served   chan error
	others   []func()
}

func newOperator(s setup, faults []string, consulted func(point string)) (*operator, error) {
	o := &operator{setup: s, faults: faults, consulted: consulted, clean: func() {}}
	if s.needsData() {
		var err error
		if o.data, o.clean, err = tempData(); err != nil {
			return nil, err
		}
	}
	if err := o.start("127.0.0.1:0"); err != nil {
		o.clean()
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /restart", o.restart)
	mux.HandleFunc("POST /sunset-env", o.sunsetEnv)
	mux.HandleFunc("POST /shell-session", o.shellSession)
	mux.HandleFunc("POST /runtime-down", o.runtimeDown)
	mux.HandleFunc("POST /short-ttl", o.shortTTL)
	o.server = httptest.NewServer(mux)
	o.url = o.server.URL
	return o, nil
}

func (o *operator) start(listen string) error {
	e, err := o.setup.newExecutor(o.data, listen, o.faults, o.consulted, nil)
	if err != nil {
		return fmt.Errorf("start the executor: %w", err)
	}
	o.executor, o.served = e, serve(e)
	return nil
}

// startAgain starts on an address that was used before. Between stop and start, the port may have become that of some
// client's connection, for as long as that lasts.
func (o *operator) startAgain(listen string) error {
	deadline := time.Now().Add(10 * time.Second)
	for {
		err := o.start(listen)
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (o *operator) secondInstance() string {
	urls := o.executor.InstanceURLs()
	u := urls[len(urls)-1]
	return u[strings.LastIndexByte(u, '/')+1:]
}

// restart ends the executor and starts it again on the same address and data.
func (o *operator) restart(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	u, err := url.Parse(o.executor.URL())
	if err == nil {
		if err = stop(o.executor, o.served); err == nil {
			err = o.startAgain(net.JoinHostPort(u.Hostname(), u.Port()))
		}
	}
	answer(w, map[string]any{"restarted": true}, err)
}

// sunsetEnv starts another executor whose AIWG_V1_SUNSET_DATE is the given value, and answers its address.
func (o *operator) sunsetEnv(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Value string `json:"value"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&asked); err != nil {
		answer(w, nil, err)
		return
	}
	e, err := o.another(func(c *executor.Config) { c.SunsetDate = asked.Value })
	if err != nil {
		answer(w, nil, err)
		return
	}
	answer(w, map[string]any{"url": o.address(e.URL())}, nil)
}

// ttlSeconds is how long the executor behind the hook short-ttl remembers messages, before hold shortens it. What is left
// is long enough for two requests one after the other on a machine that is busy.
const ttlSeconds = 40

// shortTTL starts another executor that soon forgets, and answers the address of an instance there and how soon.
func (o *operator) shortTTL(w http.ResponseWriter, _ *http.Request) {
	e, err := o.another(func(c *executor.Config) { c.IdempotencyTTL = held(ttlSeconds * time.Second) })
	if err != nil {
		answer(w, nil, err)
		return
	}
	answer(w, map[string]any{"url": o.address(e.InstanceURLs()[0]), "seconds": ttlSeconds}, nil)
}

// another starts one more executor, which runs until the operator closes.
func (o *operator) another(change func(*executor.Config)) (*executor.Executor, error) {
	e, err := o.setup.newExecutor("", "127.0.0.1:0", o.faults, o.consulted, change)
	if err != nil {
		return nil, err
	}
	served := serve(e)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.others = append(o.others, func() { stop(e, served) })
	return e, nil
}

// runtimeDown stops the runtime behind an instance of another executor, and answers the address of that instance.
func (o *operator) runtimeDown(w http.ResponseWriter, r *http.Request) {
	e, err := o.another(nil)
	if err != nil {
		answer(w, nil, err)
		return
	}
	at := e.InstanceURLs()[0]
	stopping, err := http.NewRequestWithContext(r.Context(), "POST", e.URL()+"/api/v2/admin/instances/"+at[strings.LastIndexByte(at, '/')+1:]+"/stop", nil)
	if err != nil {
		answer(w, nil, err)
		return
	}
	stopping.Header.Set("Authorization", "Bearer "+tokens["admin"])
	done, err := orLater(stopping)
	if err == nil {
		defer done.Body.Close()
		if done.StatusCode != http.StatusAccepted {
			err = fmt.Errorf("stop the runtime: status %d, want 202", done.StatusCode)
		}
		untilStopped(r.Context(), strings.TrimSuffix(stopping.URL.String(), "/stop"))
	}
	answer(w, map[string]any{"url": o.address(at)}, err)
}

// untilStopped waits for an instance that is being stopped: what is sent to it meanwhile ends with its other tasks. Whatever an
// executor with a fault says of its instances, that is not for ever.
func untilStopped(ctx context.Context, address string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return
		}
		q.Header.Set("Authorization", "Bearer "+tokens["admin"])
		shown, err := http.DefaultClient.Do(q)
		if err != nil {
			return
		}
		text, _ := io.ReadAll(io.LimitReader(shown.Body, 64<<10))
		shown.Body.Close()
		if bytes.Contains(text, []byte(`"stopped"`)) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// shellSession makes a terminal session that runs a shell.
func (o *operator) shellSession(w http.ResponseWriter, r *http.Request) {
	asked, err := http.NewRequestWithContext(r.Context(), http.MethodPost, o.executor.URL()+"/operator/sessions", strings.NewReader(`{"argv":["/bin/sh"]}`))
	if err != nil {
		answer(w, nil, err)
		return
	}
	asked.Header.Set("Authorization", "Bearer "+tokens["admin"])
	asked.Header.Set("Content-Type", "application/json")
	made, err := orLater(asked)
	if err != nil {
		answer(w, nil, err)
		return
	}
	defer made.Body.Close()
	var session map[string]any
	err = json.NewDecoder(http.MaxBytesReader(w, made.Body, 1<<16)).Decode(&session)
	answer(w, session, err)
}

// orLater sends a request without a body, or with one that can be read again, and once more in a second if the executor puts it off.
func orLater(q *http.Request) (*http.Response, error) {
	answer, err := http.DefaultClient.Do(q)
	if err != nil || answer.StatusCode != http.StatusTooManyRequests {
		return answer, err
	}
	answer.Body.Close()
	select {
	case <-q.Context().Done():
		return nil, q.Context().Err()
	case <-time.After(time.Second):
	}
	if q.GetBody != nil {
		if q.Body, err = q.GetBody(); err != nil {
			return nil, err
		}
	}
	return http.DefaultClient.Do(q)
}

func answer(w http.ResponseWriter, v map[string]any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func (o *operator) close() {
	o.server.Close()
	o.mu.Lock()
	defer o.mu.Unlock()
	stop(o.executor, o.served)
	for _, end := range o.others {
		end()
	}
	o.clean()
}
