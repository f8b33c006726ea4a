// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// Bindings are the bindings over which operations can be sent, by the names that cards use (A2A 1.0 section 5.8).
var Bindings = []string{"HTTP+JSON", "JSONRPC", "GRPC"}

// Pairs in Test.Over plays a test for every ordered pair of bindings.
const Pairs = "pairs"

// Interfaces in Test.Over plays a test at every interface, also where several are of one binding.
const Interfaces = "interfaces"

// Unnamed is the name of an A2A error whose answer does not say which it is, and UnnamedError the reason to skip what
// would judge its name: one requirement is about that.
const (
	Unnamed      = "unnamed"
	UnnamedError = "unnamed-error"
)

// errorNames are the A2A errors (section 5.4).
var errorNames = strings.Fields("TaskNotFound TaskNotCancelable PushNotificationNotSupported UnsupportedOperation " +
	"ContentTypeNotSupported InvalidAgentResponse ExtendedAgentCardNotConfigured ExtensionSupportRequired VersionNotSupported")

var looksLikeOperation = regexp.MustCompile(`^[A-Z][a-z]+[A-Z][A-Za-z]*$`)

// operation reads the name of an operation where a method and a URL could stand; false: it is none. The profile says which there are.
func (r *reader) operation(d *stepDraft, n *yaml.Node, line string) (Request, bool) {
	if !looksLikeOperation.MatchString(line) {
		for _, option := range []string{"params", "on"} {
			if d.has(option) {
				r.problem(n, "%s belongs to an operation such as SendMessage, not to a method and a URL", option)
			}
		}
		return Request{}, false
	}
	if known := r.row.Speaks; len(known.Operations) == 0 {
		r.problem(n, "the profile %s has no operations such as %s", r.row.Name, quoted(line))
	} else if _, is := known.Of(line); !is {
		r.problem(n, "%s has no operation %s%s", known.Name, quoted(line), didYouMean(line, known.Names()))
	}
	for _, option := range []string{"json", "text", "base64", "redirects", "raw", "chunked", "unpaced", "otherwise"} {
		if d.has(option) {
			r.problem(n, "an operation is sent in the form of its binding, and takes no %s; its request object is params", option)
		}
	}
	return Request{Operation: line, Params: d.params, HasParams: d.has("params"), OnOther: d.other, Header: d.header,
		Walk: d.walk, WalkMax: d.pages}, true
}

// refusals adds what fails_with stands for: that the operation failed with one of these errors. An answer that does not
// say which error it is leaves nothing to judge here.
func (d *stepDraft) refusals(at Position) {
	if len(d.failsWith) == 0 {
		return
	}
	subject := assertions.MustPath("failure.name")
	value := func(word string, want any) assertions.Value {
		return assertions.Value{At: at, Checks: []assertions.Check{{At: at, Word: assertions.ByName(word), Want: want}}}
	}
	// Of the exchange, which is always there: an operation that was processed has no name of an error, and is to be judged.
	unnamed := value(membersWord, assertions.Members{{Path: subject, Want: value("equals", Unnamed)}})
	d.step.SkipUnless = append([]SkipUnless{{At: at, Reason: UnnamedError, Expected: true, Unless: []Expectation{{At: at,
		Subject: assertions.MustPath("exchange"), Want: value("not", unnamed)}}}}, d.step.SkipUnless...)
	want := value("equals", d.failsWith[0])
	if len(d.failsWith) > 1 {
		any := make([]any, len(d.failsWith))
		for i, name := range d.failsWith {
			any[i] = name
		}
		want = value("one_of", any)
	}
	d.step.Expect = append([]Expectation{{At: at, Subject: subject, Want: want}}, d.step.Expect...)
}

// over reads the bindings that a test is played over.
func (r *reader) over(n *yaml.Node) []string {
	all := r.texts(n, "over", func(one *yaml.Node) string {
		return r.choice(one, "over", append(slices.Clip(Bindings), Pairs, Interfaces)...)
	})
	for _, alone := range []string{Pairs, Interfaces} {
		if len(all) > 1 && slices.Contains(all, alone) {
			r.problem(n, "%s covers everything; nothing can be combined with it", alone)
		}
	}
	return all
}

// operates says whether some of the steps are operations, those of shared steps and of clients included.
func operates(steps []*Step) bool {
	return someRequest(steps, func(r Request) bool { return r.Operation != "" })
}

// onOther says whether some of the steps go over the second of a pair of bindings.
func onOther(steps []*Step) bool {
	return someRequest(steps, func(r Request) bool { return r.OnOther })
}

func someRequest(steps []*Step, is func(Request) bool) bool {
	return slices.ContainsFunc(steps, func(s *Step) bool {
		switch do := s.Do.(type) {
		case Request:
			return is(do)
		case Poll:
			return is(do.Request)
		case Stream:
			return is(do.Request)
		case Block:
			return someRequest(do.Inside(), is)
		}
		return false
	})
}
