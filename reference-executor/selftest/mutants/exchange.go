// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// plumbing are headers of the connection, not of what is said on it.
var plumbing = map[string]bool{"connection": true, "transfer-encoding": true, "content-length": true, "keep-alive": true}

// parts visits the parts of an exchange that can be changed, each with the value it has.
func exchangeParts(h *head, body []byte, visit func(part, value string)) {
	visit("status", itoa(h.status))
	headParts(h, visit)
	if len(body) > 0 {
		visit("body", "")
	}
	if v, ok := decode(body); ok {
		walk(v, "json", func(path string, v any) { visit(path, string(encode(v))) })
	} else if isMetrics(h) {
		for line := range strings.Lines(string(body)) {
			if name := metricName(line); name != "" {
				visit("metric "+name, strings.TrimSpace(line))
			}
		}
	}
}

func headParts(h *head, visit func(part, value string)) {
	for _, f := range h.fields {
		if !plumbing[strings.ToLower(f.name)] {
			visit("header "+http.CanonicalHeaderKey(f.name), f.value)
		}
	}
}

// change applies the mutant to an exchange. cut says that the connection ends in the middle.
func (f *Front) change(kind string, q *question, h *head, body []byte) (changed []byte, cut bool) {
	t := f.traffic
	m := t.Mutant
	switch part, name, _ := strings.Cut(m.Part, " "); {
	case part == "status":
		if t.fires(kind, m.Part, q.circumstance) {
			h.status, h.reason = wrongStatus(h.status, m.Operator, t.Seen, m.String())
		}
	case part == "header":
		if h.get(name) != "" && t.fires(kind, m.Part, q.circumstance) {
			t.changeHeader(h, name)
		}
	case part == "body":
		if len(body) > 0 && t.fires(kind, m.Part, q.circumstance) {
			return t.changeBody(h, body)
		}
	case part == "metric":
		return t.changeMetric(kind, q, name, body), false
	case strings.HasPrefix(part, "json"):
		return f.changeValue(kind, q, h, body), false
	}
	return body, false
}

// changeHeader applies the mutant to a header.
func (t *Traffic) changeHeader(h *head, name string) {
	old := h.get(name)
	if t.Mutant.Operator == Duplicate {
		h.fields = append(h.fields, field{name, old})
		return
	}
	value, keep := textEdit(t.Mutant.Operator, old, t.Seen, t.Mutant.String())
	if !keep {
		h.del(name)
		return
	}
	h.set(name, value)
}

// changeBody applies the mutant to a body as a whole.
func (t *Traffic) changeBody(h *head, body []byte) (changed []byte, cut bool) {
	switch t.Mutant.Operator {
	case Empty:
		return nil, false
	case Truncate:
		return body[:len(body)/2], false
	case Cut:
		h.set("Content-Length", itoa(len(body)))
		h.del("Transfer-Encoding")
		return body[:len(body)/2], true
	case Media:
		h.set("Content-Type", "text/plain; charset=utf-8")
	case HTML:
		h.set("Content-Type", "text/html; charset=utf-8")
		return []byte("<!doctype html><title>Oops</title><h1>Something went wrong</h1>"), false
	case Duplicate:
		return append(body[:len(body):len(body)], body...), false
	case Delay:
		t.pause()
	}
	return body, false
}

// changeValue applies the mutant to the values at its path.
func (f *Front) changeValue(kind string, q *question, h *head, body []byte) []byte {
	t := f.traffic
	v, ok := decode(body)
	if !ok || !has(v, "json", t.Mutant.Part) || !t.fires(kind, t.Mutant.Part, q.circumstance) {
		return body
	}
	v = t.edited(v)
	if h.status == http.StatusOK && !strings.Contains(t.Mutant.Part, "signature") {
		f.signAgain(q.path, v)
	}
	return encode(v)
}

// signAgain signs the card that an answer is, or holds as the result of a JSON-RPC call, if it was signed.
func (f *Front) signAgain(path string, v any) {
	object, is := v.(map[string]any)
	if result, inside := object["result"].(map[string]any); is && inside {
		object = result
	}
	if _, signed := object["signatures"].([]any); !signed || f.sign == nil {
		return
	}
	if signatures := f.sign(path, object); signatures != nil {
		object["signatures"] = signatures
	}
}

// edited is a value with the mutant in it. Where that is the value that it was, as of a list of one element whose order is changed, the
// mutant has not been at work.
func (t *Traffic) edited(v any) any {
	before := encode(v)
	v, _, _ = change(v, "json", t.Mutant.Part, valueEdit(t.Mutant.Operator, t.Seen, t.Mutant.String()))
	if bytes.Equal(encode(v), before) {
		t.unchanged()
	}
	return v
}

// has says whether there is a value at the path.
func has(v any, at, path string) bool {
	if at == path {
		return true
	}
	if !strings.HasPrefix(path, at) {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if has(member, at+step(key), path) {
				return true
			}
		}
	case []any:
		for _, element := range v {
			if has(element, at+"[]", path) {
				return true
			}
		}
	}
	return false
}

// neighbours are statuses that servers take for each other.
var neighbours = map[int]int{200: 202, 201: 200, 202: 200, 204: 200, 400: 422, 401: 403, 403: 404, 404: 400, 405: 404, 406: 400,
	409: 400, 413: 400, 415: 400, 422: 400, 429: 503, 410: 404, 500: 200, 501: 500, 503: 500, 101: 200, 426: 400, 428: 400}

// wrongStatus is another status: that of a server error, one that servers confuse with it, or one that the route answers
// elsewhere.
func wrongStatus(status int, operator string, seen []string, id string) (int, string) {
	wrong := http.StatusInternalServerError
	switch {
	case operator == Other:
		if value, err := strconv.Atoi(strings.Trim(string(encode(otherValue(itoa(status), quotedAll(seen), id))), `"`)); err == nil && value != status {
			wrong = value
		}
	case operator == Status && neighbours[status] != 0:
		wrong = neighbours[status]
	}
	return wrong, http.StatusText(wrong)
}

func quotedAll(values []string) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = strconv.Quote(v)
	}
	return all
}

func isMetrics(h *head) bool {
	return strings.HasPrefix(h.get("Content-Type"), "text/plain") || strings.HasPrefix(h.get("Content-Type"), "application/openmetrics-text")
}

// metricName is the name of a sample line of the exposition format; "" of anything else.
func metricName(line string) string {
	end := strings.IndexAny(line, "{ ")
	if end <= 0 || strings.HasPrefix(line, "#") {
		return ""
	}
	for _, c := range line[:end] {
		if c != '_' && c != ':' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return ""
		}
	}
	return line[:end]
}

// changeMetric applies the mutant to the samples of a metric.
func (t *Traffic) changeMetric(kind string, q *question, name string, body []byte) []byte {
	fired, decided := false, false
	var out strings.Builder
	for line := range strings.Lines(string(body)) {
		if metricName(line) != name {
			out.WriteString(line)
			continue
		}
		if !decided {
			fired, decided = t.fires(kind, t.Mutant.Part, q.circumstance), true
		}
		if !fired {
			out.WriteString(line)
			continue
		}
		sample := strings.TrimRight(line, "\n")
		at := strings.LastIndexByte(sample, ' ')
		switch t.Mutant.Operator {
		case Drop:
		case Duplicate:
			out.WriteString(line + line)
		case Empty:
			out.WriteString(sample[:at] + " 0\n")
		case WrongType:
			out.WriteString(sample[:at] + " many\n")
		case Truncate:
			out.WriteString(sample[:at] + "\n")
		default:
			out.WriteString(line)
		}
	}
	return []byte(out.String())
}
