// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// quotedText is what the target said, as findings quote it.
var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// plainer is how a line that is read first says what findings say with more care further down.
var plainer = []struct {
	of *regexp.Regexp
	is string
}{
	{regexp.MustCompile(` \(nearest of \d+ alternatives\)`), ""},
	{regexp.MustCompile(`\bhas request \x00\d+\x00 and place (\x00\d+\x00)(?: and (status \d+))?(?: and error true)? \([^()]*?(\d+) of \d+ shown tokens\), want no such element`),
		"a token that was sent stands in its $1, $2 (seen $3 times), want none"},
	{regexp.MustCompile(`, +\(seen (\d+) times\)`), " (seen $1 times)"},
	{regexp.MustCompile(` \(seen 1 times\)`), ""},
	{regexp.MustCompile(`\b(events\[\d+\])\.task\.id is missing in the element with ([^()]*?)( \(|, want|$)`), "$1, with $2, names no task$3"},
	{regexp.MustCompile(`\b(events\[\d+\])\.task\.id is missing\b`), "$1 names no task"},
	{regexp.MustCompile(`\bresult\.keys does not verify the card: \.(signatures\[\d+\]) fits form [A-D] with `), "$1 of the card fits the card written with "},
	{regexp.MustCompile(`\bresult\.keys does not (verify|cover) the card: \.(signatures\[\d+\]) `), "$2 of the card does not $1 it: it "},
	{regexp.MustCompile(`\bhas request \x00\d+\x00 and at (\x00\d+\x00) and `), "$1 has "},
	{regexp.MustCompile(`\bhas request \x00\d+\x00 and `), "has "},
	{regexp.MustCompile(`\bhas over \x00\d+\x00 and `), "has "}, // the route in front says it
	{regexp.MustCompile(`\bhas blames \x00\d+\x00 \(in ([\w-]+); (\d+) of (\d+) wanted refusals\), want no such element`),
		"blames the server for what is wrong with the request ($2 of the run's $3 such refusals, in $1)"},
	{regexp.MustCompile(`\bhas members \[([^\]]*)\], whose list has \d+ elements that fits (.*?), want 1\b`), "has the members $1 together, want one only of $2"},
	{regexp.MustCompile(`\bresult\.operation is missing, want it to be there`), "no such operation is declared"},
	{regexp.MustCompile(`\bresult\.names\[\d+\] has (?:path \x00\d+\x00 and )?in (\x00\d+\x00) and name (\x00\d+\x00) \(([A-Z]+ [^();]*); (\d+ of \d+ names)\), want no such element`),
		"the OpenAPI document declares $2 in the $1 of $3 ($4)"},
	{regexp.MustCompile(`\bresult\.live_names\[\d+\] is \{\x00\d+\x00: (\x00\d+\x00), \x00\d+\x00: (\x00\d+\x00), \x00\d+\x00: (\x00\d+\x00), \x00\d+\x00: \x00\d+\x00\} \((?:[^();]*; )*(\d+ of \d+) live names\), want no element that fits [^;]*`),
		"the answer to $3 has $2 at $1 ($4 names)"},
	{regexp.MustCompile(`(?:\bresult\.nonconforming\[\d+\] )?\bhas operation (\x00\d+\x00) and problem (\x00\d+\x00)`), "the answer to $1 does not fit the document: $2"},
	{regexp.MustCompile(`^(in .*\bthe answer to [^:]*: has .*), want no such element`), "$1, which must not be"},
	{regexp.MustCompile(`\bis missing((?: \([^()]*\))?), want something that is not empty`), "is missing$1"},
	{regexp.MustCompile(`\b(header [\w-]+ is missing(?: \([^()]*\))?), want a length of 1\b`), "$1, want one"},
	{regexp.MustCompile(`\bhas neither (\w+) nor (\w+);`), "has neither $1 nor $2, one of which is wanted;"},
	{regexp.MustCompile(`\bthe list of deliveries is empty: nothing was delivered, want a delivery\b`), "nothing was delivered"},
	{regexp.MustCompile(`\binterfaces\.pty is an empty list`), "supportedInterfaces has no entry of pty-ws/v1"},
	{regexp.MustCompile(`\bechoed(\[\d+\])? `), "A2A-Extensions$1 of the answer "},
	{regexp.MustCompile(`, \d+(?:st|nd|rd|th) of \d+ such [a-z ]+`), ""},
	{regexp.MustCompile(` is (-?\d+) after (-?\d+) before: its growth is (-?\d+), want at least (-?\d+)`), " grew by $3, from $2 to $1, want growth of at least $4"},
	{regexp.MustCompile(` and text \x00\d+\x00\.\.\. \(cut, \d+ bytes\)`), ""}, // shown below
	{regexp.MustCompile(`\bframe is op (\S+) kind (\w+), \S+ after the upgrade, want nothing for `), `$1 of the kind "$2" came, want nothing for `},
	{regexp.MustCompile(`\bframe is op (\S+), \S+ after the upgrade, want nothing for `), "$1 came, want nothing for "},
	{regexp.MustCompile(`, want no such element after (\[\d+\]), the first element with `), ", which must not come after $1 with "},
	{regexp.MustCompile(`\bbody has (\w+(?:\{[^{}]*\})?) grown by `), "$1 grew by "},
	{regexp.MustCompile(`\bbytes has byte `), "has byte "},
	{regexp.MustCompile(`(?:\.|\b)error is missing, want an object; or \.?status is missing, want ([^;()]*) \(no answer: ([^()]*)\)`), "no answer: $2, want an error, or status $1"},
	{regexp.MustCompile(`, want (\x00\d+\x00) as connection\.session\b`), ", want $1, the session of the attach URL"},
	{regexp.MustCompile(`\bcut is present (\(\x00\d+\x00\))(.*), want absent`), "the body is not all there $1$2"},
	{regexp.MustCompile(`, want JSON that fits schema `), " by the schema "},
	{regexp.MustCompile(` \(JSON that fits schema (\x00\d+\x00)\)`), " (by the schema $1)"},
	{regexp.MustCompile(`((?: with|has|and) )(?:(?:value\.)?\w+ missing and )+(value\.\w+ \x00)`), "$1$2"}, // which kind of part it is, and what is wrong with it
	{regexp.MustCompile(`\b(with|and) ([A-Za-z_][\w.]*) nothing there`), "$1 no $2"},
	{regexp.MustCompile(`( has no element with [^;:]* among \d+): \[\d+\][^;()]*?(?:, want [^;()]*?)?(?:; \[\d+\][^;()]*?(?:, want [^;()]*?)?)*( \(|$)`), "$1$2"},
}

// slip is a place at which an answer does not fit what was asked for, or what is known, as the suites find it in a list of all such places.
var slip = regexp.MustCompile(`\bhas rule \x00\d+\x00(?: and (?:operation|over|request) \x00\d+\x00)* and at (\x00\d+\x00)(?: and is ([^()]*?))?(?: and want ([^()]*?))?( \([^()]*\)), want no such element`)

// allMissing is a value that has none of several members, one of which it must have.
var allMissing = regexp.MustCompile(` fits none of the alternatives: (\.\w+ is missing(?:; or \.\w+ is missing)+)`)

// ofTheRun says how often something was seen in all that came in the run, and where first.
var ofTheRun = regexp.MustCompile(` \((?:[^()]|\([^()]*\))*; (\d+) of (\d+ \w+)\)`)

// anElement says which element of a list of the whole run a finding is about, of which the request stands in front.
var anElement = regexp.MustCompile(` in the element with (request \x00\d+\x00[^()]*)( \()`)

// saidInFront are the places in such an element that say what the route in front of a finding says, what the harness knows of it, or, as text
// does, all of what is shown below.
var saidInFront = []string{"request", "operation", "over", "from", "served", "test", "at", "nth", "text"}

// plainElement leaves what tells such an element apart beside what is said in front.
func plainElement(found string) string {
	parts := anElement.FindStringSubmatch(found)
	var left []string
	for _, place := range strings.Split(parts[1], " and ") {
		name, value, _ := strings.Cut(place, " ")
		if !slices.Contains(saidInFront, name) && !strings.Contains(value, "{") && len(value) <= maxApart {
			left = append(left, place)
		}
	}
	if len(left) == 0 {
		return parts[2]
	}
	return " with " + strings.Join(left, " and ") + parts[2]
}

// maxApart is how long a value is at most that tells an element apart, in bytes; each quoted text counts for a few.
const maxApart = 20

// shorter leaves out what says nothing to a reader: that all of an answer, event or delivery is the object that is looked at.
var shorter = strings.NewReplacer(` and at ""`, "")

// plainly is a finding as a line that is read first says it. What the target said stays as it is.
func plainly(sentence string) string {
	text, said := withoutQuoted(report.PlainNames(shorter.Replace(sentence)))
	text = slip.ReplaceAllStringFunc(text, plainSlip)
	for _, p := range plainer {
		text = p.of.ReplaceAllString(text, p.is)
	}
	text = allMissing.ReplaceAllStringFunc(text, func(found string) string {
		_, members, _ := strings.Cut(found, ": .")
		return " has none of " + strings.ReplaceAll(strings.TrimSuffix(members, " is missing"), " is missing; or .", ", ")
	})
	text = anElement.ReplaceAllStringFunc(text, plainElement)
	text = ofTheRun.ReplaceAllString(text, " ($1 of the run's $2)")
	return wantedInWords.ReplaceAllString(quotedAgain(ways.Replace(text), said), "$1$2")
}

// wantedInWords is inWords within a sentence.
var wantedInWords = regexp.MustCompile(`( such places?\), want )` + inWords.String())

// plainSlip says of a place at which an answer slipped what is there, what should be, and how many such places there are.
func plainSlip(found string) string {
	parts := slip.FindStringSubmatch(found)
	times, _, _ := strings.Cut(parts[4][strings.LastIndexAny(parts[4], "(;")+1:], " of ")
	places := " such places"
	if times = strings.TrimSpace(times); times == "1" {
		places = " such place"
	}
	text := fmt.Sprintf("%s is %s (%s)", parts[1], orMissing(parts[2]), times+places)
	if parts[3] != "" {
		text += ", want " + parts[3]
	}
	return text
}

// orMissing is what was seen at a place, where something was.
func orMissing(seen string) string { return cmp.Or(seen, "missing") }

// ofRequest is the request of a slip.
var ofRequest = regexp.MustCompile(` and request (\x00\d+\x00)`)

// placeOfQuoted is where something quoted stood.
var placeOfQuoted = regexp.MustCompile(`\x00\d+\x00`)

// isOfTheRun says whether a finding is about all that came in the run: the case of the test in which it was looked at says nothing of where.
func isOfTheRun(f *report.Finding) bool {
	return f.SeenAt != "" || f.Where != "" || ofTheRun.MatchString(f.Sentence())
}
