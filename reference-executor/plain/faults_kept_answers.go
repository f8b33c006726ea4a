// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// keptAnswerFaults give the answer to one request to another one, as what stands before a server may.
var keptAnswerFaults = map[string]func(*behaviour){
	"tasks-that-were-read-are-kept-for-every-caller": keptForAll(func(path string) bool { return strings.HasPrefix(path, restPath+"/tasks/") }),
	"lists-that-were-read-are-kept-for-every-caller": keptForAll(func(path string) bool { return path == restPath+"/tasks" }),
	"rpc-calls-of-one-id-share-an-answer": func(b *behaviour) {
		type pending struct {
			done chan struct{}
			answer
		}
		var mu sync.Mutex
		calls := map[string]*pending{} // by their id
		beforeServing(b, func(s *Server, r *http.Request, serve func() answer) answer {
			var envelope struct {
				ID json.RawMessage `json:"id"`
			}
			text, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text), r.Body))
			if !s.b.rpc.at(r.URL.EscapedPath()) || err != nil || json.Unmarshal(text, &envelope) != nil || len(envelope.ID) == 0 {
				return serve()
			}
			mu.Lock()
			other := calls[string(envelope.ID)]
			own := &pending{done: make(chan struct{})}
			if other == nil {
				calls[string(envelope.ID)] = own
			}
			mu.Unlock()
			if other != nil {
				if <-other.done; other.stream != nil {
					return serve()
				}
				return other.again()
			}
			own.answer = serve()
			mu.Lock()
			delete(calls, string(envelope.ID))
			mu.Unlock()
			close(own.done)
			return own.again()
		})
	},
}

// keptForAll keeps what was read at some paths, by its url, and shows it to other callers for two seconds.
func keptForAll(at func(path string) bool) func(*behaviour) {
	type kept struct {
		answer
		since time.Time
		whose string
	}
	return func(b *behaviour) {
		var answers sync.Map // by url
		beforeServing(b, func(s *Server, r *http.Request, serve func() answer) answer {
			token, _ := s.b.security.token(r.Header)
			who, known := s.principal(token)
			if !known || r.Method != http.MethodGet || !at(r.URL.EscapedPath()) {
				return serve()
			}
			if found, ok := answers.Load(r.URL.String()); ok {
				if old := found.(kept); old.whose != who.name && time.Since(old.since) < 2*time.Second {
					return old.again()
				}
			}
			a := serve()
			if a.status == http.StatusOK && a.stream == nil {
				answers.Store(r.URL.String(), kept{a.again(), time.Now(), who.name})
			}
			return a
		})
	}
}

// servedWithin is the key of the context of a request that is being served for another look at it.
type servedWithin struct{}

// beforeServing lets look answer in place of the server, which it may ask.
func beforeServing(b *behaviour, look func(s *Server, r *http.Request, serve func() answer) answer) {
	b.http.before = func(s *Server, r *http.Request) (answer, bool) {
		if r.Context().Value(servedWithin{}) != nil {
			return answer{}, false
		}
		return look(s, r, func() answer {
			return s.answer(r.WithContext(context.WithValue(r.Context(), servedWithin{}, true)))
		}), true
	}
}

// again is an answer that can be given once more.
func (a answer) again() answer {
	a.header = maps.Clone(a.header)
	return a
}
