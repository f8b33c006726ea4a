// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// behind is a server and the address at which it is found behind traffic.
func behind(t *testing.T, traffic *Traffic, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	front, err := traffic.Front()
	if err != nil {
		t.Fatal(err)
	}
	front.To(server.URL, nil)
	t.Cleanup(func() {
		traffic.Close()
		server.Close()
	})
	if got, want := traffic.Public(server.URL+"/x"), front.URL()+"/x"; got != want {
		t.Errorf("the server is found at %s, want %s", got, want)
	}
	return front.URL()
}

func get(t *testing.T, address string, header ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return answer, string(body)
}

// What is recorded is what passed, and what passes without a mutant is what the server said.
func TestRecordingOfExchanges(t *testing.T) {
	t.Parallel()
	recording := NewRecording()
	address := behind(t, &Traffic{Recording: recording}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Own", "1")
		fmt.Fprintf(w, `{"id":%q,"list":[{"a":1},{"a":2}]}`, r.URL.Path)
	})
	for _, id := range []string{"018fc0a2-7777", "018fc0a2-8888"} {
		if answer, body := get(t, address+"/tasks/"+id); answer.Header.Get("X-Own") != "1" || !strings.Contains(body, id) {
			t.Errorf("the answer is %v %s", answer.Header, body)
		}
	}
	all := NewRecording()
	all.Add("T-1", recording)
	site := Site{"GET /tasks/{tid} 200", "json.list[].a"}
	if got := all.Values(site); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("the values are %q, want 1 and 2", got)
	}
	if got := all.Tests(Mutant{site, Drop, Always}); !slices.Equal(got, []string{"T-1"}) {
		t.Errorf("the tests are %q", got)
	}
	generated := Generate(all)
	for _, want := range []Mutant{{site, Drop, Always}, {Site{site.Kind, "header X-Own"}, Drop, Always}, {Site{site.Kind, "status"}, Status, Always}, {Site{site.Kind, "json.list"}, Swap, Always}} {
		if !slices.Contains(generated, want) {
			t.Errorf("%s is not generated", want)
		}
	}
	for _, m := range generated {
		if m.Mode == Later || m.Mode == Second {
			t.Errorf("%s is generated, though nothing was seen of its mode", m)
		}
	}
}

// Each part of an exchange is changed as the mutant says, in the occurrences of its mode.
func TestMutantsOfExchanges(t *testing.T) {
	t.Parallel()
	const kind = "GET /tasks 200"
	for _, row := range []struct {
		m    Mutant
		want string // of three answers: status, media type and body
	}{
		{Mutant{Site{kind, "status"}, Status, Always}, `202 application/json {"a":1}`},
		{Mutant{Site{kind, "status"}, HTTP500, Always}, `500 application/json {"a":1}`},
		{Mutant{Site{kind, "header Content-Type"}, WrongType, Always}, `200 ~APPLICATION/JSON~ {"a":1}`},
		{Mutant{Site{kind, "body"}, Empty, Always}, `200 application/json `},
		{Mutant{Site{kind, "body"}, Truncate, Always}, `200 application/json {"a`},
		{Mutant{Site{kind, "body"}, Media, Always}, `200 text/plain; charset=utf-8 {"a":1}`},
		{Mutant{Site{kind, "json.a"}, Null, Always}, `200 application/json {"a":null}`},
		{Mutant{Site{kind, "json.a"}, Null, Nth}, `200 application/json {"a":1}`},
		{Mutant{Site{kind, "json.a"}, Null, Later}, `200 application/json {"a":1}`},
		{Mutant{Site{kind, "json.a"}, Null, Second}, `200 application/json {"a":1}`},
		{Mutant{Site{"GET /other 200", "json.a"}, Null, Always}, `200 application/json {"a":1}`},
	} {
		traffic := &Traffic{Mutant: &row.m}
		address := behind(t, traffic, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"a":1}`)
		})
		answer, body := get(t, address+"/tasks", "Authorization", "Bearer one")
		if got := fmt.Sprintf("%d %s %s", answer.StatusCode, answer.Header.Get("Content-Type"), body); got != row.want {
			t.Errorf("%s: the answer is %q, want %q", row.m, got, row.want)
		}
		if changed := row.m.Mode == Always && row.m.Kind == kind; changed != (traffic.Hits() == 1) {
			t.Errorf("%s was at work %d times", row.m, traffic.Hits())
		}
		if row.m.Mode == Always || row.m.Kind != kind {
			continue
		}
		if _, body = get(t, address+"/tasks?cursor=x", "Authorization", "Bearer two"); body != `{"a":null}` {
			t.Errorf("%s: the second answer, of a later page for another client, is %s", row.m, body)
		}
	}
}

// A mutant that leaves a value as it was has not been at work, and says nothing of who did not see it.
func TestMutantsWithoutEffectWereNotAtWork(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		operator, body string
		hits           int
	}{
		{Swap, `{"a":[1]}`, 0}, {Swap, `{"a":[1,2]}`, 1}, {Swap, `{"a":[2,2]}`, 0}, {Duplicate, `{"a":[]}`, 0}, {Duplicate, `{"a":[1]}`, 1},
		{Empty, `{"a":[]}`, 0}, {Empty, `{"a":[1]}`, 1}, {Null, `{"a":null}`, 0}, {Drop, `{"a":null}`, 1},
	} {
		traffic := &Traffic{Mutant: &Mutant{Site{"GET /tasks 200", "json.a"}, row.operator, Always}}
		address := behind(t, traffic, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, row.body)
		})
		if get(t, address+"/tasks", "Authorization", "Bearer one"); traffic.Hits() != row.hits {
			t.Errorf("%s of %s was at work %d times, want %d", row.operator, row.body, traffic.Hits(), row.hits)
		}
	}
}

// Events are changed one by one, and the stream goes on.
func TestMutantsOfStreams(t *testing.T) {
	t.Parallel()
	const stream, event = "GET /stream 200", "GET /stream 200 event task"
	for _, row := range []struct {
		m    Mutant
		want string
	}{
		{Mutant{Site{event, "event"}, Drop, Nth}, "data: {\"task\":1}\n\ndata: {\"task\":3}\n\n"},
		{Mutant{Site{event, "event"}, Swap, Nth}, "data: {\"task\":1}\n\ndata: {\"task\":3}\n\ndata: {\"task\":2}\n\n"},
		{Mutant{Site{event, "event"}, Duplicate, Nth}, "data: {\"task\":1}\n\ndata: {\"task\":2}\n\ndata: {\"task\":2}\n\ndata: {\"task\":3}\n\n"},
		{Mutant{Site{event, "json.task"}, Null, Nth}, "data: {\"task\":1}\n\ndata: {\"task\":null}\n\ndata: {\"task\":3}\n\n"},
		{Mutant{Site{stream, "stream"}, Truncate, Always}, "data: {\"task\":1}\n\n"},
	} {
		address := behind(t, &Traffic{Mutant: &row.m}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for n := 1; n <= 3; n++ {
				fmt.Fprintf(w, "data: {\"task\":%d}\n\n", n)
				http.NewResponseController(w).Flush()
			}
		})
		if _, got := get(t, address+"/stream"); got != row.want {
			t.Errorf("%s: the stream is %q, want %q", row.m, got, row.want)
		}
	}
}

// Frames are changed one by one, and fragments and pings of a variation are read as the same messages.
func TestFrames(t *testing.T) {
	t.Parallel()
	const kind = "WS /attach frame hello"
	for _, row := range []struct {
		name    string
		traffic *Traffic
		want    []string
	}{
		{"nothing", &Traffic{}, []string{`{"op":"hello","n":1}`, `{"op":"hello","n":2}`}},
		{"dropped", &Traffic{Mutant: &Mutant{Site{kind, "frame"}, Drop, Nth}}, []string{`{"op":"hello","n":1}`}},
		{"a member", &Traffic{Mutant: &Mutant{Site{kind, "json.n"}, Drop, Always}}, []string{`{"op":"hello"}`, `{"op":"hello"}`}},
		{"fragments", &Traffic{Variation: "fragmented messages"}, []string{`{"op":"hello","n":1}`, `{"op":"hello","n":2}`}},
		{"pings", &Traffic{Variation: "pings in between"}, []string{`{"op":"hello","n":1}`, `{"op":"hello","n":2}`}},
	} {
		address := behind(t, row.traffic, func(w http.ResponseWriter, r *http.Request) {
			c, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			for n := 1; n <= 2; n++ {
				_ = c.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, `{"op":"hello","n":%d}`, n))
			}
			c.Close(websocket.StatusNormalClosure, "")
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(address, "http")+"/attach", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			_, text, err := c.Read(ctx)
			if err != nil {
				break
			}
			got = append(got, string(text))
		}
		cancel()
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: the messages are %q, want %q", row.name, got, row.want)
		}
	}
}

// A delivery is changed on its way, or sent twice, or not at all.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	const kind = "DELIVERY statusUpdate"
	for _, row := range []struct {
		m    Mutant
		want []string
	}{
		{Mutant{Site{kind, "delivery"}, Drop, Always}, nil},
		{Mutant{Site{kind, "delivery"}, Duplicate, Always}, []string{`{"statusUpdate":1}`, `{"statusUpdate":1}`}},
		{Mutant{Site{kind, "json.statusUpdate"}, Null, Always}, []string{`{"statusUpdate":null}`}},
		{Mutant{Site{kind, "body"}, Empty, Always}, []string{""}},
	} {
		var got []string
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = append(got, string(body))
		}))
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, receiver.URL, strings.NewReader(`{"statusUpdate":1}`))
		traffic := &Traffic{Mutant: &row.m}
		answer, err := traffic.Unsigned(http.DefaultTransport, request)
		receiver.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %v, %v", row.m, answer, err)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: delivered is %q, want %q", row.m, got, row.want)
		}
	}
}
