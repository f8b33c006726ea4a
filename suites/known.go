// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// runNames are the names that the flags of a run give.
var runNames = strings.Fields("root plain_root origin base api admin jwks iid executor token tokens receiver card_url old_card_url rest rpc required_extensions required_extensions.swapped declared_extension optional_extensions")

// nameFamilies are the first parts of names that have a second one.
var nameFamilies = strings.Fields("fresh filler ago case uri cue announced token fits breaks near floor")

var (
	freshNames     = strings.Fields("uuid uuid4 uuid.8 uuid.9 uuid.a uuid.b uuid4.8 uuid4.9 uuid4.a uuid4.b time marker token traceparent websocket_key")
	announcedNames = strings.Fields("v1_sunset v1_link idempotency_ttl terminate_on_last_controller closed_sessions_archived")
	isFiller       = regexp.MustCompile(`^([1-9][0-9]{0,5}(B|KiB)|([1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-6])MiB)(\.wide)?$`)
)

// use checks names and notes what they need.
func (s *scope) use(refs []nameRef) {
	for _, ref := range refs {
		problem := s.unknown(ref.name)
		switch {
		case problem == "":
			s.asksFor(ref.name)
		case givenByTest(ref.name) && s.alone:
			// Whether a test gives it is checked wherever a test uses these shared steps.
		case !givenByTest(ref.name) && len(s.usedAt) > 0:
			// This was said when the shared steps were checked by themselves.
		default:
			s.problem(ref.at, "%s", problem)
		}
	}
}

// givenByTest says whether a name is one that a test gives, by let, keep, listen or its cases.
func givenByTest(name string) bool {
	family, _, _ := strings.Cut(name, ".")
	return family == "case" || !slices.Contains(nameFamilies, family)
}

// asksFor notes what the operator must configure for a name to have a value.
func (s *scope) asksFor(name string) {
	family, rest, _ := strings.Cut(name, ".")
	switch family {
	case "cue":
		s.needs["cue:"+rest] = true
	case "token":
		identity, _, _ := strings.Cut(rest, ".")
		if identity == "" {
			identity = "instance"
		}
		s.needs["token:"+identity] = true
	}
}

// unknown says what is wrong with a name, or "" when it is known.
func (s *scope) unknown(name string) string {
	if s.kept[name] || slices.Contains(runNames, name) {
		return ""
	}
	family, rest, _ := strings.Cut(name, ".")
	among := func(known []string) string {
		if slices.Contains(known, rest) {
			return ""
		}
		return fmt.Sprintf("there is no ${%s}%s", name, nameMeant(name, prefixed(family+".", known)))
	}
	switch family {
	case "fresh":
		return among(freshNames)
	case "announced":
		return among(announcedNames)
	case "uri":
		return among(sortedKeys(s.uris))
	case "token":
		return among(tokenNames)
	case "cue":
		if isWord.MatchString(rest) {
			return ""
		}
		return fmt.Sprintf("${%s} names no cue", name)
	case "ago":
		if d, err := time.ParseDuration(rest); err == nil && d > 0 {
			return ""
		}
		return fmt.Sprintf("${%s} says no time such as ${ago.5s}", name)
	case "fits", "breaks":
		return s.unknownValue(name)
	case "near":
		if why := s.unknown(rest); why != "" || slices.Contains(nameFamilies, rest) {
			return fmt.Sprintf("${%s} is near a text that has been kept; %s", name, cmp.Or(why, "${"+rest+"} is none"))
		}
		return ""
	case "floor":
		if why := s.unknown(rest); why != "" || slices.Contains(nameFamilies, rest) {
			return fmt.Sprintf("${%s} is a time that has been kept; %s", name, cmp.Or(why, "${"+rest+"} is none"))
		}
		return ""
	case "filler":
		if isFiller.MatchString(rest) {
			return ""
		}
		return fmt.Sprintf("${%s} says no size such as ${filler.12MiB}, up to 256MiB", name)
	case "case":
		if s.cells == nil {
			return fmt.Sprintf("there is no ${%s}: the test has no cases", name)
		}
		if s.cells[rest] {
			return ""
		}
		return fmt.Sprintf("not every row of cases has a cell %s%s", rest, didYouMean(rest, sortedKeys(s.cells)))
	}
	if at, later := s.later[name]; later {
		return fmt.Sprintf("nothing called ${%s} is known here; it is only named later, at %s", name, at)
	}
	switch s.inside[name].(type) {
	case Together:
		return fmt.Sprintf("${%s} is known only inside together; keep it from branches[0].%s", name, name)
	case Part:
		return fmt.Sprintf("${%s} is known only inside part, whose steps may end before it is kept", name)
	case If:
		return fmt.Sprintf("${%s} is known only inside if, whose steps are not always played", name)
	}
	known := append(sortedKeys(s.kept), runNames...)
	return fmt.Sprintf("nothing called ${%s} is known here%s", name, nameMeant(name, known))
}

// Ways are those in which ${breaks.schema.WAY} can break a schema, without a way the first that there is.
var Ways = strings.Fields("type truth digits fraction enum case pattern maxLength minimum maximum null extra required")

// What makes of ${fits.schema} another value that fits: Edge one that only just does, ${fits.schema.edge}, and Least one without what is
// not required, ${fits.schema.least}.
const (
	Edge  = "edge"
	Least = "least"
)

// unknownValue says what is wrong with ${fits.schema}, ${fits.schema.edge}, ${fits.schema.least}, ${breaks.schema}, ${breaks.schema.type} or
// ${breaks.schema.case.way}.
func (s *scope) unknownValue(name string) string {
	family, rest, _ := strings.Cut(name, ".")
	schema, way, more := strings.Cut(rest, ".")
	if why := s.unknown(schema); why != "" || slices.Contains(nameFamilies, schema) {
		return fmt.Sprintf("${%s} is about a schema that has been kept; %s", name, cmp.Or(why, "${"+schema+"} is none"))
	}
	switch {
	case !more:
		return ""
	case strings.HasPrefix(way, "case."):
		return s.unknown(way)
	case family == "fits" && (way == Edge || way == Least):
		return ""
	case family == "fits":
		return fmt.Sprintf("${%s} says more than the name of the schema, and not ${%s.%s.%s} or ${%[2]s.%[3]s.%[5]s}", name, family, schema, Edge, Least)
	case !slices.Contains(Ways, way):
		return fmt.Sprintf("${%s} names no way to break a schema%s", name, didYouMean(way, Ways))
	}
	return ""
}

// TokenForms are what may be made of a token: itself in base64url, with another character in its middle, without its last
// one, with its letters in the other case, and as the password of Basic credentials.
var TokenForms = []string{"base64url", "altered", "shortened", "swapped", "basic"}

// tokenNames are what may follow ${token.
var tokenNames = func() []string {
	var all []string
	for _, identity := range Credentials {
		if identity != "anonymous" {
			all = append(all, identity)
			for _, form := range TokenForms {
				all = append(all, identity+"."+form)
			}
		}
	}
	return all
}()

// prefixed puts the first part of a name before each of its second parts, and sorts them.
func prefixed(first string, seconds []string) []string {
	all := make([]string, len(seconds))
	for i, second := range seconds {
		all[i] = first + second
	}
	slices.Sort(all)
	return all
}
