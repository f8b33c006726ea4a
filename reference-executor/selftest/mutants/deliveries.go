// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"maps"
)

// deliveryKind begins the kinds of what a server sends to webhooks.
const deliveryKind = "DELIVERY"

func kindOfDelivery(body []byte) string {
	v, ok := decode(body)
	if !ok {
		return deliveryKind
	}
	return deliveryKind + " " + toldBy(v)
}

// Body changes the body of a delivery before the server signs it.
func (t *Traffic) Body(body []byte) []byte {
	kind := kindOfDelivery(body)
	if !t.meant(kind) || !strings.HasPrefix(t.Mutant.Part, "json") {
		return body
	}
	v, ok := decode(body)
	if !ok || !has(v, "json", t.Mutant.Part) || !t.fires(kind, t.Mutant.Part, circumstance{large: len(body) >= largeBody}) {
		return body
	}
	return encode(t.edited(v))
}

// Unsigned sends a delivery of a server that does not sign what it delivers, so that its body is changed as well.
func (t *Traffic) Unsigned(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	return t.deliver(next, request, true)
}

// Through sends a delivery, changed but for its body.
func (t *Traffic) Through(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	return t.deliver(next, request, false)
}

func (t *Traffic) deliver(next http.RoundTripper, request *http.Request, unsigned bool) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	kind, c := kindOfDelivery(body), circumstance{large: len(body) >= largeBody}
	t.noteDelivery(kind, c, request, body)
	if unsigned {
		body = t.Body(body)
	}
	times := t.deliveries()
	if t.meant(kind) {
		body, times = t.changeDelivery(kind, c, request, body)
	}
	if times == 0 {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: request}, nil
	}
	var answer *http.Response
	for range times {
		if answer != nil {
			answer.Body.Close()
		}
		again := request.Clone(request.Context())
		again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if answer, err = next.RoundTrip(again); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func (t *Traffic) noteDelivery(kind string, c circumstance, request *http.Request, body []byte) {
	if t.Recording == nil {
		return
	}
	n := notebook{kind, c, t.Recording}
	n.note("delivery", "")
	n.note("method", request.Method)
	n.note("body", "")
	for _, name := range slices.Sorted(maps.Keys(request.Header)) {
		if !plumbing[strings.ToLower(name)] {
			n.note("header "+name, request.Header.Get(name))
		}
	}
	if v, ok := decode(body); ok {
		walk(v, "json", func(path string, v any) { n.note(path, string(encode(v))) })
	}
}

// changeDelivery applies the mutant to a delivery, and says how often it is sent.
func (t *Traffic) changeDelivery(kind string, c circumstance, request *http.Request, body []byte) ([]byte, int) {
	m := t.Mutant
	part, name, _ := strings.Cut(m.Part, " ")
	switch {
	case strings.HasPrefix(part, "json"), part == "header" && request.Header.Get(name) == "", !t.fires(kind, m.Part, c):
		return body, 1
	case part == "header":
		value, keep := textEdit(m.Operator, request.Header.Get(name), t.Seen, m.String())
		request.Header.Del(name)
		if keep {
			request.Header.Set(name, value)
		}
		if m.Operator == Duplicate {
			request.Header.Add(name, value)
		}
	case part == "method":
		request.Method = http.MethodPut
	case m.Operator == Drop:
		return body, 0
	case m.Operator == Duplicate:
		return body, 2
	case m.Operator == Delay:
		t.pause()
	case m.Operator == Empty:
		return nil, 1
	case m.Operator == Truncate:
		return body[:len(body)/2], 1
	case m.Operator == Media:
		request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	return body, 1
}
