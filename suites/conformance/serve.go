// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// serve serves a handler at a free port of the loopback interface until the test is over. It does not wait for handlers that hang, as
// httptest.Server does: one that never ends a stream is a finding, and not the end of all reports.
func serve(t *testing.T, handler func(url string) http.Handler) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		if listener, err = net.Listen("tcp6", "[::1]:0"); err != nil {
			return "", fmt.Errorf("conformance: there is no free port of the loopback interface: %w", err)
		}
	}
	address := "http://" + listener.Addr().String()
	made := handler(address)
	if made == nil {
		listener.Close()
		return "", errors.New("conformance: Options.NewHandler has returned nil")
	}
	server := &http.Server{Handler: made, ReadHeaderTimeout: time.Minute}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return address, nil
}

// A hookServer serves hooks that are functions: the engine asks hooks by URL. Their paths begin with a word that nobody else on the machine
// can guess.
type hookServer struct {
	mux  *http.ServeMux
	word string
}

func newHookServer() *hookServer { return &hookServer{http.NewServeMux(), rand.Text()} }

// add serves a function, and returns its path.
func (s *hookServer) add(name string, does func(context.Context, map[string]any) (any, error)) string {
	path := "/" + s.word + "/" + url.PathEscape(name)
	s.mux.Handle("POST "+path, hookFunc(does))
	return path
}

type hookFunc func(context.Context, map[string]any) (any, error)

// maxHookInput bounds what a hook is asked with, in bytes; requirements ask with less than a hundred.
const maxHookInput = 1 << 20

func (f hookFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	with := map[string]any{}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxHookInput))
	if err == nil {
		err = json.Unmarshal(text, &with)
	}
	var answer any
	if err == nil {
		answer, err = f.call(r.Context(), with)
	}
	if answer == nil {
		answer = map[string]any{}
	}
	if err == nil {
		text, err = json.Marshal(answer)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(text)
}

// call calls the function. A panic in it is told as an error: the engine would see a broken connection only.
func (f hookFunc) call(ctx context.Context, with map[string]any) (answer any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f(ctx, with)
}
