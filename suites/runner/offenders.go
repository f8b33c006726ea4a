// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// offendersOfTheRun says of a list of the whole run in which test the first element stood that is not as wanted, and how many of
// them there are, as a watch does, and by which routes. Both are empty for what is no such list, and where the list as a whole is
// not as wanted.
func (p *player) offendersOfTheRun(step *suites.Step, want *suites.Expectation, got any, found *problem) (by, seenAt string) {
	list, _ := got.([]any)
	subject := want.Subject.String()
	if hook, is := step.Do.(suites.Hook); !is || hook.Name != hooks.WholeRun && hook.Name != hooks.OpenAPI && hook.Name != hooks.OpenAPIAnswers || len(list) == 0 {
		return "", ""
	}
	index, _, is := strings.Cut(strings.TrimPrefix(found.subject, subject+"["), "]")
	first, err := strconv.Atoi(index)
	if !is || err != nil || first < 0 || first >= len(list) {
		return "", ""
	}
	offenders, ofEach, at := 0, aboutEach(want.Want), routeCount{}
	for _, one := range list {
		if fits, err := p.run.options.fits(ofEach, []any{one}); err == nil && !fits {
			offenders++
			at.add(p.routeOf(one))
		}
	}
	if offenders == 0 {
		return "", ""
	}
	in := ""
	if operation := readers.MemberText(list[first], "operation"); operation != "" && step.Do.(suites.Hook).Name != hooks.WholeRun {
		in = operation + "; "
	}
	if test := readers.MemberText(list[first], "test"); test != "" {
		in += "in " + test + "; "
	}
	kind := strings.ReplaceAll(subject[strings.LastIndex(subject, ".")+1:], "_", " ")
	return fmt.Sprintf(" (%s%d of %d %s)", in, offenders, len(list), kind), at.String()
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
