// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Parts are a finding as people read it: what it is about, what was seen there, and what was wanted.
type Parts struct {
	About                       string // what was asked, and with what it was answered
	Subject, Observed, Expected string
	Full                        string // all that was looked at, where the parts before say what comes nearest to what is wanted
	Sentence                    string // the finding, where its parts do not say all of it
}

// maxFull is how much of what was looked at stands below what comes nearest.
const maxFull = 600

// PartsOf takes a finding apart.
func PartsOf(f *report.Finding) Parts {
	observed, composed := Seen(f)
	p := Parts{About: About(f), Subject: SubjectOf(f), Observed: observed, Expected: f.Expected}
	subject, seen, wanted, is := takenApart(f.Nearest, f.Subject)
	switch {
	case !composed:
		p.Sentence = f.Told()
	case is && f.Where == "":
		if wanted != "" && (strings.HasPrefix(observed, "has no ") || strings.HasPrefix(observed, "fits none of ")) {
			p.Full = report.PlainNames(show.Brief(f.Subject+" "+observed, maxFull))
		}
		p.Subject, p.Observed, p.Expected = subject, seen, wanted
	default:
		p.slip()
		p.token()
	}
	if name := subjects[p.Subject]; name != "" {
		p.Subject = name
	}
	if why, is := strings.CutPrefix(p.Observed, "is present "); is && p.Subject == "cut" {
		p.Subject, p.Observed, p.Expected = "the body", "not all there "+why, "all of it"
	}
	p.Expected = report.OtherThan(p.Observed, p.Expected)
	p.Observed = strings.TrimPrefix(p.Observed, "is ")
	if remark, is := strings.CutPrefix(p.Observed, "empty"); is && p.Expected == "" && p.Sentence == "" && !strings.Contains(remark, ";") { // nothing is there, and that is said of what is wanted
		p.Observed, p.Expected = "empty", "something in it"+remark
	}
	if schema, is := strings.CutPrefix(p.Expected, "JSON that fits schema "); is && strings.HasPrefix(p.Observed, "missing") { // the member is no JSON of the schema itself
		p.Expected = "what the schema " + nearestForm.ReplaceAllString(schema, "") + " wants there"
	}
	p.Expected = nearestForm.ReplaceAllString(p.Expected, " (or another of $1 allowed forms)")
	for _, part := range []*string{&p.Subject, &p.Observed, &p.Expected} {
		*part = nearestForm.ReplaceAllString(*part, " (by the nearest of $1 allowed forms)")
		*part = ways.Replace(report.PlainOutcome(f.Subject, report.PlainNames(*part)))
	}
	return p
}

// subjects are what findings are about as a whole, in English.
var subjects = map[string]string{"exchange": "the answer", "result.operation": "the declared operation", "text": "the body as text", "json": "the JSON body",
	"interfaces.pty": "the interfaces of pty-ws/v1 on the card", "listed": "what is listed", "task.prompt": "the prompt of the task"}

// nearestForm is how findings say that they are by that one of several forms which comes nearest.
var nearestForm = regexp.MustCompile(` \(nearest of (\d+) alternatives\)`)

// ways are how findings speak of several forms of which one is enough.
var ways = strings.NewReplacer("; or .json ", "; or the JSON body ", "; or .", "; or ", " such slips", " such places", " such shown tokens", " such answers", " shown tokens)", " such answers)", " slips)", " places)")

// slip says of a place at which an answer does not fit what was asked for what is there and what should be.
func (p *Parts) slip() {
	text, said := withoutQuoted(p.Observed + ", want " + p.Expected)
	parts := slip.FindStringSubmatch(text)
	if parts == nil || parts[0] != text {
		return
	}
	p.Observed = fmt.Sprintf("%s is %s", parts[1], orMissing(parts[2]))
	if request := ofRequest.FindStringSubmatch(text); request != nil {
		p.Observed += ", asked with " + request[1]
	}
	p.Observed = quotedAgain(p.Observed+parts[4], said)
	p.Expected = inWords.ReplaceAllString(quotedAgain(parts[3], said), "$1")
}

// inWords is what should be at the place of a slip, where that is said in words and not as a value.
var inWords = regexp.MustCompile(`"((?:another|no such|not less than|at least) [a-z0-9 ]+)"`)

// shownToken is an answer that shows a token, as the suites find it in a list of all such answers.
var shownToken = regexp.MustCompile(`^has request (\x00\d+\x00) and place (\x00\d+\x00)(?: and (status \d+))?(?: and error true)?( \([^()]* shown tokens\))?$`)

// token says of an answer that shows a token where that stands.
func (p *Parts) token() {
	text, said := withoutQuoted(p.Observed)
	parts := shownToken.FindStringSubmatch(text)
	if parts == nil || p.Expected != "no such element" {
		return
	}
	status := ""
	if parts[3] != "" {
		status = ", with " + parts[3]
	}
	p.Observed = quotedAgain(fmt.Sprintf("a token that was sent stands in its %s%s, asked with %s%s", parts[2], status, parts[1], parts[4]), said)
	p.Expected = "no token there"
}

// takenApart is a sentence in three parts. Of one about several alternatives there is one part: each says what it is about, and what it wants,
// unless all are about the same.
func takenApart(sentence, about string) (subject, observed, expected string, is bool) {
	text, said := withoutQuoted(sentence)
	subject, rest, is := strings.Cut(text, " ")
	if !is {
		return "", "", "", false
	}
	if strings.Contains(rest, "; or ") {
		if rest, is := strings.CutPrefix(sentence, about); is && about != "" {
			return about, strings.TrimPrefix(strings.TrimSpace(rest), "."), "", true
		}
		return "the answer", quotedAgain(text, said), "", true
	}
	observed = rest
	if at := strings.LastIndex(rest, ", want "); at >= 0 {
		observed, expected = rest[:at], rest[at+len(", want "):]
	}
	return quotedAgain(subject, said), quotedAgain(observed, said), quotedAgain(expected, said), true
}

// withoutQuoted is a text in which numbers stand for what is quoted, and what that was.
func withoutQuoted(sentence string) (text string, said []string) {
	text = quotedText.ReplaceAllStringFunc(strings.ReplaceAll(sentence, "\x00", ""), func(quoted string) string {
		said = append(said, quoted)
		return fmt.Sprintf("\x00%d\x00", len(said)-1)
	})
	return text, said
}

// quotedAgain puts what is quoted back into a text.
func quotedAgain(text string, said []string) string {
	return placeOfQuoted.ReplaceAllStringFunc(text, func(place string) string {
		i, _ := strconv.Atoi(strings.Trim(place, "\x00"))
		return said[i]
	})
}
