// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

func TestHeavyAnswersAreNotTakenApart(t *testing.T) {
	t.Parallel()
	text := `"` + strings.Repeat("x", 2*heavyBody) + `"`
	for _, test := range []struct {
		name, body string
		missing    bool
	}{
		{"a long text", text, false},
		{"many values", "[" + strings.Repeat("1,", mostValues*3) + "1]", true},
		{"no JSON", strings.Repeat("[", 2*heavyBody), true},
		{"cut", text[:len(text)-1], true},
		{"small", "[1,2]", false},
	} {
		if got := assertions.IsMissing(parseJSON([]byte(test.body))); got != test.missing {
			t.Errorf("%s: missing is %t", test.name, got)
		}
	}
}

// However many tests get heavy answers at once, each is judged.
func TestHeavyAnswersAreJudged(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /hangs": func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, `["`+strings.Repeat("x", heavyBody)+`"]`)
		},
		"GET /values": func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, "["+strings.Repeat("1,", mostValues*3)+"1]")
		},
	}}
	out := against(t, f, silentTests(12)+`
  - {id: T-101, test: v, must: m, source: s, steps: [{request: "GET ${api}/values", expect: {status: 200, json: {is_a: array}}}]}
  - {id: T-102, test: w, must: m, source: s, steps: [{together: 4, steps: [{request: "GET ${api}/hangs", expect: {status: 200}}]}]}
`)
	if out.Summary.Pass != 13 || out.Summary.Fail != 1 || !strings.Contains(summary(out), "and was not taken apart") {
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
	if out.Summary.Blocked != 1 || !strings.Contains(out.Results[0].Reason.Detail, "too long") || asked.Load() > mostHeavy/(3<<20)+4 {
		t.Errorf("asked %d times: %s", asked.Load(), summary(out))
	}
}

func TestReadBounded(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		r    io.Reader
		want int
		err  error
	}{
		{"nothing", strings.NewReader(""), 0, nil},
		{"less", bytes.NewReader(make([]byte, 4999)), 4999, nil},
		{"as much", bytes.NewReader(make([]byte, 5000)), 5000, nil},
		{"more", bytes.NewReader(make([]byte, 5001)), 5000, errTooLong},
		{"byte by byte", iotest.OneByteReader(bytes.NewReader(make([]byte, 5000))), 5000, nil},
		{"data with the end", iotest.DataErrReader(bytes.NewReader(make([]byte, 700))), 700, nil},
		{"breaks", io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), 3, broken},
	} {
		b, err := readBounded(test.r, 5000)
		if len(b) != test.want || err != test.err {
			t.Errorf("%s: %d bytes, %v", test.name, len(b), err)
		}
	}
}
