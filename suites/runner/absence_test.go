// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A mortal is a server that dies of a request, with all its connections, and may be started again at the same address.
type mortal struct {
	http.Handler
	address string
	deaths  int           // it dies of that many such requests
	again   *testing.T    // who starts it again soon after; nil: nobody does
	when    chan struct{} // but not before this is closed; nil: at once

	mu     sync.Mutex
	server *http.Server
}

func (m *mortal) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if !strings.HasSuffix(q.URL.Path, "/deadly") {
		m.Handler.ServeHTTP(w, q)
		return
	}
	if m.when != nil {
		<-m.when
	}
	m.mu.Lock()
	m.deaths--
	dies := m.deaths >= 0
	m.mu.Unlock()
	if !dies {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	m.server.Close()
	if m.again != nil {
		time.AfterFunc(100*time.Millisecond, func() { m.listen(m.again) })
	}
}

// listen serves at the address, or at a free one where it has none yet.
func (m *mortal) listen(t *testing.T) {
	t.Helper()
	line, err := net.Listen("tcp", m.address)
	if err != nil {
		t.Error(err)
		return
	}
	m.address = line.Addr().String()
	server := &http.Server{Handler: m}
	m.mu.Lock()
	m.server = server
	m.mu.Unlock()
	t.Cleanup(func() { server.Close() })
	go func() { _ = server.Serve(line) }()
}

const deadlyTest = `
  - {id: D-001, test: deadly, must: m, source: s, steps: [{request: "GET ${api}/deadly", expect: {status: 404}}]}
`

// plainTests are that many tests of a route that is answered.
func plainTests(n int) (all string) {
	for i := range n {
		all += fmt.Sprintf("  - {id: T-%03d, test: t%d, must: m, source: s, steps: [{request: \"GET ${api}/tasks\", expect: {status: 200}}]}\n", i, i)
	}
	return all
}

func idsOf(results []report.Result, outcome report.Outcome) (ids []string) {
	for i := range results {
		if results[i].Outcome == outcome {
			ids = append(ids, results[i].ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func TestATargetThatDiesBlocksWhatItDidNotAnswer(t *testing.T) {
	t.Parallel()
	const besides = `
  - {id: H-001, test: hangs, must: m, source: s, steps: [{request: "GET ${api}/hangs", expect: {status: 200}}]}
`
	for _, test := range []struct {
		name, suite string
		jobs        int
		failed      []string
		verdict     report.Verdict
		told        string
	}{
		{"of the one request that was under way", deadlyTest + plainTests(3), 1, []string{"D-001"}, report.Failed, "with --run: D-001"},
		{"of one of two", besides + deadlyTest + plainTests(3), 2, nil, report.Incomplete, "with --run: D-001, H-001"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			hangs := make(chan struct{})
			f := &fake{tasks: map[string]string{}, routes: map[string]http.HandlerFunc{"GET /hangs": func(_ http.ResponseWriter, q *http.Request) {
				close(hangs)
				<-q.Context().Done()
			}}}
			if test.jobs == 1 {
				close(hangs)
			}
			m := &mortal{address: "127.0.0.1:0", deaths: 1, when: hangs, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { f.ServeHTTP(w, q) })}
			m.listen(t)
			out := runAll(t, loaded(t, test.suite), Target{ExecutorURL: "http://" + m.address + "/agents/" + fakeInstance}, Options{Jobs: test.jobs, Timeout: time.Second})
			out.Settle()
			if failed := idsOf(out.Results, report.Fail); !slices.Equal(failed, test.failed) || out.Verdict != test.verdict {
				t.Errorf("%s, failed: %v", out.Verdict, failed)
			}
			if blocked := idsOf(out.Results, report.Blocked); len(blocked)+len(test.failed) != len(out.Results) {
				t.Errorf("blocked: %v", blocked)
			}
			if len(out.Causes) != 1 || !strings.HasPrefix(out.Causes[0].Says, "the target went away: nothing listens at "+m.address) || len(out.Causes[0].Tests) != len(out.Results) {
				t.Errorf("causes: %+v", out.Causes)
			}
			if !slices.ContainsFunc(out.Warnings, func(w string) bool { return strings.HasSuffix(w, test.told) }) {
				t.Errorf("warnings: %q", out.Warnings)
			}
		})
	}
}

func TestWhatWasPlayedWhileTheTargetWasAwayIsPlayedAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		deaths int // in a row
		failed []string
	}{
		{"once", 1, nil},
		{"whenever it is asked that", 100, []string{"D-001"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{tasks: map[string]string{}}
			m := &mortal{address: "127.0.0.1:0", deaths: test.deaths, Handler: f}
			m.listen(t)
			m.again = t
			out := runAll(t, loaded(t, deadlyTest+plainTests(12)), Target{ExecutorURL: "http://" + m.address + "/agents/" + fakeInstance}, Options{Jobs: 4, Timeout: 5 * time.Second})
			if failed := idsOf(out.Results, report.Fail); !slices.Equal(failed, test.failed) || out.Summary.Pass != len(out.Results)-len(test.failed) {
				t.Errorf("failed: %v, blocked: %v", failed, idsOf(out.Results, report.Blocked))
			}
			if !slices.ContainsFunc(out.Warnings, func(w string) bool { return strings.HasPrefix(w, "nothing listened at "+m.address+" for ") }) {
				t.Errorf("warnings: %q", out.Warnings)
			}
		})
	}
}
