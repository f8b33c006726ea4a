// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

// A verb is something a step can do.
type verb struct {
	name, means string
	schema      schema // of what stands behind the verb
	options     string // those it takes beside what every step may have
	shows       bool   // something that can be judged
	read        func(r *reader, d *stepDraft, argument *yaml.Node) Action
	tell        func(Action) Telling // the action in words
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

const ofRequest = "within header json text base64 params on fails_with "

// verbs are all there are.
var verbs = []verb{
	{"request", "one HTTP exchange: METHOD url, or an operation of A2A", refSchema("request_line"), ofRequest + "redirects raw chunked unpaced walk pages until again otherwise", true, readRequest, tellRequest},
	{"poll", "the same request again and again: METHOD url, or an operation of A2A", refSchema("request_line"), ofRequest + "redirects raw chunked unpaced every until for times", true, readPoll, tellPoll},
	{"stream", "reads server-sent events: METHOD url, or an operation of A2A", refSchema("request_line"), ofRequest + "redirects raw chunked unpaced until for then background", true, readStream, tellStream},
	{"open", "a WebSocket handshake, also a refused one: url", schema{"type": "string"}, "within subprotocol header handshake unpaced", true, readOpen, tellOpen},
	{"send", "one message on the actor's socket: an envelope, a text exactly as written, or a list of hand-made frames",
		schema{"anyOf": []any{schema{"type": "object"}, schema{"type": "string"}, refSchema("frames")}}, "within omit", true, readSend, tellSend},
	{"type", "terminal input, in whichever mode was negotiated: a text, or base64", schema{"anyOf": []any{schema{"type": "string"}, refSchema("typed")}}, "within split every until times", true, readType, tellType},
	{"receive", "reads until a frame fits", refSchema("condition"), "within", true,
		func(r *reader, d *stepDraft, n *yaml.Node) Action { return Receive{Until: r.condition(n, "receive")} }, tellReceive},
	{"silence", "nothing may arrive for that long", refSchema("span"), "of", true,
		func(r *reader, d *stepDraft, n *yaml.Node) Action {
			return Silence{For: r.span(n, "silence"), Of: d.of}
		}, tellSilence},
	{"close", "a proper goodbye with that code, or wait for the other side's",
		schema{"anyOf": []any{schema{"type": "integer", "minimum": 0, "maximum": 65535}, schema{"const": "wait"}}}, "within reason", true, readClose, tellClose},
	{"cut", "connection: ends without a goodbye; answers: stays, but answers no Ping again; reading: reads nothing until the actor's next step", enumSchema("connection", "answers", "reading"), "", true,
		func(r *reader, d *stepDraft, n *yaml.Node) Action {
			what := r.choice(n, "cut", "connection", "answers", "reading")
			return Cut{Mute: what == "answers", Deaf: what == "reading"}
		}, tellCut},
	{"listen", "starts a webhook receiver; its address is ${name.url}", textSchema(isWord), "answers", false, readListen, tellListen},
	{"await", "waits for what a webhook receiver got, or for the actor's background stream", textSchema(isWord), "until within for", true, readAwait, tellAwait},
	{"together", "that many clients do the steps at once; a ${name} may say how many, and then it may be none or one",
		schema{"anyOf": []any{schema{"type": "integer", "minimum": 2, "maximum": maxClients}, textSchema(isOneName)}}, "within at_once far let given steps", true, readTogether, tellTogether},
	{"hook", "asks the operator's hook, or runs the built-in operation of that name: " + strings.Join(ownOperations(), ", "), textSchema(isWord), "within with optional", true,
		func(r *reader, d *stepDraft, n *yaml.Node) Action {
			return Hook{Name: r.form(n, "hook", isWord, "restart"), With: d.with, Optional: d.optional}
		}, tellHook},
	{"watch", "judges everything of that kind that passes between the run and its target, whichever test has caused it; of its step, skip_unless, skip_when and assume judge seen",
		enumSchema(Watched...), "where", true,
		func(r *reader, d *stepDraft, n *yaml.Node) Action {
			return Watch{What: r.choice(n, "watch", Watched...), Where: d.where}
		}, tellWatch},
	{"if", "steps that are played where a ${name} is true, such as the cell of a case, and left out where it is false; enough_when ends them alone", textSchema(isOneName), "given steps", false,
		func(r *reader, d *stepDraft, n *yaml.Node) Action {
			if !d.has("steps") && !d.has("given") {
				r.problem(n, "if needs the steps that are played where it holds")
			}
			if n.Kind == yaml.ScalarNode && !isOneName.MatchString(n.Value) {
				r.problem(n, "if wants one ${name} that is true or false, such as the cell of a case")
			}
			return If{Name: r.template(n, "if"), Given: d.prepared, Steps: d.steps}
		}, tellIf},
	{"part", "steps that may end before what comes behind them, since enough_when among them ends them alone; in words what they are about", schema{"type": "string"}, "given steps", false,
		func(r *reader, d *stepDraft, n *yaml.Node) Action {
			if !d.has("steps") {
				r.problem(n, "part needs the steps that it is made of")
			}
			return Part{Says: r.text(n, "part"), Given: d.prepared, Steps: d.steps}
		}, tellPart},
	{"use", "the shared steps of that name; by and as go to those that have none", textSchema(isWord), "optional", true,
		func(r *reader, d *stepDraft, n *yaml.Node) Action {
			return Use{Name: r.form(n, "use", isWord, "send_a_message"), Optional: d.optional}
		}, tellUse},
}

// ownOperations are the names that a hook step can have without anything of the operator.
func ownOperations() []string {
	all := make([]string, len(hooks.Operations))
	for i := range hooks.Operations {
		all[i] = hooks.Operations[i].Name
	}
	return all
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

func readRequest(r *reader, d *stepDraft, n *yaml.Node) Action {
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
	if d.has("again") && !d.has("until") {
		r.problem(n, "again says for how long a walk is begun anew where its until does not hold, and there is no until")
	}
	request.WalkUntil, request.WalkAgain = d.until, d.again
	if request.Otherwise = d.otherwise; d.otherwise != nil && (request.Walk != "" || !request.Body.Given) {
		r.problem(n, "otherwise is another form of a body given as json")
	}
	return request
}

// request reads the line and the options that request, poll and stream share.
func (r *reader) request(d *stepDraft, n *yaml.Node) Request {
	line := r.template(n, "the request")
	if operation, is := r.operation(d, n, line); is {
		return operation
	}
	if d.has("fails_with") {
		r.problem(n, "fails_with says which A2A error an operation fails with; of a method and a URL judge the status")
	}
	method, url, _ := strings.Cut(line, " ")
	if line != "" && (!isMethod.MatchString(method) || url == "") {
		r.problem(n, "%s is neither a method and a URL (GET ${base}/v1/tasks) nor an operation (SendMessage)", quoted(line))
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
	if d.chunked && bodies == 0 {
		r.problem(n, "chunked is about a body, and the request has none")
	}
	return Request{Method: method, URL: url, Header: d.header, Body: d.body, Redirects: d.redirects,
		Walk: d.walk, WalkMax: d.pages, Raw: d.raw, Chunked: d.chunked, Unpaced: d.unpaced}
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

func readPoll(r *reader, d *stepDraft, n *yaml.Node) Action {
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

func readStream(r *reader, d *stepDraft, n *yaml.Node) Action {
	if d.has("until") && d.has("for") {
		r.problem(n, "a stream is read until something holds or for a time, not both")
	}
	if d.lasts.Text != "" {
		r.problem(n, "how long a stream is read is written out; only a poll takes it from a name")
	}
	if d.background && d.cut {
		r.problem(n, "a stream in the background is not cut when done; await: stream ends it")
	}
	return Stream{Request: r.request(d, n), Until: d.until, UntilClosed: d.untilClosed, For: d.lasts,
		Cut: d.cut, Background: d.background}
}

func readClose(r *reader, d *stepDraft, n *yaml.Node) Action {
	if n.Kind == yaml.ScalarNode && n.Value == "wait" {
		if d.has("reason") {
			r.problem(n, "close: wait sends nothing, so it has no reason")
		}
		return Close{Wait: true}
	}
	return Close{Code: r.integer(n, "close", 0, 65535), Reason: d.reason}
}

func readListen(r *reader, d *stepDraft, n *yaml.Node) Action {
	name := r.form(n, "listen", isWord, "hooks")
	r.newName(n)
	if name == backgroundStream {
		r.problem(n, "await: stream waits for a stream; give the receiver another name")
	}
	l := d.answers
	l.Name = name
	return l
}

func readAwait(r *reader, d *stepDraft, n *yaml.Node) Action {
	name := r.form(n, "await", isWord, "hooks")
	if d.untilClosed && name != backgroundStream {
		r.problem(n, "until: closed is for streams; a receiver needs a condition")
	}
	if d.has("for") && name == backgroundStream && len(d.until) == 0 {
		r.problem(n, "await reads a stream until something holds, for a time at most where it says for; it says until as well")
	}
	if d.has("for") && d.has("within") {
		r.problem(n, "it is looked at for a time, or waited for within one, not both")
	}
	return Await{Name: name, Until: d.until, UntilClosed: d.untilClosed, For: d.lasts}
}

func readTogether(r *reader, d *stepDraft, n *yaml.Node) Action {
	if !d.has("steps") {
		r.problem(n, "together needs the steps that each client does")
	}
	if d.far > 0 && d.far <= d.atOnce || d.far > 0 && d.atOnce == 0 {
		r.problem(n, "far is how many more clients do their steps at a time than at_once says, so that it stands beside it and is greater")
	}
	do := Together{AtOnce: d.atOnce, Far: d.far, Let: d.let, Given: d.prepared, Steps: d.steps}
	if n.Kind == yaml.ScalarNode && isOneName.MatchString(n.Value) {
		do.Number = r.template(n, "together")
	} else {
		do.Clients = r.integer(n, "together", 2, maxClients)
	}
	return do
}

// maxClients bounds a together.
const maxClients = 100

// Element is the name of the element that each client of a together has of a list.
const Element = "element"

// isOneName is a text that is one ${name} and nothing else.
var isOneName = regexp.MustCompile(`^\$\{[^{}]+\}$`)

// readType reads what is typed: a text, or bytes that need not be one.
func readType(r *reader, d *stepDraft, n *yaml.Node) Action {
	do := Type{Split: d.split, Times: d.times, Every: d.every, Until: d.until}
	switch {
	case d.has("times") && d.has("until"):
		r.problem(n, "it is typed so many times or until something holds, not both")
	case d.has("every") && !d.has("times") && !d.has("until"):
		r.problem(n, "every says how often it is typed again; say until when, or how many times")
	case d.untilClosed:
		r.problem(n, "until: closed is for streams; typing needs a condition")
	}
	if n.Kind == yaml.MappingNode {
		readEntries(r, n, "type", typedKeys, &do)
		return do
	}
	do.Text = r.template(n, "type")
	return do
}

var typedKeys = []entry[Type]{
	{"base64", "bytes that need not be text", schema{"type": "string"},
		func(r *reader, do *Type, v *yaml.Node) { do.Base64 = r.base64(v) }},
}
