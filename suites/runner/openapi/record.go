// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

const (
	// maxAnswers and MaxOfAnswers bound the different answers of a run that are kept, and their bodies.
	maxAnswers, MaxOfAnswers = 8000, 24 << 20
	// longestAnswer is the longest body that is kept.
	longestAnswer = 1 << 20
)

// A Record keeps the answers of a run that are JSON, each different one once, to be held against the document at its end. It may be used by
// many goroutines at once.
type Record struct {
	mu      sync.Mutex
	held    *budget.Part
	known   map[[sha256.Size]byte]bool
	answers []answer
	unkept  int // answers for which there was no room
}

// An answer is what came back to a request.
type answer struct {
	method, path string // of the request; the path without a query
	status       int
	test         string
	body         []byte
}

// NewRecord is a record that keeps what it may of a budget.
func NewRecord(held *budget.Budget) *Record {
	return &Record{held: held.Part(MaxOfAnswers), known: map[[sha256.Size]byte]bool{}}
}

// Observer fills the record.
func (r *Record) Observer() observe.Observer {
	return observe.Observer{Exchange: func(x *observe.Exchange) {
		if !x.IsWhole() || !isJSON(x.Header.Get("Content-Type")) {
			return
		}
		u, err := url.Parse(x.URL)
		if err != nil {
			return
		}
		r.keep(answer{method: x.Method, path: u.EscapedPath(), status: x.Status, test: x.Test, body: x.Body})
	}}
}

func (r *Record) keep(a answer) {
	sum := sha256.New()
	sum.Write([]byte(a.method + " " + a.path + " " + string(rune(a.status)) + "\n"))
	sum.Write(a.body)
	key := [sha256.Size]byte(sum.Sum(nil))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[key] {
		return
	}
	if len(a.body) > longestAnswer || len(r.answers) >= maxAnswers || !r.held.Take(int64(len(a.body))) {
		r.unkept++
		return
	}
	r.known[key] = true
	r.answers = append(r.answers, a)
}

// seen are the answers so far to requests whose path begins so, and how many were not kept.
func (r *Record) seen(below string) (all []answer, unkept int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.answers {
		if strings.HasPrefix(a.path, below) {
			all = append(all, a)
		}
	}
	return all, r.unkept
}

func (a *answer) json() any { return jsontext.Parse(a.body) }

// isNoJSON says whether the body says something that is no JSON, however it goes on: one that is empty or that only ends too early is not
// meant, because a run stops reading a stream when its time is over.
func (a *answer) isNoJSON() bool {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(a.body, []byte("\xef\xbb\xbf"))))
	var first json.RawMessage
	if err := d.Decode(&first); err != nil {
		return !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
	}
	_, err := d.Token()
	return !errors.Is(err, io.EOF)
}
