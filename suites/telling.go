// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Telling is an action in words, for people who read a test without its YAML.
type Telling struct {
	Does       string       // what is done: "send GET ${base}/v1/tasks"
	Of         string       // what a judgement of it is about: "the answer to GET ${base}/v1/tasks"
	Lines      []string     // what belongs to it, a fact each: headers, the body
	Conditions []Conditions // what it waits for, or looks at
	Parts      []ToldPart   // the steps that it consists of
}

// Conditions are conditions with what becomes of them.
type Conditions struct {
	Says   string // "until"
	Want   []Expectation
	Judged bool // a requirement: where they do not hold in time, the step fails
}

// Tell puts an action into words. Each verb has its own in the table of verbs; whatever a suite can say of an action shows.
func Tell(do Action) Telling { return verbCalled(do.Verb()).tell(do) }

// lines adds what has something in it.
func (t *Telling) lines(format string, args ...any) {
	t.Lines = append(t.Lines, fmt.Sprintf(format, args...))
}

func (t *Telling) unpaced(is bool) {
	if is {
		t.lines("a refusal with 429 is taken for the answer")
	}
}

func (t *Telling) conditions(says string, want []Expectation, judged bool) {
	if len(want) > 0 {
		t.Conditions = append(t.Conditions, Conditions{says, want, judged})
	}
}

func tellRequest(do Action) Telling {
	q := do.(Request)
	t := Telling{Does: "send " + q.line(), Of: "the answer to " + q.line()}
	t.request(q)
	return t
}

func tellPoll(do Action) Telling {
	p := do.(Poll)
	t := Telling{Does: fmt.Sprintf("send %s every %s", p.line(), p.Every.String()), Of: "every answer to " + p.line()}
	switch {
	case p.Times > 0:
		t.Does += fmt.Sprintf(", %d times", p.Times)
	case p.For.String() != "":
		t.Does += " for " + p.For.String()
	}
	if len(p.Until) > 0 {
		t.Does += " until a condition holds"
		t.Of = "the answer to " + p.line() + ", at the latest when the time is up"
	}
	t.request(p.Request)
	t.conditions("until", p.Until, true)
	return t
}

func tellStream(do Action) Telling {
	s := do.(Stream)
	t := Telling{Does: "send " + s.line() + " and read its events", Of: "the stream of " + s.line()}
	switch {
	case s.UntilClosed:
		t.Does += " until it ends"
	case s.For.String() != "":
		t.Does += " for " + s.For.String()
	case len(s.Until) > 0:
		t.Does += " until a condition holds"
	default:
		t.Does = "send " + s.line() + " and read the head of its event stream"
	}
	if s.Background {
		t.Does += ", while the next steps go on"
	}
	if s.Cut {
		t.Does += ", then drop the connection"
	}
	t.request(s.Request)
	t.conditions("until", s.Until, true)
	return t
}

func tellOpen(do Action) Telling {
	o := do.(Open)
	t := Telling{Does: "open a WebSocket to " + o.URL, Of: "the answer to the upgrade of " + o.URL}
	if o.Subprotocol != nil {
		t.Does += ", offering " + strings.Join(o.Subprotocol, ", ")
	}
	t.headers("", o.Header)
	t.unpaced(o.Unpaced)
	if raw := o.Raw; raw != nil {
		t.lines("the handshake is written by hand")
		if raw.Method != "" {
			t.lines("with the method %s in place of GET", raw.Method)
		}
		if len(raw.Omit) > 0 {
			t.lines("without the headers %s", strings.Join(raw.Omit, ", "))
		}
		t.headers("in place of the usual one: ", raw.Replace)
		switch raw.Certificate {
		case CertificateNone:
			t.lines("without the client certificate of the run")
		case CertificateUnknown:
			t.lines("with a client certificate that nobody has signed but itself")
		}
	}
	return t
}

func tellSend(do Action) Telling {
	s := do.(Send)
	t := onConnection("")
	switch {
	case s.Text != nil:
		t.Does = "send the text message " + Brief(*s.Text)
	case len(s.Frames) > 0:
		t.Does = "send these WebSocket frames, made by hand"
		for _, f := range s.Frames {
			t.lines("%s", f.described())
		}
	default:
		t.Does = "send the envelope " + Brief(s.JSON)
	}
	if len(s.Omit) > 0 {
		t.lines("without its members %s", strings.Join(s.Omit, ", "))
	}
	return t
}

// described is one frame: opcode 1, "text", not masked.
func (f WSFrame) described() string {
	text := fmt.Sprintf("opcode %d", f.Opcode)
	if f.Base64 != "" {
		text += ", the bytes " + Brief(f.Base64) + " (base64)"
	} else if f.Text != "" {
		text += ", " + Brief(f.Text)
	}
	if f.Repeat > 1 {
		text += fmt.Sprintf(", %d times over", f.Repeat)
	}
	for _, bit := range []struct {
		on   bool
		says string
	}{{f.Fin, "final fragment"}, {!f.Fin, "more fragments follow"}, {f.RSV1, "RSV1 set"}, {f.Unmasked, "not masked"}} {
		if bit.on {
			text += ", " + bit.says
		}
	}
	return text
}

func tellType(do Action) Telling {
	y := do.(Type)
	t := onConnection("type " + Brief(y.Text))
	if y.Base64 != "" {
		t.Does = "type the bytes " + Brief(y.Base64) + " (base64)"
	}
	if y.Split > 0 {
		t.Does += fmt.Sprintf(", in frames of %s", counted(y.Split, "byte"))
	}
	if y.Times > 0 {
		t.Does += ", " + counted(y.Times, "time")
	}
	if len(y.Until) > 0 {
		t.Does += ", again and again until a condition holds"
	}
	if every := y.Every.String(); every != "" {
		t.Does += ", every " + every
	}
	t.conditions("until", y.Until, true)
	return t
}

func tellReceive(do Action) Telling {
	t := onConnection("read messages until one fits")
	t.conditions("a message fits when", do.(Receive).Until, true)
	return t
}

func tellSilence(do Action) Telling {
	s := do.(Silence)
	if s.onlyWaits() {
		return onConnection("wait " + s.For.String())
	}
	t := onConnection("wait " + s.For.String() + ", during which nothing may arrive")
	if len(s.Of) > 0 {
		t.Does = "wait " + s.For.String() + ", during which no such message may arrive"
	}
	t.conditions("no message of which this holds", s.Of, true)
	return t
}

// neverSent is the op of a message that no target sends: a silence of it only waits.
const neverSent = "conformance.nothing"

// onlyWaits says whether nothing that may arrive breaks a silence.
func (s Silence) onlyWaits() bool {
	if len(s.Of) != 1 || s.Of[0].Subject.String() != "frame.op" || len(s.Of[0].Want.Checks) != 1 {
		return false
	}
	check := s.Of[0].Want.Checks[0]
	return check.Word != nil && check.Word.Name == "equals" && check.Want == neverSent
}

func tellClose(do Action) Telling {
	c := do.(Close)
	if c.Wait {
		return onConnection("wait for the target to close the connection")
	}
	t := onConnection(fmt.Sprintf("close the connection with code %d", c.Code))
	if c.Reason != "" {
		t.Does += " and the reason " + Brief(c.Reason)
	}
	return t
}

func tellCut(do Action) Telling {
	switch c := do.(Cut); {
	case c.Mute:
		return onConnection("stay connected, but no longer answer Pings")
	case c.Deaf:
		return onConnection("stay connected, but read nothing until the next step of this client")
	}
	return onConnection("cut the connection without a Close frame")
}

func tellListen(do Action) Telling {
	l := do.(Listen)
	t := Telling{Does: "start a webhook receiver at ${" + l.Name + ".url}", Of: "the webhook receiver " + l.Name}
	switch {
	case l.Never:
		t.Does += ", which takes requests and never answers"
	case l.Always != 0:
		t.Does += fmt.Sprintf(", which answers %d each time", l.Always)
	case len(l.Status) > 0:
		t.Does += fmt.Sprintf(", which answers %s, then 200", strings.Trim(fmt.Sprint(l.Status), "[]"))
	}
	return t
}

func tellAwait(do Action) Telling {
	a := do.(Await)
	t := Telling{Does: "wait for what the webhook receiver " + a.Name + " gets", Of: "what the webhook receiver " + a.Name + " gets"}
	if a.Name == backgroundStream {
		t = Telling{Does: "wait for the stream that is read meanwhile", Of: "the stream that is read meanwhile"}
	}
	if a.UntilClosed {
		t.Does += ", until it ends"
	}
	judged := true
	if a.For.String() != "" {
		t.Does += ", for " + a.For.String() + " at most"
		judged = false
	}
	t.conditions("until", a.Until, judged)
	return t
}

// watchedThings are what a watch looks at, in words: all of them, one, and where they show.
var watchedThings = map[string]struct{ all, one, shown string }{
	"answers":    {"answers", "answer", ""},
	"streams":    {"event streams", "event stream", ""},
	"tasks":      {"tasks", "task", " that answers, events, frames of terminals and deliveries show"},
	"deliveries": {"deliveries to webhooks", "delivery to a webhook", ""},
	"frames":     {"messages on terminal connections", "message on a terminal connection", ""},
	"closes":     {"ends of terminal connections", "end of a terminal connection", ""},
}

func tellWatch(do Action) Telling {
	w := do.(Watch)
	things := watchedThings[w.What]
	t := Telling{Does: "look at all " + things.all + " of the whole run" + things.shown + ", those of other tests too", Of: "each " + things.one + " of the run" + things.shown}
	t.conditions("only those count of which this holds", w.Where, false)
	return t
}

func onConnection(does string) Telling { return Telling{Does: does, Of: "the connection"} }

// request adds what a request carries.
func (t *Telling) request(q Request) {
	t.headers("", q.Header)
	switch {
	case q.HasParams:
		t.lines("params: %s", Brief(q.Params))
	case q.Body.Given:
		t.lines("body: %s", Brief(q.Body.JSON))
	case q.Body.Text != nil:
		t.lines("body: the text %s", Brief(*q.Body.Text))
	case q.Body.Base64 != "":
		t.lines("body: the bytes %s (base64)", Brief(q.Body.Base64))
	}
	if q.Redirects > 0 {
		t.lines("following up to %s on the same host", counted(q.Redirects, "redirect"))
	}
	if q.Chunked {
		t.lines("the body is sent in chunks, without its length")
	}
	t.unpaced(q.Unpaced)
	if q.Walk != "" {
		t.lines("then every next page of the list, asked for by the parameter %s, to the last one: %s at most", q.Walk, counted(q.WalkMax, "page"))
	}
	t.conditions("or only to the page where", q.WalkUntil, false)
	if q.WalkAgain.Min > 0 {
		t.lines("and from the first page again while there is no such page, for %s", q.WalkAgain.Min)
	}
	if other := q.Otherwise; other != nil {
		t.lines("where that form is refused, this body instead (ruling %s): %s", other.Ruling, Brief(other.JSON))
		t.conditions("it counts as refused when", other.When, false)
	}
}

func (t *Telling) headers(says string, header []Header) {
	for _, h := range header {
		if h.Drop {
			t.lines("without the header %s", h.Name)
		} else {
			t.lines("%s%s: %s", says, h.Name, h.Value)
		}
	}
}

// line is the request line, or the operation.
func (q Request) line() string {
	line := q.Method + " " + q.URL
	switch {
	case q.Operation != "" && q.OnOther:
		return q.Operation + " over the other binding"
	case q.Operation != "":
		return q.Operation
	case q.Raw:
		return line + " (the URL exactly as written)"
	}
	return line
}

// String is a duration as people write it; "" for none.
func (d Duration) String() string {
	switch {
	case d.Text != "":
		return d.Text
	case d.Max > d.Min:
		return d.Min.String() + " to " + d.Max.String()
	case d.Min > 0:
		return d.Min.String()
	}
	return ""
}

// String is a duration as people write it: "5s", "12s to 40s", "${seconds}s"; "" for none.

func counted(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// longestBrief is how many characters of a text Brief keeps.
const longestBrief = 90

// Brief is a JSON value on one line, its long texts cut.
func Brief(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(shortened(v)); err != nil {
		return fmt.Sprint(v)
	}
	return spaced(strings.TrimRight(b.String(), "\n"))
}

// spaced puts a blank behind each comma and colon of JSON, where a reader, or a line, can break.
func spaced(text string) string {
	var b strings.Builder
	inside, escaped := false, false
	for _, c := range text {
		b.WriteRune(c)
		switch {
		case escaped:
			escaped = false
		case inside && c == '\\':
			escaped = true
		case c == '"':
			inside = !inside
		case !inside && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// shortened cuts the texts inside a JSON value.
func shortened(v any) any {
	switch v := v.(type) {
	case string:
		if r := []rune(v); len(r) > longestBrief {
			return fmt.Sprintf("%s... (%d characters)", string(r[:longestBrief-30]), len(r))
		}
	case []any:
		all := make([]any, len(v))
		for i, one := range v {
			all[i] = shortened(one)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, one := range v {
			all[name] = shortened(one)
		}
		return all
	}
	return v
}
