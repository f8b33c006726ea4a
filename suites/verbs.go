// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// A verb is something a step can do.
type verb struct {
	name, means string
	schema      schema // of what stands behind the verb
	options     string // those it takes beside what every step may have
	shows       bool   // something that can be judged
	read        func(r *reader, d *draft, argument *yaml.Node) Action
}

func (v *verb) takes(option string) bool { return slices.Contains(optionsOf[v.name], option) }

// optionsOf are all options of each verb.
var optionsOf = func() map[string][]string {
	of := map[string][]string{}
	for i := range verbs {
		v := &verbs[i]
		of[v.name] = append(slices.Clone(always), strings.Fields(v.options)...)
		if v.shows {
			of[v.name] = append(of[v.name], judging...)
		}
	}
	return of
}()

const ofRequest = "within header json text base64 "

// verbs are all there are.
var verbs = []verb{
	{"request", "one HTTP exchange: METHOD url", refSchema("request_line"), ofRequest + "redirects raw walk pages until", true, readRequest},
	{"poll", "the same request again and again: METHOD url", refSchema("request_line"), ofRequest + "redirects raw every until for times", true, readPoll},
	{"stream", "reads server-sent events: METHOD url", refSchema("request_line"), ofRequest + "redirects raw until for then background", true, readStream},
	{"open", "a WebSocket handshake, also a refused one: url", schema{"type": "string"}, "within subprotocol header handshake", true, readOpen},
	{"send", "one message on the actor's socket: an envelope, a text as it stands, or a list of hand-made frames",
		schema{"anyOf": []any{schema{"type": "object"}, schema{"type": "string"}, refSchema("frames")}}, "within omit", true, readSend},
	{"type", "terminal input, in whichever mode was negotiated", schema{"type": "string"}, "within", true,
		func(r *reader, d *draft, n *yaml.Node) Action { return Type{Text: r.template(n, "type")} }},
	{"receive", "reads until a frame fits", refSchema("condition"), "within", true,
		func(r *reader, d *draft, n *yaml.Node) Action { return Receive{Until: r.condition(n, "receive")} }},
	{"silence", "nothing may arrive for that long", refSchema("span"), "of", true,
		func(r *reader, d *draft, n *yaml.Node) Action { return Silence{For: r.span(n, "silence"), Of: d.of} }},
	{"close", "a proper goodbye with that code, or wait for the other side's",
		schema{"anyOf": []any{schema{"type": "integer", "minimum": 0, "maximum": 65535}, schema{"const": "wait"}}}, "within reason", true, readClose},
	{"cut", "connection: ends without a goodbye; answers: stays, but answers no Ping again", enumSchema("connection", "answers"), "", true,
		func(r *reader, d *draft, n *yaml.Node) Action {
			return Cut{Mute: r.choice(n, "cut", "connection", "answers") == "answers"}
		}},
	{"listen", "starts a webhook receiver; its address is ${name.url}", textSchema(isWord), "answers", false, readListen},
	{"await", "waits for what a webhook receiver got, or for the actor's background stream", textSchema(isWord), "until within", true, readAwait},
	{"together", "that many clients do the steps at once", schema{"type": "integer", "minimum": 2, "maximum": 100}, "within steps", true, readTogether},
	{"hook", "asks the operator's hook; session is a PTY session with nobody attached", textSchema(isWord), "within with", true,
		func(r *reader, d *draft, n *yaml.Node) Action {
			return Hook{Name: r.form(n, "hook", isWord, "restart"), With: d.with}
		}},
	{"use", "the shared steps of that name; by and as go to those that have none", textSchema(isWord), "", true,
		func(r *reader, d *draft, n *yaml.Node) Action {
			return Use{Name: r.form(n, "use", isWord, "send_a_message")}
		}},
}

func verbCalled(name string) *verb {
	for i := range verbs {
		if verbs[i].name == name {
			return &verbs[i]
		}
	}
	return nil
}

func verbNames() []string {
	all := make([]string, len(verbs))
	for i := range verbs {
		all[i] = verbs[i].name
	}
	return all
}

func readRequest(r *reader, d *draft, n *yaml.Node) Action {
	request := r.request(d, n)
	if request.Walk != "" && request.WalkMax == 0 {
		request.WalkMax = 100
	}
	if d.has("pages") && request.Walk == "" {
		r.problem(n, "pages says how long a walk is, and there is no walk")
	}
	if d.has("until") && request.Walk == "" {
		r.problem(n, "until says where a walk ends early, and there is no walk; poll asks again and again")
	}
	if d.untilClosed {
		r.problem(n, "until: closed is for streams; a walk needs a condition")
	}
	request.WalkUntil = d.until
	return request
}

// request reads the line and the options that request, poll and stream share.
func (r *reader) request(d *draft, n *yaml.Node) Request {
	line := r.template(n, "the request")
	method, url, _ := strings.Cut(line, " ")
	if line != "" && (!isMethod.MatchString(method) || url == "") {
		r.problem(n, "%s is not a method and a URL: GET ${base}/v1/tasks", quoted(line))
	} else if line != "" && !d.raw {
		r.checkURL(n, url)
	}
	bodies := 0
	for _, option := range []string{"json", "text", "base64"} {
		if d.has(option) {
			bodies++
		}
	}
	if bodies > 1 {
		r.problem(n, "a request has one body: json, text or base64")
	}
	return Request{Method: method, URL: url, Header: d.header, Body: d.body, Redirects: d.redirects,
		Walk: d.walk, WalkMax: d.pages, Raw: d.raw}
}

func (r *reader) checkURL(n *yaml.Node, url string) {
	if strings.ContainsAny(url, " \t\n") {
		r.problem(n, "the URL %s holds white space; write %%20, or raw: true", quoted(url))
		return
	}
	for _, start := range []string{"${", "http://", "https://", "ws://", "wss://"} {
		if strings.HasPrefix(url, start) {
			return
		}
	}
	r.problem(n, "the URL %s begins neither with a name such as ${base} nor with http://", quoted(url))
}

// pollEvery is how often a poll asks that does not say.
const pollEvery = 500 * time.Millisecond

func readPoll(r *reader, d *draft, n *yaml.Node) Action {
	poll := Poll{Request: r.request(d, n), Every: d.every, Until: d.until, For: d.lasts, Times: d.times}
	ways := 0
	for _, option := range []string{"until", "for", "times"} {
		if d.has(option) {
			ways++
		}
	}
	if ways != 1 {
		r.problem(n, "a poll goes on until something holds, for a time, or so many times; say one of until, for and times")
	}
	if d.has("within") && !d.has("until") {
		r.problem(n, "within bounds until, which this poll does not have")
	}
	if d.untilClosed {
		r.problem(n, "until: closed is for streams; a poll needs a condition")
	}
	if poll.Every.Min == 0 {
		poll.Every.Min = pollEvery
	}
	return poll
}

func readStream(r *reader, d *draft, n *yaml.Node) Action {
	if d.has("until") && d.has("for") {
		r.problem(n, "a stream is read until something holds or for a time, not both")
	}
	if d.background && d.cut {
		r.problem(n, "a stream in the background is not cut when done; await: stream ends it")
	}
	return Stream{Request: r.request(d, n), Until: d.until, UntilClosed: d.untilClosed, For: d.lasts,
		Cut: d.cut, Background: d.background}
}

func readClose(r *reader, d *draft, n *yaml.Node) Action {
	if n.Kind == yaml.ScalarNode && n.Value == "wait" {
		if d.has("reason") {
			r.problem(n, "close: wait sends nothing, so it has no reason")
		}
		return Close{Wait: true}
	}
	return Close{Code: r.integer(n, "close", 0, 65535), Reason: d.reason}
}

func readListen(r *reader, d *draft, n *yaml.Node) Action {
	name := r.form(n, "listen", isWord, "hooks")
	r.newName(n)
	if name == backgroundStream {
		r.problem(n, "await: stream waits for a stream; give the receiver another name")
	}
	return Listen{Name: name, Status: d.answers}
}

func readAwait(r *reader, d *draft, n *yaml.Node) Action {
	name := r.form(n, "await", isWord, "hooks")
	if d.untilClosed && name != backgroundStream {
		r.problem(n, "until: closed is for streams; a receiver needs a condition")
	}
	return Await{Name: name, Until: d.until, UntilClosed: d.untilClosed}
}

func readTogether(r *reader, d *draft, n *yaml.Node) Action {
	if !d.has("steps") {
		r.problem(n, "together needs the steps that each client does")
	}
	return Together{Clients: r.integer(n, "together", 2, 100), Steps: d.steps}
}
