// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

const contentType = "header.Content-Type"

// mediaTypeKey is of answers with the same wrong media type, whichever routes they come from.
func mediaTypeKey(d *symptom) string {
	if d.subject != contentType {
		return ""
	}
	return normaliseText(d.observed + "\x00" + d.expected)
}

func mediaTypeSays(_ string, symptoms []*symptom) (says, fix string) {
	d := symptoms[0]
	if d.observed == missing {
		return fmt.Sprintf("%s carry no Content-Type where %s is wanted", onRoutes(symptoms), d.expected), "Answer with Content-Type " + d.expected + "."
	}
	return fmt.Sprintf("%s carry a Content-Type that %s where %s is wanted", onRoutes(symptoms), d.observed, d.expected),
		"Answer with Content-Type " + d.expected + "."
}

// missing is what is observed of something that is not there.
const missing = "is missing"

// missingHeaderKey is of answers that lack the same header.
func missingHeaderKey(d *symptom) string {
	if d.observed == missing {
		return headerOf(d)
	}
	return ""
}

// delivered is what stands before the name of a header that a webhook was sent, rather than answered with.
const delivered = "delivered "

// headerOf is the name of the header that is judged, "" when it is none or a part of one. Suites write header for a header's
// value and headers for all lines of its name.
func headerOf(d *symptom) string {
	found := aHeader.FindStringSubmatch(d.subject)
	switch {
	case found == nil:
		return ""
	case found[1] != "":
		return delivered + found[2]
	}
	return found[2]
}

var aHeader = regexp.MustCompile(`^(requests\[\d+\]\.)?headers?\.([^.\[\]]+)$`)

// whose begins a sentence about headers, and is the header's name.
func whose(header string, symptoms []*symptom) (who, name string) {
	if name, is := strings.CutPrefix(header, delivered); is {
		return "Deliveries to webhooks", name
	}
	return onRoutes(symptoms), header
}

func missingHeaderSays(name string, symptoms []*symptom) (says, fix string) {
	who, name := whose(name, symptoms)
	return fmt.Sprintf("%s carry no header %s", who, name), "Send the header " + name + " there."
}

// headerKey is of answers in which the same header has the same wrong value.
func headerKey(d *symptom) string {
	name := headerOf(d)
	if name == "" {
		return ""
	}
	return normaliseText(name + "\x00" + d.observed + "\x00" + d.expected)
}

func headerSays(_ string, symptoms []*symptom) (says, fix string) {
	who, name := whose(headerOf(symptoms[0]), symptoms)
	says = fmt.Sprintf("%s carry a header %s that %s", who, name, symptoms[0].observed)
	if symptoms[0].expected == "" {
		return says, "Correct the header " + name + " there."
	}
	return says, "Send the header " + name + " as wanted: " + symptoms[0].expected + "."
}

// lacking is what an answer that fits none of several forms lacks of the first of them.
var lacking = regexp.MustCompile(`^fits none of \d+ alternatives: \.([A-Za-z_][A-Za-z_.]*) is missing\b`)

// errorShapeKey is of error answers whose bodies lack the same part, or have the same thing wrong about it.
func errorShapeKey(d *symptom) string {
	head, _, _ := strings.Cut(d.subject, ".")
	if d.status < 400 || !slices.Contains([]string{"json", "body", "errcode", "exchange"}, head) {
		return ""
	}
	if part := lackedPart(d); part != "" {
		return part
	}
	return normaliseText(d.subject + "\x00" + d.observed + "\x00" + d.expected)
}

// lackedPart is the part that an answer lacks, "" when it lacks none.
func lackedPart(d *symptom) string {
	if d.observed == missing {
		return d.subject
	}
	found := lacking.FindStringSubmatch(d.observed)
	switch {
	case found == nil:
		return ""
	case d.subject == "exchange":
		return found[1]
	}
	return d.subject + "." + found[1]
}

func errorShapeSays(_ string, symptoms []*symptom) (says, fix string) {
	d := symptoms[0]
	part := lackedPart(d)
	switch {
	case part == "errcode":
		return "Error responses have no code that distinguishes one error from another: " + routesOf(symptoms),
			"Give error answers the code that the contract names; each finding says which one."
	case part != "":
		return "The bodies of error answers lack " + part + ": " + routesOf(symptoms), "Give error answers the form that the contract asks for, with " + part + "."
	case d.expected == "":
		return fmt.Sprintf("In error answers, %s %s: %s", d.subject, d.observed, routesOf(symptoms)), "Give error answers the form that the contract asks for."
	}
	return fmt.Sprintf("In error answers, %s %s: %s", d.subject, d.observed, routesOf(symptoms)),
		"Give error answers the form that the contract asks for: " + d.subject + " should be " + d.expected + "."
}

// stepKey is of the same finding at the same step, which several tests share.
func stepKey(d *symptom) string {
	if d.blocked || d.at == "" {
		return ""
	}
	return normaliseText(d.at + "\x00" + d.sentence)
}

// findingKey is of the same finding about answers of the same route. A status alone is no such thing: a route that works
// for others has its reasons, which may be different ones. Nor is an operation that was carried out and should not have been:
// what is wrong stands in the request.
func findingKey(d *symptom) string {
	switch {
	case d.subject == outcomeSubject && d.observed == `is "processed"`:
		return ""
	case d.route == "" || d.subject == "status" || d.status == 0:
		return ""
	case lackedPart(d) != "":
		return d.route + "\x00" + lackedPart(d)
	case d.blocked:
		return ""
	}
	return normaliseText(d.route + "\x00" + d.sentence)
}

// judged says whether one of the symptoms is a judgement: what is blocked alone is a cause of its own kind.
func judged(symptoms []*symptom) bool {
	return slices.ContainsFunc(symptoms, func(d *symptom) bool { return !d.blocked })
}

// errorName is what suites call the name of an error, however its binding writes it.
const errorName = "failure.name"

func findingSays(_ string, symptoms []*symptom) (says, fix string) {
	d := symptoms[slices.IndexFunc(symptoms, func(d *symptom) bool { return !d.blocked })]
	part := lackedPart(d)
	for _, other := range symptoms { // the largest part is what has to be added
		if larger := lackedPart(other); larger != "" && strings.HasPrefix(part, larger) && larger != part {
			d, part = other, larger
		}
	}
	says = PlainOutcome(d.subject, d.sentence)
	switch {
	case part == "closed":
		says = "the connection is not closed"
	case part != "":
		says = part + " is missing"
	}
	if routes := distinct(symptoms); len(routes) > 0 {
		says = show.FirstOf(routes, 4) + ": " + says
	}
	switch {
	case part == "json":
		return says, "Answer with JSON."
	case part == "closed":
		return says, "Close the connection; each finding says when."
	case d.subject == outcomeSubject && d.expected == `"processed"`:
		return says, "Do what is asked for."
	case d.subject == errorName:
		return says, "Answer with the error that is wanted: " + d.expected + "."
	case part != "" && d.expected == "":
		return says, "Add " + part + "; each finding says in which form."
	case part != "" && d.expected == "it to be there":
		return says, "Add " + part + "."
	case part != "":
		return says, "Add " + part + ": " + nearestForm.ReplaceAllString(d.expected, "") + "."
	case d.expected == "":
		return says, "Correct " + cmp.Or(PlainNames(d.subject), "this") + "."
	}
	if normaliseText(d.expected) != d.expected {
		return says, "Correct " + cmp.Or(PlainNames(d.subject), "this") + "; each finding says how it should be."
	}
	return says, "Correct " + cmp.Or(PlainNames(d.subject), "this") + ": it should be " + PlainOutcome(d.subject, d.expected) + "."
}

// distinct are the routes of symptoms, in order.
func distinct(symptoms []*symptom) []string {
	var routes []string
	for _, d := range symptoms {
		if d.route != "" {
			routes = append(routes, d.route)
		}
	}
	slices.Sort(routes)
	return slices.Compact(routes)
}

func routesOf(symptoms []*symptom) string {
	routes := distinct(symptoms)
	if len(routes) == 0 {
		return "on routes that were not recorded"
	}
	return show.FirstOf(routes, 4)
}

// onRoutes begins a sentence about answers.
func onRoutes(symptoms []*symptom) string { return "Answers of " + routesOf(symptoms) }

// notToBeThere are the ways in which findings say that a member is not to be there.
var notToBeThere = regexp.MustCompile(`^(?:absent|no such member|no members but)\b`)

// unwantedKey is of answers of one route with the same member, which must not be there.
func unwantedKey(d *symptom) string {
	member, is := strings.CutPrefix(d.subject, "json.")
	if !is || d.route == "" || d.blocked || !notToBeThere.MatchString(d.expected) {
		return ""
	}
	return d.route + " " + member
}

func unwantedSays(_ string, symptoms []*symptom) (says, fix string) {
	member := strings.TrimPrefix(symptoms[0].subject, "json.")
	return fmt.Sprintf("%s have %s, which must not be there", onRoutes(symptoms), member), "Leave " + member + " out there."
}

// nearestForm ends what a finding wants by one of several forms: what is to be added is known without their number.
var nearestForm = regexp.MustCompile(` \(nearest of \d+ alternatives\)$`)
