// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v4"
)

// options are the keys that a step may have beside its verb. init fills it in, because `steps` holds steps, which have
// options.
var options []entry[stepDraft]

func init() {
	options = []entry[stepDraft]{
		{"by", "the actor: whose socket or stream", textSchema(isWord),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.step.By = r.form(v, "by", isWord, "alice") }},
		{"as", "whose credentials; observe-if-given is observe where its token was given, else instance", enumSchema(identitiesOfSteps...),
			func(r *reader, d *stepDraft, v *yaml.Node) {
				d.step.As = r.choice(v, "as", identitiesOfSteps...)
			}},
		{"within", "how long it may take", refSchema("wait"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.step.Within = r.wait(v, "within") }},
		{"skip_unless", "by reason: the test is skipped for it when the condition does not hold", refSchema("skip_unless"),
			func(r *reader, d *stepDraft, v *yaml.Node) {
				d.step.SkipUnless = append(d.step.SkipUnless, r.skips(v, "skip_unless", r.skipUnless)...)
			}},
		{"skip_when", "by reason: the test is skipped for it when the condition, about one subject, holds", refSchema("skip_when"),
			func(r *reader, d *stepDraft, v *yaml.Node) {
				d.step.SkipUnless = append(d.step.SkipUnless, r.skips(v, "skip_when", r.skipWhen)...)
			}},
		{"assume", "must hold for the step to mean anything; otherwise the test is blocked", refSchema("condition"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.step.Assume = r.condition(v, "assume") }},
		{"expect", "the requirement", refSchema("condition"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.step.Expect = r.condition(v, "expect") }},
		{"softened", "conditions that only warn, or note, when broken, each with its ruling", refSchema("softened"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.step.Softened = r.softened(v) }},
		{"keep", "names for parts of what was observed, usable from the next step on", refSchema("keep"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.step.Keep = r.keep(v) }},
		{"enough_when", "where this holds, the row has been judged: the steps that follow are for other answers", refSchema("condition"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.step.EnoughWhen = r.condition(v, "enough_when") }},
		{"prepares", "true: the step is preparation, as under given: what goes wrong in it blocks the test, and does not fail it", schema{"type": "boolean"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.step.Prepares = r.boolean(v, "prepares") }},
		{"note", "why the step is there, for readers of the suite", schema{"type": "string"},
			func(r *reader, _ *stepDraft, v *yaml.Node) { r.text(v, "note") }},

		{"header", "header lines in addition to the defaults; null removes a default, a list sends several lines", refSchema("header"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.header = r.headers(v, "header") }},
		{"json", "the body as a JSON value", schema{},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.body.JSON, d.body.Given = r.value(v), true }},
		{"text", "the body as text, exactly as written", schema{"type": "string"},
			func(r *reader, d *stepDraft, v *yaml.Node) { text := r.template(v, "text"); d.body.Text = &text }},
		{"base64", "the body as bytes", schema{"type": "string"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.body.Base64 = r.base64(v) }},
		{"params", "the request object of an operation, as JSON; left out, it is sent without", schema{},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.params = r.value(v) }},
		{"on", "other: the operation goes over the second of a pair of bindings", enumSchema("other"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.other = r.choice(v, "on", "other") == "other" }},
		{"fails_with", "the A2A error, or one of those, that the operation fails with; only its identity is judged", refSchema("texts"),
			func(r *reader, d *stepDraft, v *yaml.Node) {
				d.failsWith = r.texts(v, "fails_with", func(one *yaml.Node) string { return r.choice(one, "fails_with", errorNames...) })
			}},
		{"redirects", "how many redirects on the same host are followed", schema{"type": "integer", "minimum": 1, "maximum": 10},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.redirects = r.integer(v, "redirects", 1, 10) }},
		{"raw", "send the URL exactly as written, without normalisation", schema{"type": "boolean"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.raw = r.boolean(v, "raw") }},
		{"chunked", "send the body in chunks, without saying its length", schema{"type": "boolean"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.chunked = r.boolean(v, "chunked") }},
		{"unpaced", "take a refusal with 429 for the answer, and do not come again when the target allows it", schema{"type": "boolean"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.unpaced = r.boolean(v, "unpaced") }},
		{"walk", "the query parameter with a list's cursor: follow it to the end", textSchema(isWord),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.walk = r.form(v, "walk", isWord, "cursor") }},
		{"pages", "the most pages of a walk; 100 if not said", schema{"type": "integer", "minimum": 1, "maximum": 2000},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.pages = r.integer(v, "pages", 1, 2000) }},
		{"again", "for how long a walk is begun anew that has ended without what its until says", refSchema("duration"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.again.Min = r.duration(v, "again") }},
		{"otherwise", "another body, which a ruling allows: it is sent when the answer is as said here, and judged where it is taken", refSchema("otherwise"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.otherwise = r.otherwise(v) }},
		{"every", "how often; if not said, 500ms, and when typing without a pause", refSchema("duration"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.every.Min = r.duration(v, "every") }},
		{"until", "go on until this holds; a stream may say closed; a walk ends early there", refSchema("until"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.until, d.untilClosed = r.untilHolds(v) }},
		{"for", "how long to go on", refSchema("wait"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.lasts = r.wait(v, "for") }},
		{"times", "how many times", schema{"type": "integer", "minimum": 1, "maximum": 1000},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.times = r.integer(v, "times", 1, 1000) }},
		{"then", "cut: drop the connection when done, instead of leaving it open for the actor", enumSchema("cut"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.cut = r.choice(v, "then", "cut") == "cut" }},
		{"background", "go on with the next steps while it is read; await: stream ends it", schema{"type": "boolean"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.background = r.boolean(v, "background") }},
		{"subprotocol", "the token to offer, or a list of them", refSchema("texts"),
			func(r *reader, d *stepDraft, v *yaml.Node) {
				d.subprotocol = r.texts(v, "subprotocol", func(n *yaml.Node) string { return r.template(n, "subprotocol") })
			}},
		{"handshake", "a hand-made handshake", refSchema("handshake"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.handshake = r.handshake(v) }},
		{"omit", "members of the envelope that are not filled in", refSchema("envelope_members"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.omit = r.omitted(v) }},
		{"split", "types in frames of so many bytes, one right after the other", schema{"type": "integer", "minimum": 1, "maximum": 1 << 20},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.split = r.integer(v, "split", 1, 1<<20) }},
		{"of", "only what fits this may not arrive", refSchema("condition"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.of = r.condition(v, "of") }},
		{"where", "judge only what fits this", refSchema("condition"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.where = r.condition(v, "where") }},
		{"reason", "the reason of the close frame", schema{"type": "string"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.reason = r.template(v, "reason") }},
		{"answers", "the status of every answer; or, in a list, that of the first, second, ... answer, then 200; or never: requests are taken and not answered",
			schema{"anyOf": []any{schema{"const": "never"}, schema{"type": "integer", "minimum": 200, "maximum": 599},
				schema{"type": "array", "minItems": 1, "items": schema{"type": "integer", "minimum": 200, "maximum": 599}}}},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.answers = r.answers(v) }},
		{"steps", "what each client does; of an if: what is done where it holds; of a part: what it is made of", refSchema("steps"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.steps = r.steps(v, "steps") }},
		{"given", "what each client does first, or is done first where an if holds, or in a part; what breaks here blocks the test, and none of it counts in lasted", refSchema("steps"),
			func(r *reader, d *stepDraft, v *yaml.Node) { d.prepared = r.steps(v, "given") }},
		{"let", "names that are fixed once for each client", schema{"type": "object"},
			func(r *reader, d *stepDraft, v *yaml.Node) {
				ofStep := r.takeNames()
				d.let = r.let(v)
				r.names = ofStep
			}},
		{"at_once", "how many clients do their steps at a time; all if not said", schema{"type": "integer", "minimum": 1, "maximum": maxClients},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.atOnce = r.integer(v, "at_once", 1, maxClients) }},
		{"far", "with at_once: how many clients do their steps at a time where the target is far away and copes, since most of them then wait for the way to it", schema{"type": "integer", "minimum": 2, "maximum": maxClients},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.far = r.integer(v, "far", 2, maxClients) }},
		{"with", "what the hook is given", schema{"type": "object"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.with = r.withMembers(v) }},
		{"optional", "of a hook: where it is not configured, what the row has judged until here is enough; of a use: where its steps cannot be done, the row goes on without them", schema{"type": "boolean"},
			func(r *reader, d *stepDraft, v *yaml.Node) { d.optional = r.boolean(v, "optional") }},
	}
}

// always are the options of every step; judging are those of a step that shows something.
var (
	always  = strings.Fields("by as note")
	judging = strings.Fields("skip_unless skip_when assume expect softened keep enough_when prepares")
)

// untilHolds reads what a step goes on until: a condition, or closed.
func (r *conditions) untilHolds(n *yaml.Node) (until []Expectation, closed bool) {
	if n.Kind == yaml.ScalarNode {
		return nil, r.choice(n, "until", "closed") == "closed"
	}
	return r.condition(n, "until"), false
}

// base64 reads bytes. What holds names can only be checked once they are filled in.
func (r *conditions) base64(n *yaml.Node) string {
	before := r.braces
	text := r.template(n, "base64")
	if _, err := base64.StdEncoding.DecodeString(text); err != nil && r.braces == before {
		r.problem(n, "base64: %v", err)
	}
	return text
}

// answers are those of a receiver that has no name yet.
func (r *nodes) answers(n *yaml.Node) Listen {
	if n.Kind == yaml.ScalarNode {
		if value, err := scalar(n); err == nil {
			if _, number := value.(json.Number); number {
				return Listen{Always: r.integer(n, "answers", 200, 599)}
			}
		}
		return Listen{Never: r.choice(n, "answers", "never") == "never"}
	}
	if !r.isList(n, "answers") {
		return Listen{}
	}
	first := make([]int, len(n.Content))
	for i, element := range n.Content {
		first[i] = r.integer(element, "an answer", 200, 599)
	}
	return Listen{Status: first}
}

// envelopeMembers are the members of an envelope that the harness fills in.
var envelopeMembers = []string{"id", "ts", "payload"}

func (r *nodes) omitted(n *yaml.Node) []string {
	return r.texts(n, "omit", func(one *yaml.Node) string { return r.choice(one, "omit", envelopeMembers...) })
}

func (r *conditions) withMembers(n *yaml.Node) map[string]any {
	if !r.isMapping(n, "with") {
		return nil
	}
	members, _ := r.value(n).(map[string]any)
	return members
}
