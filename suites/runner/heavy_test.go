// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/webhooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// However many tests get heavy answers at once, each is judged.
func TestHeavyAnswersAreJudged(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /hangs": func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, `["`+strings.Repeat("x", jsontext.Heavy)+`"]`)
		},
		"GET /values": func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, "["+strings.Repeat("1,", jsontext.MaxValues*3)+"1]")
		},
	}}
	out := against(t, f, silentTests(12)+`
  - {id: T-101, test: v, must: m, source: s, steps: [{request: "GET ${api}/values", expect: {status: 200, json: {is_a: array}}}]}
  - {id: T-102, test: w, must: m, source: s, steps: [{together: 4, steps: [{request: "GET ${api}/hangs", expect: {status: 200}}]}]}
`)
	if out.Summary.Pass != 13 || out.Summary.Blocked != 1 || out.Results[12].Reason == nil || !strings.Contains(out.Results[12].Reason.Detail, "and was not taken apart") {
		t.Error(summary(out))
	}
}

// However many clients of one test get heavy answers, however often, they hold so many bytes and no more.
func TestARowHoldsSoManyBytes(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	f := &fake{routes: map[string]http.HandlerFunc{"GET /long": func(w http.ResponseWriter, q *http.Request) {
		asked.Add(1)
		io.WriteString(w, strings.Repeat("x", 3<<20))
	}}}
	out := against(t, f, `
  - {id: T-001, test: v, must: m, source: s, steps: [{together: 4, steps: [{poll: "GET ${api}/long", every: 1ms, times: 60, expect: {answers: {length: 60}}}]}]}
`)
	if out.Summary.Blocked != 1 || !strings.Contains(out.Results[0].Reason.Detail, "too long") || asked.Load() > 40/3+4 {
		t.Errorf("asked %d times: %s", asked.Load(), summary(out))
	}
}

// TestNobodyLooksAtWhatCameTooLate: what was waiting when the time of the run was up is not taken apart any more. All of it at
// once would take as much memory as the turns save, and hold the report up.
func TestNobodyLooksAtWhatCameTooLate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body        string
		over, right bool
		told        int
	}{
		"a light one, behind the end":                {`[1]`, true, false, 1},
		"a heavy one, while the run goes on":         {strings.Repeat(" ", 2<<20), false, true, 1},
		"a heavy one that had its turn at the end":   {strings.Repeat(" ", 2<<20), true, true, 1},
		"a heavy one that waited until the end came": {strings.Repeat(" ", 2<<20), true, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := testPlayer(t, "http://127.0.0.1:1", Target{})
			if !row.right {
				p.run.weights.NewRow().Take(t.Context(), make([]byte, jsontext.Heavy+1), 0) // another row has it
			}
			ctx, end := context.WithCancelCause(t.Context())
			defer end(nil)
			if p.ctx = ctx; row.over && !row.right {
				end(target.ErrTimeIsUp)
			}
			p.weight.Take(p.ctx, []byte(row.body), 0)
			if row.over {
				end(target.ErrTimeIsUp)
			}
			told := 0
			p.run.observers = observe.List{{Exchange: func(*observe.Exchange) { told++ }}}
			x := &target.Exchange{Request: &target.Request{}}
			x.Request.URL = "http://127.0.0.1:1/v1/x"
			x.Status, x.Body = 200, []byte(row.body)
			teller{p}.exchange(x)
			if told != row.told {
				t.Errorf("observers were told of %d, want %d", told, row.told)
			}
			if x.JSON == nil {
				t.Error("nothing takes it apart any more, though somebody may ask")
			}
		})
	}
}

func TestReadBounded(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	zeros := func(n int) func() io.Reader { return func() io.Reader { return bytes.NewReader(make([]byte, n)) } }
	for _, test := range []struct {
		name string
		r    func() io.Reader
		want int
		err  error
	}{
		{"nothing", zeros(0), 0, nil},
		{"less", zeros(999_999), 999_999, nil},
		{"as much", zeros(1_000_000), 1_000_000, nil},
		{"more", zeros(1_000_001), 1_000_000, wire.ErrTooLong},
		{"byte by byte", func() io.Reader { return iotest.OneByteReader(zeros(1_000_000)()) }, 1_000_000, nil},
		{"data with the end", func() io.Reader { return iotest.DataErrReader(zeros(700)()) }, 700, nil},
		{"breaks", func() io.Reader { return io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)) }, 3, broken},
	} {
		for _, announced := range []int64{-1, 0, 1, 300_000, int64(test.want), 1 << 40} {
			if b, err := wire.ReadBounded(test.r(), announced, 1_000_000, nil); len(b) != test.want || err != test.err {
				t.Errorf("%s, %d announced: %d bytes, %v", test.name, announced, len(b), err)
			}
		}
	}
}

// While a heavy body is read the room for it is asked for, and never for a light one.
func TestRoomForABody(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		length, room int
		asked, whole bool
	}{
		{name: "light", length: jsontext.Heavy, whole: true},
		{name: "heavy", length: 3 << 20, room: 3<<20 + 100<<10, asked: true, whole: true},
		{name: "heavy, and no room", length: 3 << 20, room: 2 << 20, asked: true},
	} {
		for _, announced := range []int64{-1, int64(test.length)} {
			total := 0
			b, err := wire.ReadBounded(bytes.NewReader(make([]byte, test.length)), announced, wire.MaxBody, func(size int) bool {
				total = size
				return size <= test.room
			})
			if total > 0 != test.asked || (err == nil) != test.whole || test.whole && len(b) != test.length {
				t.Errorf("%s, %d announced: asked for %d bytes, read %d, %v", test.name, announced, total, len(b), err)
			}
		}
	}
}

// What many clients of one test saw is held together while it is judged: nothing passes on a part of it.
func TestClientsHoldSoMuch(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /values": func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "["+strings.Repeat("1,", 150_000)+"1]")
		},
	}}
	out := against(t, f, `
  - {id: T-101, test: v, must: m, source: s, steps: [{together: 12, steps: [{request: "GET ${api}/values"}], expect: {branches: {each: {.status: 200}}}}]}
  - {id: T-102, test: w, must: m, source: s, steps: [{together: 12, steps: [{request: "GET ${api}/values", expect: {status: 200}}]}]}
`)
	if out.Summary.Pass != 1 || out.Summary.Blocked != 1 {
		t.Fatal(summary(out))
	}
	// Which of the two it is depends on how many have their answer before the last one asks.
	says := regexp.MustCompile("the answers to (the 12 clients are longer than what is kept of them|this test are too long)")
	if reason := out.Results[0].Reason; reason == nil || !says.MatchString(reason.Detail) {
		t.Errorf("it is blocked for %+v", reason)
	}
}

// A client of many is held to the end of its test for what it has opened, not for what it saw.
func TestWhichClientsAreHeld(t *testing.T) {
	t.Parallel()
	held := &webhooks.Receiver{}
	from := &player{receivers: map[string]*webhooks.Receiver{"a": held}}
	for _, row := range []struct {
		name   string
		branch player
		want   bool
	}{
		{"one that asked", player{actors: map[string]*actor{"": {}}, receivers: map[string]*webhooks.Receiver{"a": held}}, false},
		{"one with a terminal", player{actors: map[string]*actor{"": {socket: &socket{}}}, receivers: from.receivers}, true},
		{"one with a stream", player{actors: map[string]*actor{"": {stream: &stream{}}}, receivers: from.receivers}, true},
		{"one with a receiver", player{receivers: map[string]*webhooks.Receiver{"a": {}}}, true},
		{"one whose clients have something", player{branches: []*player{{}}, receivers: from.receivers}, true},
	} {
		if got := (client{&row.branch}).opened(from); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
