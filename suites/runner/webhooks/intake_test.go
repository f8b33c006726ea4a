// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
)

// maxOfAll is what the budget of a test has room for.
const maxOfAll = 96 << 20

// listening is a listener, with the address of one receiver.
func listening(t *testing.T) (l *Listener, address string) {
	t.Helper()
	l = New(budget.Of(maxOfAll))
	t.Cleanup(l.Close)
	base, err := l.Open("", "")
	if err != nil {
		t.Fatal(err)
	}
	return l, base + l.Discard()
}

// receiving is a receiver of a listener of its own, with its address.
func receiving(t *testing.T, terms Terms) (r *Receiver, address string) {
	t.Helper()
	l := New(budget.Of(maxOfAll))
	t.Cleanup(l.Close)
	base, err := l.Open("", "")
	if err != nil {
		t.Fatal(err)
	}
	r = l.Listen(terms)
	return r, base + r.Path
}

// What a target sends over a bound is refused, counted, and said.
func TestWhatIsOverABoundIsRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		send func(t *testing.T, w *Listener, address string) string // the status that came, or what came instead
		want string
		told string
	}{
		"an ordinary delivery": {
			func(t *testing.T, _ *Listener, address string) string { return post(t, address, nil, "{}") }, "200", ""},
		"201 lines of a header": {
			func(t *testing.T, _ *Listener, address string) string {
				return post(t, address, func(h http.Header) {
					for i := range maxLines + 1 {
						h.Add("X-Line", fmt.Sprint(i))
					}
				}, "{}")
			}, "431", tooManyLines},
		"a header of 100 KiB": {
			func(t *testing.T, _ *Listener, address string) string {
				return post(t, address, func(h http.Header) { h.Set("X-Long", strings.Repeat("a", 100<<10)) }, "{}")
			}, "431", neverCame},
		"no HTTP": {
			func(t *testing.T, _ *Listener, address string) string {
				return sentRaw(t, address, "\x16\x03\x01 hello\r\n\r\n")
			}, "400", neverCame},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, address := listening(t)
			if got := row.send(t, w, address); got != row.want {
				t.Errorf("it was answered with %s, want %s", got, row.want)
			}
			told := ""
			for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				if told = w.Refused(); told != "" || row.told == "" {
					break
				}
			}
			if !strings.Contains(told, row.told) || row.told == "" && told != "" {
				t.Errorf("the run says %q, want %q", told, row.told)
			}
		})
	}
}

// More connections than a target has reason to hold are not taken; those that are there go on.
func TestConnectionsToWebhooksAreBounded(t *testing.T) {
	t.Parallel()
	w, address := listening(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var held []net.Conn
	for range maxSenders + 50 {
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n", u.Path)
		held = append(held, conn)
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.HasPrefix(w.Refused(), "50 requests to webhooks were refused"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the run says %q, want 50 connections refused", w.Refused())
		}
	}
	for _, conn := range held {
		conn.Close()
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if answer, err := http.Post(address, "application/json", strings.NewReader("{}")); err == nil {
			answer.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no connection is taken any more, after all were closed")
		}
	}
}

func TestReadingOfDeliveriesIsBounded(t *testing.T) {
	t.Parallel()
	held := budget.Of(maxOfAll)
	i := intake{arriving: held.Part(maxArriving), kept: held.Part(maxKept)}
	text, done, err := i.read(strings.NewReader(strings.Repeat("a", 1000)))
	if len(text) != 1000 || err != nil || i.arriving.Held() != 1000 {
		t.Errorf("%d bytes, %v; %d are arriving", len(text), err, i.arriving.Held())
	}
	if done(); i.arriving.Held() != 0 {
		t.Errorf("%d bytes are still arriving", i.arriving.Held())
	}
	i.arriving.Take(maxArriving - 10)
	if _, done, err = i.read(strings.NewReader(strings.Repeat("a", 1000))); err == nil || !strings.Contains(i.summary(), tooMuchAtOnce) {
		t.Errorf("%v; the run says %q", err, i.summary())
	}
	if done(); i.arriving.Held() != maxArriving-10 {
		t.Errorf("%d bytes are arriving", i.arriving.Held())
	}
	r := &Receiver{intake: &i}
	i.kept.Take(maxKept - 10)
	if r.room(11) || !r.room(10) {
		t.Error("more is kept than there is room for")
	}
	if r.release(); i.kept.Held() != maxKept-10 {
		t.Errorf("%d bytes are kept", i.kept.Held())
	}
}

func post(t *testing.T, address string, change func(http.Header), body string) string {
	t.Helper()
	q, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(q.Header)
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(q)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return fmt.Sprint(answer.StatusCode)
}

func sentRaw(t *testing.T, address, text string) string {
	t.Helper()
	u, _ := url.Parse(address)
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, text)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err.Error()
	}
	answer.Body.Close()
	return fmt.Sprint(answer.StatusCode)
}

func TestDeliveriesThatAreNotKeptAreSaid(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		header func(http.Header)
		body   string
		unkept bool
	}{
		"an ordinary delivery": {nil, "{}", false},
		"one that is too long": {nil, strings.Repeat("x", maxDelivery+1), true},
		"one of 201 header lines": {func(h http.Header) {
			for i := range maxLines + 1 {
				h.Add("X-Line", fmt.Sprint(i))
			}
		}, "{}", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, address := receiving(t, Terms{Guard: func(string) {}})
			post(t, address, row.header, row.body)
			if o, _, _ := r.Observe(); (o.Partly != "") != row.unkept {
				t.Errorf("what is not known is %q", o.Partly)
			}
		})
	}
}
