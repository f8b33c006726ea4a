// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/consistency"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/traits"
)

// offendersOfTheRun says of a list of the whole run in which test the first element stood that is not as wanted, and how many of
// them there are, as a watch does, by which routes, and what they have in common. All are empty for what is no such list, and where the list as a whole is
// not as wanted.
func (p *player) offendersOfTheRun(step *suites.Step, want *suites.Expectation, o *subjects.Observation, got any, found *problem) (by, seenAt string, common traits.Tally) {
	list, _ := got.([]any)
	subject := want.Subject.String()
	if hook, is := step.Do.(suites.Hook); !is || hook.Name != hooks.WholeRun && hook.Name != hooks.OpenAPI && hook.Name != hooks.OpenAPIAnswers || len(list) == 0 {
		return "", "", common
	}
	first := placeIn(list, subject, found)
	if first < 0 {
		return "", "", common
	}
	offenders, ofEach, at, sets := 0, aboutEach(want.Want), traits.RouteCount{}, traits.Table{}
	for _, one := range list {
		fits, err := p.run.options.fits(ofEach, []any{one})
		if err != nil {
			continue
		}
		route := p.routeOf(one)
		common.Add(sets.Set(traits.OfElement(one, route)), !fits, "")
		if !fits {
			offenders++
			at.Add(route)
		}
	}
	if offenders == 0 {
		return "", "", common
	}
	if subject == "result.slips" {
		common = amongAnswers(p, ofEach, list, o.At(allAnswers))
	}
	in := ""
	if operation := readers.MemberText(list[first], "operation"); operation != "" && step.Do.(suites.Hook).Name != hooks.WholeRun {
		in = operation + "; "
	}
	if test := readers.MemberText(list[first], "test"); test != "" {
		in += "in " + test + "; "
	}
	return fmt.Sprintf(" (%s%d of %d %s)", in, offenders, len(list), kindOf(subject)), at.String(), common
}

// allAnswers are all unary answers of the run.
var allAnswers = assertions.MustPath("result.answers")

// amongAnswers holds the answers that slipped against those of the same operations that did not: a list of slips has no others.
func amongAnswers(p *player, ofEach assertions.Value, slips []any, answers any) traits.Tally {
	slipped, operations, kept, common := map[string]bool{}, map[string]bool{}, map[string]int{}, traits.Tally{}
	for _, slip := range slips {
		if fits, err := p.run.options.fits(ofEach, []any{slip}); err != nil || fits {
			continue
		}
		kind := readers.MemberText(slip, "rule") + " " + readers.MemberText(slip, "operation")
		if kept[kind]++; kept[kind] >= consistency.MaxSlips || assertions.IsMissing(readers.Member(slip, "nth")) { // there may be more, or it was none of these answers
			return traits.Tally{}
		}
		slipped[jsontext.Text(readers.Member(slip, "nth"))] = true
		operations[readers.MemberText(slip, "operation")] = true
	}
	sets := traits.Table{}
	list, _ := answers.([]any)
	for _, answer := range list {
		isError := !assertions.IsMissing(readers.Member(readers.Member(answer, "json"), "error")) // which cannot slip
		if operations[readers.MemberText(answer, "operation")] && !isError {
			common.Add(sets.Set(traits.OfElement(answer, p.routeOf(answer))), slipped[jsontext.Text(readers.Member(answer, "nth"))], "")
		}
	}
	return common
}

// placeIn is the place in a list of the element that a finding is about; -1 where it is about none.
func placeIn(list []any, subject string, found *problem) int {
	index, _, is := strings.Cut(strings.TrimPrefix(found.subject, subject+"["), "]")
	first, err := strconv.Atoi(index)
	if !is || err != nil || first < 0 || first >= len(list) {
		return -1
	}
	return first
}

// citedOf is the element of a list of the whole run that a finding is about, a slip with the answer that slipped; nil where it is about none.
func citedOf(step *suites.Step, want *suites.Expectation, o *subjects.Observation, got any, found *problem) any {
	list, _ := got.([]any)
	first := placeIn(list, want.Subject.String(), found)
	if do, is := step.Do.(suites.Hook); !is || do.Name != hooks.WholeRun || first < 0 {
		return nil
	}
	slip, is := list[first].(map[string]any)
	nth, known := readers.Member(slip, "nth").(json.Number)
	if !is || !known {
		return list[first]
	}
	answers, _ := o.At(allAnswers).([]any)
	for _, answer := range answers {
		if readers.Member(answer, "nth") == nth {
			cited := maps.Clone(slip)
			for _, member := range []string{"status", "json"} {
				if value := readers.Member(answer, member); !assertions.IsMissing(value) {
					cited[member] = value
				}
			}
			return cited
		}
	}
	return slip
}

// whereOf says of an element of a list of the whole run what a reader knows it by: the request that it answers, and which of those that answer
// such requests it is. It is empty where no request led to it.
func whereOf(want *suites.Expectation, got any, found *problem, routeOf func(any) string) string {
	list, _ := got.([]any)
	subject := want.Subject.String()
	first := placeIn(list, subject, found)
	if first < 0 {
		return ""
	}
	route := routeOf(list[first])
	if route == "" {
		return ""
	}
	nth, all := 0, 0
	for i, one := range list {
		if routeOf(one) == route {
			if all++; i <= first {
				nth++
			}
		}
	}
	answer := placeOfValue(list[first], found) + "the answer to " + route
	if all == 1 {
		return answer
	}
	return fmt.Sprintf("%s, %s of %d such %s", answer, ordinal(nth), all, kindOf(subject))
}

// placeOfValue says where in its answer a value stands that a finding is about, "task.history[1] of "; it is empty of what is no value, or the
// whole answer.
func placeOfValue(element any, found *problem) string {
	_, below, _ := strings.Cut(found.subject, "].")
	name, _, _ := strings.Cut(strings.ReplaceAll(below, "[", "."), ".")
	path := strings.Split(readers.MemberText(element, "at"), "/")
	if name != "value" || len(path) < 2 {
		return ""
	}
	var at strings.Builder
	for _, token := range path[1:] {
		if _, err := strconv.Atoi(token); err == nil {
			at.WriteString("[" + token + "]")
			continue
		}
		at.WriteString("." + pointer.Name(token))
	}
	return strings.TrimPrefix(at.String(), ".") + " of "
}

// kindOf is what the elements of a list of the whole run are: "answers", "unnamed errors".
func kindOf(subject string) string {
	return strings.ReplaceAll(subject[strings.LastIndex(subject, ".")+1:], "_", " ")
}

// ordinal is a place among others: 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	ending := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(n) + ending
}

// aboutEach is what a condition on a list says of its elements one by one, without what it says of the list as a whole.
func aboutEach(v assertions.Value) assertions.Value {
	each := assertions.Value{At: v.At}
	for _, c := range v.Checks {
		switch want := c.Want.(type) {
		case []assertions.Value: // all_of; of any_of no element is an offender by itself
			if c.Word.Name == "all_of" {
				parts := make([]assertions.Value, len(want))
				for i := range want {
					parts[i] = aboutEach(want[i])
				}
				c.Want = parts
				each.Checks = append(each.Checks, c)
			}
		case assertions.NamedArgs:
			if inner, is := want["want"].(assertions.Value); is && c.Word.Name == "select" {
				args := maps.Clone(want)
				args["want"] = aboutEach(inner)
				c.Want = args
				each.Checks = append(each.Checks, c)
			}
		default:
			if c.Word.Name == "none" || c.Word.Name == "each" {
				each.Checks = append(each.Checks, c)
			}
		}
	}
	return each
}

// routeOf is the route of an element of a list of the whole run: that of its request, a method and a URL, and over JSON-RPC the operation.
func (p *player) routeOf(element any) string {
	method, address, is := strings.Cut(readers.MemberText(element, "request"), " ")
	if !is {
		return ""
	}
	route := p.run.Routes.Like(p.run.Route(method, address, nil))
	if operation := cmp.Or(readers.MemberText(element, "operation"), readers.MemberText(element, "from")); operation != "" && readers.MemberText(element, "over") == "JSONRPC" {
		route += " " + operation // all of which are sent to one address
	}
	return route
}

// tellMore adds to what is told of a finding how many elements of its list are not as wanted, and which of the ids that the test knows are meant.
func (n *namer) tellMore(do suites.Action, found *problem, no *assertions.Problem, o *subjects.Observation) {
	told := *found
	told.observed += n.knownAs(strings.TrimPrefix(found.observed, "is "))
	if found.subject == "status" || found.subject == "outcome" {
		told.observed += n.askedFor(do)
	}
	told.expected += n.knownAs(found.expected)
	share, place := "", o.PlaceOf(found.subject)
	if no.Share != "" {
		share = " (" + no.Share + ")"
	}
	switch {
	case found.nearest != "":
		found.nearest += share
	case share != "" && place != "":
		told.observed += " (" + no.Share + ", " + strings.TrimPrefix(place, " (")
		found.nearest = sentenceOf(&told) + o.Because()
	case share != "" || place != "" || told != *found:
		told.observed += share + place
		found.nearest = sentenceOf(&told) + o.Because()
	}
}

// shortestID is how long something is at least that nothing else is by chance.
const shortestID = 8

// isID says whether a value looks like the id of something.
func isID(v any) bool {
	id, is := v.(string)
	return is && len(id) >= shortestID && strings.ContainsAny(id, "0123456789") && !strings.ContainsAny(id, " /")
}

// knownAs says by which name the test knows an id that a finding shows, in brackets; it is empty of everything else.
func (n *namer) knownAs(shown string) string {
	id, err := strconv.Unquote(shown)
	if err != nil || !isID(id) {
		return ""
	}
	if name := n.names.NameOf(id); name != "" {
		return fmt.Sprintf(" (known as %s)", asWords(name))
	}
	return ""
}

// askedFor says which of several ids that the target has given a request asks for, in brackets; it is empty where it asks for none of them, or
// where the test knows but one.
func (n *namer) askedFor(do suites.Action) string {
	known := map[any]bool{}
	for name, value := range n.names.Own() {
		if isID(value) && n.names.IsSeen(name) {
			known[value] = true
		}
	}
	request, _ := do.(suites.Request)
	asked := slices.DeleteFunc(suites.Names([]any{request.URL, request.Params}), func(name string) bool {
		value, _ := n.names.Find(name)
		return !isID(value) && !strings.HasPrefix(name, "near.") && !strings.HasPrefix(name, "fresh.")
	})
	if len(known) < 2 || len(asked) != 1 || !n.names.IsSeen(asked[0]) { // beside one that the test has made up, that of the target is not what is asked for
		return ""
	}
	return fmt.Sprintf(" (asked for %s)", asWords(asked[0]))
}

// asWords is a name of a suite as words.
func asWords(name string) string { return strings.ReplaceAll(name, "_", " ") }
