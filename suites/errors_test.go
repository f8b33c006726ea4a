// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// load reads a profile made of the given files, "p/" being put before their names.
func load(files map[string]string) (*suites.Profile, error) {
	folder := fstest.MapFS{}
	for name, text := range files {
		folder["p/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return suites.LoadProfile(folder, "p")
}

// withSteps is a suite of one test with these steps, the first of which begins in line 7, column 7.
func withSteps(steps string) string {
	return "suite: S\ntests:\n  - id: T-1\n    test: t\n    must: m\n    steps:\n" + indented(steps, 6)
}

// withTest is a suite whose one test has these keys beside its steps; they begin in line 4, column 5.
func withTest(keys string) string {
	return "suite: S\ntests:\n  - steps: [{request: \"GET ${base}\"}]\n" + indented(keys, 4)
}

func indented(text string, by int) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		b.WriteString(strings.Repeat(" ", by) + line + "\n")
	}
	return b.String()
}

// doubled are conditions each of which uses the one before it twice.
func doubled(names ...string) string {
	var b strings.Builder
	for i := 1; i < len(names); i++ {
		fmt.Fprintf(&b, "  %s: {all_of: [{is: %s}, {is: %s}]}\n", names[i], names[i-1], names[i-1])
	}
	return b.String()
}

// mistakes are suites with mistakes, and what the loader says about them.
var mistakes = []struct {
	name, suite string
	want        string // the lines of the error, without the file's name
}{
	{"a step without a verb", withSteps(`- reqest: GET ${base}`),
		`7:9: a step needs a verb: request, poll, stream, open, send, type, receive, silence, close, cut, listen, await, together, hook, watch, if, part or use (did you mean request?)`},
	{"a watch in a test that is not last", withSteps(`- {watch: answers, expect: {status: 200}}`),
		`7:9: a test that watches the whole run comes after the others; say last: true`},
	{"a watch of something else", withSteps(`- {watch: answer, expect: {status: 200}}`),
		`7:9: a test that watches the whole run comes after the others; say last: true
7:17: watch is "answer", want answers, streams, tasks, deliveries, frames or closes (did you mean answers?)
7:34: a watch step shows nothing to judge`},
	{"a watch that names what a step kept", withSteps("- request: GET ${base}\n  keep: {x: status}\n- {watch: answers, where: {status: \"${x}\"}, assume: {seen: 1, status: 1}, expect: {seen: 1, json.id: \"${fresh.uuid}\"}}"),
		`9:9: a test that watches the whole run comes after the others; say last: true
9:42: a watch looks at the whole run, for which ${x} has no one value
9:69: a watch step does not show status; it shows seen
9:90: a watch step does not show seen; it shows status, header, headers, json, body, bytes, text, took, exchange, task, tasks, errcode, listed_instance, normal, hyphened, inner, page_cursor, configs, fail_kind, tenant_echo, declared, interfaces, pty_params, signing, echoed, location, cut, served, first_title or request
9:108: a watch looks at the whole run, for which ${fresh.uuid} has no one value`},
	{"a step with two verbs", withSteps(`- {hook: restart, use: x}`),
		`7:25: a step has one verb; this one has hook and use`},
	{"an unknown option", withSteps("- request: GET ${base}\n  withn: 5s"),
		`8:9: a request step has no option "withn" (did you mean within?)`},
	{"an option of another verb", withSteps("- request: GET ${base}\n  every: 5s"),
		`8:9: a request step has no option "every"`},
	{"an unknown word", withSteps("- request: GET ${base}\n  expect: {status: {eqals: 200}}"),
		`8:27: there is no word "eqals" (did you mean equals?)`},
	{"a member where words are wanted", withSteps("- request: GET ${base}\n  expect: {json.status: {colour: x}}"),
		`8:32: there is no word "colour" (a member is written ".colour")`},
	{"members by their word", withSteps("- request: GET ${base}\n  expect: {json: {members: {id: x}}, text: {members: x}, json.a: {members: {}}}"),
		`8:25: members is written as keys that begin with a dot: ".id"
8:51: members is written as keys that begin with a dot
8:60: members must be a mapping, not text
8:73: members is written as keys that begin with a dot
8:82: members must name at least one member`},
	{"what skips, said by its contrary", withSteps("- request: GET ${base}\n  skip_unless: {a: {status: {not: 200}}, b: {json: {x: {not: 1}}}, c: {status: {not: 1, at_least: 2}, json.x: {not: 1}}}\n  skip_when: {d: {exchange: {not: {.status: 200}}}}"),
		`8:23: say it positively: skip_when, without not, skips the test where the condition holds
8:48: say it positively: skip_when, without not, skips the test where the condition holds
9:21: say it positively: skip_unless, without not, skips the test where the condition does not hold`},
	{"a skip_when about several subjects", withSteps("- request: GET ${base}\n  skip_when: {a: {status: 409, task.state: working}, b: {json: {x: 1, y: 2}}}"),
		`8:21: skip_when takes one subject below a reason; what must hold of several is written below exchange: {.status: ..., .task.state: ...}
8:60: skip_when takes one subject below a reason; what must hold of several is written below exchange: {.json.x: ..., .json.y: ...}`},
	{"a skip_when of nothing", withSteps("- request: GET ${base}\n  skip_when: {A: {}, b: {statsu: 1}, c: {json.x: {}}}\n- type: x\n  skip_when: {a: {status: 1}}"),
		`8:21: the reason "A" is not something like task-ended-too-fast or when-present:location
8:24: A must name at least one subject
8:32: there is no subject "statsu" (did you mean status?)
8:56: there is no word in {}; {equals: {}} compares with an empty object
10:25: a type step does not show status; it shows sent`},
	{"conditions that there are not", "conditions: {final: {one_of: [completed, failed]}}\n" + withSteps("- request: GET ${base}\n  expect: {task.state: {is: finl}, json.a: {not: {is: x}}, json.b: {si: final}}"),
		`9:35: there is no condition "finl" (did you mean final?)
9:61: there is no condition "x"
9:75: there is no word "si" (a member is written ".si")`},
	{"an unknown condition", "conditions: {final: {one_of: [completed, failed]}}\n" + withSteps("- request: GET ${base}\n  expect: {task.state: {is: finl}}"),
		`9:35: there is no condition "finl" (did you mean final?)`},
	{"names of conditions that are none", "conditions: {final: {one_of: [completed, failed]}}\n" + withSteps("- request: GET ${base}\n  expect: {json.b: {is: [final]}, json.c: {is: }, json.d: {each: {is: \"${case.x}\"}}}"),
		`9:31: is must be text, not a list
9:54: is must be text, not null
9:77: there is no condition "${case.x}"`},
	{"a condition that uses a later one", "conditions:\n  a: {is: b}\n  b: {not: {is: b}}\n" + withSteps("- request: GET ${base}\n  expect: {json.a: {is: a}, json.b: {is: b}}"),
		`2:11: there is no condition "b" here; it gets its name later, at p/s.yaml:3:3
3:17: there is no condition "b" here; it gets its name later, at p/s.yaml:3:3`},
	{"odd conditions", "conditions:\n  A_b: 1\n  a: {is: b}\n  b: {is: b}\n  c: {}\n  d: {equls: 1}\n  e: {.: 1}\n  f: {is: d, length: {at_least: x}}\n" + withSteps("- request: GET ${base}\n  expect: {json.a: {is: f}, json.b: {is: a}}"),
		`2:3: "A_b" cannot be the name of a condition: words in lower case, with hyphens between them, make one
3:11: there is no condition "b" here; it gets its name later, at p/s.yaml:4:3
4:11: there is no condition "b" here; it gets its name later, at p/s.yaml:4:3
5:6: there is no word in {}; {equals: {}} compares with an empty object
6:7: there is no word "equls" (did you mean equals?)
7:7: "." is not the path of a member; write it like .a.b or .[0].a
8:33: at_least: "x" is neither a number nor a duration such as "3s"`},
	{"conditions that are a list", "conditions: [a]\n" + withSteps("- type: x"), `1:13: conditions must be a mapping, not a list`},
	{"a condition with a name that nothing gives", "conditions: {mine: {equals: \"${task}\"}}\n" + withSteps("- request: GET ${base}\n  expect: {json.a: {is: mine}}\n  keep: {task: task.id}\n- request: GET ${base}\n  expect: {json.a: {is: mine}}"),
		`9:31: nothing called ${task} is known here; it is only named later, at p/s.yaml:10:16`},
	{"conditions that grow", "conditions:\n  a: {is_a: string}\n" + doubled("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k") + withSteps("- request: GET ${base}\n  expect: {json.a: {is: g}}"),
		`10:21: the condition h grows to more than 200, with those that it uses
10:30: the condition h grows to more than 200, with those that it uses`},
	{"dots that are no path", withSteps("- request: GET ${base}\n  expect: {json: {.: 1, ..a: 2}}"),
		`8:25: "." is not the path of a member; write it like .a.b or .[0].a
8:31: "..a" is not the path of a member; write it like .a.b or .[0].a`},
	{"members with dots and without", withSteps("- request: GET ${base}\n  expect: {json: {.id: x, status: y}}"),
		`8:24: json holds words (.id) and members (status); next to words, write a member as ".status"
8:33: there is no word "status" (did you mean state?)`},
	{"an unknown subject", withSteps("- request: GET ${base}\n  expect: {stats: 200}"),
		`8:18: there is no subject "stats" (did you mean status?)`},
	{"a subject that the step does not show", withSteps("- request: GET ${base}\n  expect: {frames: []}"),
		`8:18: a request step does not show frames; it shows status, header, headers, json, body, bytes, text, took, exchange, task, tasks, errcode, listed_instance, normal, hyphened, inner, page_cursor, configs, fail_kind, tenant_echo, declared, interfaces, pty_params, signing, echoed or location`},
	{"a step that shows nothing", withSteps("- listen: inbox\n  expect: {output: x}"),
		`8:9: a listen step has no option "expect"`},
	{"an option that an await step has not", withSteps("- stream: GET ${base}\n  background: true\n- await: stream\n  until: {status: 200}\n  within: 1s\n  then: cut"),
		`12:9: an await step has no option "then"`},
	{"an unknown member of the task", withSteps("- request: GET ${base}\n  expect: {task: {stat: x}, task.ids: x}"),
		`8:25: task has no member "stat" (did you mean state?); it has id, state, contextId, timestamp, metadata, status, prompt or raw
8:35: task has no member "ids" (did you mean id?); it has id, state, contextId, timestamp, metadata, status, prompt or raw`},
	{"words and members mixed", withSteps("- request: GET ${base}\n  expect: {json: {present: true, id: x}}"),
		`8:24: json holds words (present) and members (id); write a member that is called like a word ["present"]
8:40: there is no word "id" (a member is written ".id")`},
	{"a word with an argument that does not fit", withSteps("- request: GET ${base}\n  expect: {json: {is_a: objct}, text: {one_of: x}, status: {present: false}}"),
		`8:31: is_a: "objct" does not fit; wanted is object, array, string, number, integer, boolean or null or a list that is not empty (each object, array, string, number, integer, boolean or null) (did you mean object?)
8:54: one_of: "x" does not fit; wanted is a list that is not empty
8:76: present: false does not fit; wanted is true`},
	{"no word", withSteps("- request: GET ${base}\n  expect: {text: {}, json: {}}"),
		`8:24: there is no word in {}; {equals: {}} compares with an empty object
8:34: json names nothing that is wanted; {equals: {}} compares with an empty object`},
	{"a bad path", withSteps("- request: GET ${base}\n  expect: {\"json.a[x]\": 1, \"json.\": 2}\n  keep: {a: json.b..c}"),
		`8:18: path "json.a[x]": [x] is neither a number, nor *, nor a name in double quotes
8:34: path "json." has an empty member name
9:19: path "json.b..c" has an empty member name`},
	{"a condition that is no mapping", withSteps("- request: GET ${base}\n  expect: [200]"),
		`8:17: expect must be a mapping, not a list`},
	{"bad durations", withSteps("- request: GET ${base}\n  within: 5\n- silence: 5 s\n- silence: 0s\n- silence: 9s..3s\n- silence: 9000m"),
		`8:17: within must be text, not a number: quote it ("5")
9:18: silence: "5 s" is not a time such as 500ms, 5s or 2m
10:18: silence: 0s is no time at all
11:18: silence: 3s is not longer than 9s
12:18: silence: 9000m is more than a day`},
	{"a poll without an end, and one with two", withSteps("- poll: GET ${base}\n- poll: GET ${base}\n  for: 1s\n  times: 3\n  within: 4s"),
		`7:15: a poll goes on until something holds, for a time, or so many times; say one of until, for and times
8:15: a poll goes on until something holds, for a time, or so many times; say one of until, for and times
8:15: within bounds until, which this poll does not have`},
	{"bad requests", withSteps("- request: ${base}\n- request: get ${base}\n- request: GET /x\n- request: GET ${base}/a b\n- {request: \"GET ${base}\", text: a, json: b}\n- {request: \"GET ${base}\", base64: \"?\"}\n- {request: \"GET ${base}\", pages: 3}"),
		`7:18: "${base}" is neither a method and a URL (GET ${base}/v1/tasks) nor an operation (SendMessage)
8:18: "get ${base}" is neither a method and a URL (GET ${base}/v1/tasks) nor an operation (SendMessage)
9:18: the URL "/x" begins neither with a name such as ${base} nor with http://
10:18: the URL "${base}/a b" holds white space; write %20, or raw: true
11:19: a request has one body: json, text or base64
12:42: base64: illegal base64 data at input byte 0
13:19: pages says how long a walk is, and there is no walk`},
	{"an end of no walk, and of a preparation", "suite: S\ntests:\n  - id: T-1\n    test: t\n    must: m\n    given:\n      - {request: \"GET ${base}\", enough_when: {status: 200}}\n    steps:\n      - {request: \"GET ${base}\", until: {status: 200}}\n",
		`7:48: enough_when ends a test that has been judged; given judges nothing
9:19: until says where a walk ends early, and there is no walk; poll asks again and again`},
	{"preparation in a preparation, and one that judges", "suite: S\ntests:\n  - id: T-1\n    test: t\n    must: m\n    given:\n      - {request: \"GET ${base}\", prepares: true}\n    steps:\n      - {request: \"GET ${base}\", prepares: true, softened: [{ruling: AMB-01, to: note, expect: {status: 200}}]}\n      - {request: \"GET ${base}\", expect: {status: 200}}\n",
		`7:9: prepares says nothing here: all of given is preparation
9:9: what prepares judges nothing: it has no softened and watches nothing`},
	{"bad headers", withSteps("- request: GET ${base}\n  header: {\"a b\": c, X: 5, Y: []}"),
		`8:18: "a b" is not the name of a header
8:31: X must be text, not a number: quote it ("5")
8:37: the lines of Y must not be empty`},
	{"unknown credentials", withSteps("- request: GET ${base}\n  as: admn"),
		`8:13: as is "admn", want instance, admin, operator, observe, foreign, anonymous or observe-if-given (did you mean admin?)`},
	{"an unknown name", withSteps("- request: GET ${base}\n  keep: {task: task.id}\n- request: GET ${bsae}/${taks}"),
		`9:18: nothing called ${bsae} is known here (did you mean ${base}?)
9:18: nothing called ${taks} is known here (did you mean ${task}?)`},
	{"a name before it is kept", withSteps("- request: GET ${base}/${task}\n  expect: {json.a: \"${task}\"}\n  keep: {task: task.id}"),
		`7:18: nothing called ${task} is known here; it is only named later, at p/s.yaml:9:16
8:26: nothing called ${task} is known here; it is only named later, at p/s.yaml:9:16`},
	{"a name that only the clients of a together know", withSteps("- together: 2\n  steps: [{request: \"GET ${base}\", keep: {a: text}}, {type: \"${a}\"}]\n  keep: {b: \"branches[0].a\"}\n- type: ${a} ${b}"),
		`10:15: ${a} is known only inside together; keep it from branches[0].a`},
	{"unknown names of the families", withSteps("- type: ${fresh.uid} ${token.admn} ${uri.x} ${case.x} ${filler.x} ${announced.v1_sunse}"),
		`7:15: ${filler.x} says no size such as ${filler.12MiB}, up to 256MiB
7:15: there is no ${announced.v1_sunse} (did you mean ${announced.v1_sunset}?)
7:15: there is no ${case.x}: the test has no cases
7:15: there is no ${fresh.uid} (did you mean ${fresh.uuid}?)
7:15: there is no ${token.admn} (did you mean ${token.admin}?)
7:15: there is no ${uri.x}`},
	{"names that are none", withSteps("- type: ${\n- type: ${a b}\n- type: ${}\n- type: $${fine} ${.a}"),
		`7:15: "${" is never closed; a literal ${ is written $${
8:15: ${a b} is not a name; a literal ${ is written $${
9:15: ${} is not a name; a literal ${ is written $${
10:15: ${.a} is not a name; a literal ${ is written $${`},
	{"names that have a meaning already", withSteps("- request: GET ${base}\n  keep: {base: text, fresh: text, a.b: text, good: text}"),
		`8:16: ${base} is a built-in name; choose another one
8:28: ${fresh} is a built-in name; choose another one
8:41: "a.b" cannot be a name: letters, digits, _ and - make one`},
	{"a name in a path", withSteps("- request: GET ${base}\n  expect: {\"json.${iid}\": 1, \"json.${uri.x}\": 2}"),
		`8:18: ${iid} cannot be used in a path; only ${uri.x} can
8:36: nothing called ${uri.x} is known`},
	{"await for what does not listen", withSteps("- listen: inbox\n- await: inbx\n- await: stream\n- {await: inbox, until: closed}\n- listen: stream"),
		`8:9: no earlier step listens as "inbx" (did you mean inbox?)
9:9: no earlier step of this actor reads a stream in the background
10:17: until: closed is for streams; a receiver needs a condition
11:17: await: stream waits for a stream; give the receiver another name`},
	{"unknown shared steps", withSteps("- use: send_a_mesage"),
		`7:9: there are no shared steps "send_a_mesage"`},
	{"odd sockets", withSteps("- send: {a: 1}\n  omit: [idd]\n- send: x\n  omit: [id]\n- send: [{opcode: pnig, repeat: 0}]\n- close: now\n- cut: wires\n- {close: wait, reason: x}"),
		`8:16: omit is "idd", want id, ts or payload (did you mean id?)
9:15: omit leaves members out of an envelope, and send holds none
11:25: opcode must be a whole number from 0 to 15, not text
11:39: repeat is 0, want a whole number from 1 to 100000000
12:16: close must be a whole number from 0 to 65535, not text
13:14: cut is "wires", want connection, answers or reading
14:17: close: wait sends nothing, so it has no reason`},
	{"odd answers", withSteps("- {listen: a, answers: 700}\n- {listen: b, answers: nevr}\n- {listen: c, answers: [500, x]}"),
		`7:30: answers is 700, want a whole number from 200 to 599
8:30: answers is "nevr", want never (did you mean never?)
9:36: an answer must be a whole number from 200 to 599, not text`},
	{"odd certificates", withSteps("- open: ${base}\n  handshake: {certificate: mine}"), `8:34: certificate can only be none or unknown`},
	{"what is typed is no base64", withSteps("- type: {base64: A}\n- {type: a, split: 0}"),
		`7:24: base64: illegal base64 data at input byte 0
8:26: split is 0, want a whole number from 1 to 1048576`},
	{"a name that only the steps of an if know", withSteps("- if: ${base}\n  steps: [{request: \"GET ${base}\", keep: {a: text}}]\n- type: ${a}"),
		`9:15: ${a} is known only inside if, whose steps are not always played`},
	{"a name that only the steps of a part know", withSteps("- part: some of it\n  steps: [{request: \"GET ${base}\", keep: {a: text}}]\n- type: ${a}"),
		`9:15: ${a} is known only inside part, whose steps may end before it is kept`},
	{"a part of nothing", withSteps("- part: some of it"), `7:15: part needs the steps that it is made of`},
	{"an if of what is neither true nor false", withSteps("- if: maybe\n  steps: [{request: \"GET ${base}\"}]\n- if: ${base}"),
		`7:13: if wants one ${name} that is true or false, such as the cell of a case
9:13: if needs the steps that are played where it holds`},
	{"an if of a cell that is a number", "suite: S\ntests:\n  - id: T-1\n    test: t\n    must: m\n    source: s\n    cases: [{name: a, more: true}, {name: b, more: 1}]\n    steps:\n" +
		indented("- if: ${case.more}\n  steps: [{request: \"GET ${base}\", expect: {status: 200}}]", 6),
		`9:9: if wants true or false, and the cell more of a case is neither`},
	{"far without more than at_once", withSteps("- together: 8\n  far: 4\n  steps: [{request: \"GET ${base}\"}]\n- together: 8\n  at_once: 4\n  far: 4\n  steps: [{request: \"GET ${base}\"}]"),
		`7:19: far is how many more clients do their steps at a time than at_once says, so that it stands beside it and is greater
10:19: far is how many more clients do their steps at a time than at_once says, so that it stands beside it and is greater`},
	{"odd together, stream and hook", withSteps("- together: 1\n- {together: 2, steps: []}\n- {stream: \"GET ${base}\", until: close, for: 2s}\n- {stream: \"GET ${base}\", background: true, then: cut}\n- {hook: a b, with: 3}\n- {stream: \"GET ${base}\", for: \"${iid}s\"}"),
		`7:19: together is 1, want a whole number from 2 to 100
7:19: together needs the steps that each client does
8:30: steps must not be empty
9:18: a stream is read until something holds or for a time, not both
9:40: until is "close", want closed (did you mean closed?)
10:18: a stream in the background is not cut when done; await: stream ends it
11:16: hook is "a b", want something like restart
11:27: with must be a mapping, not a number
12:18: how long a stream is read is written out; only a poll takes it from a name`},
	{"an unknown name in a time", withSteps("- {poll: \"GET ${base}\", for: \"${seconds}s\"}"),
		`7:36: nothing called ${seconds} is known here`},
	{"softened without a ruling", withSteps("- request: GET ${base}\n  softened: [{to: warn, expect: {status: 200}}, {ruling: AMB3x, expct: 1}]"),
		`8:20: a softened condition needs the ruling that softens it
8:25: to is "warn", want warning or note (did you mean warning?)
8:55: a softened condition needs what it would expect
8:64: ruling is "AMB3x", want something like AMB-03, A17 or catalog
8:71: a softened condition has no key "expct" (did you mean expect?)`},

	{"a test without anything", "suite: S\ntests:\n  - {source: x}\n",
		`3:5: a test needs id
3:5: a test needs its sentence: must, must_not, should, should_not or may
3:5: a test needs steps
3:5: a test needs test`},
	{"two severities", withTest("id: T-1\ntest: t\nmust: a\nshould: b"),
		`7:5: a test has one sentence; this one has must and should`},
	{"values of the wrong type", withTest("id: 17\ntest: A B\nmust: \" \"\nslow: soon\nalone: yes\nlast: 1\nlet: [a]\ncases: {}\ngiven: x\nbroken_by: {}"),
		`4:9: id must be text, not a number: quote it ("17")
5:11: test is "A B", want something like cancel_moves_an_open_task_to_canceled
6:11: must must not be empty
7:11: slow: "soon" is not a time such as 500ms, 5s or 2m
8:12: alone must be true or false, not text
9:11: last must be true or false, not a number
10:10: let must be a mapping, not a list
11:12: cases must be a list, not a mapping
12:12: given must be a list, not text
13:16: broken_by must not be empty`},
	{"odd faults", withTest("id: T-1\ntest: t\nmust: m\nbroken_by:\n  A_b: \"[\"\n  x: {shows: note}\n  y: {fault: z, says: \"]\"}\n  v: {says: w}\n  u: [t]"),
		"8:7: fault is \"A_b\", want something like cancel-is-ignored\n" +
			"8:12: says is no regular expression: missing closing ]: `[`\n" +
			"9:10: a fault needs says\n" +
			"10:11: a fault has no key \"fault\"\n" +
			"11:10: says alone is written behind the fault: v: \"w\"\n" +
			"12:10: says must be text, not a list"},
	{"faults as a list", withTest("id: T-1\ntest: t\nmust: m\nbroken_by: [{fault: x, says: y}]"),
		"7:16: broken_by is a mapping, not a list: `cancel-is-ignored: task.state is \"working\"`"},
	{"odd applies", withTest("id: T-1\ntest: t\nmust: m\napplies: {claim: x, auth: on, since: 2.1}"),
		`7:15: applies has no key "claim" (did you mean claims?)
7:31: auth is "on", want enabled or disabled
7:42: since must be text, not a number: quote it ("2.1")`},
	{"cells that not every row has", withTest("id: T-1\ntest: t\nmust: m\ncases: [{a: 1, b: 2}, {a: 3}, {}]\nlet: {x: \"${case.a} ${case.b} ${case.c}\"}"),
		`7:35: a row of cases has no cells
8:14: not every row of cases has a cell a
8:14: not every row of cases has a cell b
8:14: not every row of cases has a cell c`},
	{"optional hooks before anything is judged", "suite: S\ntests:\n  - id: A-1\n    test: a\n    must: m\n    given:\n      - {hook: a, optional: true}\n    steps:\n      - {hook: b, optional: true}\n      - {request: \"GET ${base}\", expect: {status: 200}}\n      - {hook: c, optional: true}\n",
		`7:9: optional ends a row that has been judged; given judges nothing
9:9: optional ends a row that has been judged, and no step before this one expects anything`},
	{"optional steps that are judged, or counted on", "suite: S\nshared: {x: [{request: \"GET ${base}\", keep: {a: status}}]}\ntests:\n  - id: A-1\n    test: a\n    must: m\n    steps:\n      - {use: x, optional: true, expect: {status: 200}}\n      - {request: \"GET ${base}/${a}\", expect: {status: 200}}\n",
		`8:9: optional steps may show nothing: nothing of them is judged or kept; a watch can judge what they cause
9:19: nothing called ${a} is known here; it is only named later, at p/s.yaml:2:46`},
	{"a let that uses a later one", withTest("id: T-1\ntest: t\nmust: m\nlet: {a: \"${b}\", b: \"${a}\"}"),
		`7:14: nothing called ${b} is known here; it is only named later, at p/s.yaml:7:22`},
	{"an id that stands twice", "suite: S\ntests:\n  - {id: A-1, test: a, must: m, steps: [type: x]}\nuntested:\n  - {id: A-1, may: x, because: y}\n  - {id: A-2, may: x}\n",
		`5:5: the id A-1 is already taken, at p/s.yaml:3:5
6:5: an untested requirement needs because`},

	{"unknown keys of the file", "siute: S\ntest: []\nsurface: A b\nas: x\n",
		`1:1: a suite has no key "siute" (did you mean suite?)
1:1: a suite needs its title: suite
1:1: a suite needs tests
2:1: a suite has no key "test" (did you mean tests?)
3:10: surface is "A b", want something like pty-ws
4:5: as is "x", want instance, admin, operator, observe, foreign or anonymous`},
	{"odd lifecycles and headers", "suite: S\nheader: {X: \"${task} ${uri.a}\"}\nlifecycles: {a: {open: [x, x], end: [y]}, b: {}}\nuntested: [{id: A-1, may: x, because: y}]\n",
		`2:13: nothing called ${task} is known here
2:13: there is no ${uri.a}
3:17: the state x appears twice in the lifecycle a
3:32: a lifecycle has no key "end"
3:46: the lifecycle b has neither open nor final states`},
	{"an unknown lifecycle", "lifecycles: {task: {open: [x]}}\n" + withSteps("- stream: GET ${base}\n  expect: {events: {follow_lifecycle: {lifecycle: tsak, state_at: state}}}"),
		`9:57: there is no lifecycle "tsak" (did you mean task?)`},
	{"a file that is a list", "- a\n", `1:1: a suite must be a mapping, not a list`},
	{"an empty file", "# nothing\n", `1:1: the file is empty`},
	{"two documents", "suite: S\n---\nsuite: T\n", `2:1: a second YAML document begins here; write one document a file`},
	{"a NUL byte", "suite: S\ntests: \"\x00\"\n", `2:9: a file must not hold the character U+0000; take it out, or write "\u0000" in double quotes`},
	{"bytes that are no UTF-8", "suite: S\ncontract: M\xfcller\n", `2:12: the file is not UTF-8: byte 0xfc belongs to no character; save it as UTF-8`},
	{"what is not YAML", "suite: [\n", `2:1: not YAML: did not find expected node content`},
	{"tabs", "suite: S\n\ttests: []\n", `2:1: not YAML: a tab indents this line; write spaces in its place`},
	{"anchors, aliases, tags and merge keys", withSteps("- send: {a: &x 1, b: *x, c: !!str 2, <<: {d: 1}, ? [e] : f}"),
		`7:19: anchors (&) are refused: write the value out, or share steps with use
7:28: aliases (*) are refused: write the value out, or share steps with use
7:35: tags (!) are refused: values are JSON's
7:44: merge keys (<<) are refused: write the members out, or share steps with use
7:58: a key must be text`},
	{"numbers that JSON does not know", withSteps("- send: {a: 017, b: 0x1F, c: 1_000, d: .5, e: .inf, g: +1, h: 1., i: 0o7, j: True, k: 1e9999, l: 08}"),
		`7:19: 017 is not a number as JSON writes it; quote it to make it text
7:27: 0x1F is not a number as JSON writes it; quote it to make it text
7:36: 1_000 is not a number as JSON writes it; quote it to make it text
7:46: .5 is not a number as JSON writes it; quote it to make it text
7:53: .inf is not a number as JSON writes it; quote it to make it text
7:62: +1 is not a number as JSON writes it; quote it to make it text
7:69: 1. is not a number as JSON writes it; quote it to make it text
7:76: 0o7 is not a number as JSON writes it; quote it to make it text
7:84: True is refused: write true, or quote it to make it text
7:93: 1e9999 is not a number as JSON writes it; quote it to make it text
7:104: 08 is not a number as JSON writes it; quote it to make it text`},
	{"a key that stands twice", withSteps("- type: x\n  note: a\n  note: b"), `9:9: "note" appears twice, first in line 8`},
	{"too deep a nesting", withSteps("- send: {a: " + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "}"), "7:78: nests deeper than 64 levels"},
}

func TestEveryMistakeIsReportedWithItsPlace(t *testing.T) {
	t.Parallel()
	for _, row := range mistakes {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(map[string]string{"s.yaml": row.suite})
			if err == nil {
				t.Fatalf("no error for:\n%s", row.suite)
			}
			got := strings.ReplaceAll("\n"+err.Error(), "\np/s.yaml:", "\n")[1:]
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			var problems suites.Errors
			if !errors.As(err, &problems) || len(problems) != len(strings.Split(got, "\n")) {
				t.Errorf("error is %T with %d problems, want one for each line", err, len(problems))
			}
		})
	}
}

func TestWordsSayWhatIsWrongWithTheirArguments(t *testing.T) {
	t.Parallel()
	_, err := load(map[string]string{"s.yaml": withSteps("- request: GET ${base}\n  expect: {text: {matches: \"(\"}}")})
	if err == nil || !strings.HasPrefix(err.Error(), "p/s.yaml:8:34: matches: ") {
		t.Errorf("error is %v, want one of the word matches at 8:34", err)
	}
}
