// SPDX-License-Identifier: Apache-2.0

package report

import (
	"regexp"
	"strings"
)

// outcomeSubject is what became of an operation, in one word: how findings name it.
const outcomeSubject = "outcome"

// outcomes are these words in English.
var outcomes = map[string]string{
	"processed":         "success",
	"validation":        "an error that blames the request",
	"authentication":    "an error about credentials",
	"authorization":     "a refusal for lack of permission",
	"unknown-operation": "the error that there is no such operation",
	"client":            "some error that blames the client",
	"server":            "an internal error",
	"envelope":          "an error about the form of the request",
	"unnamed":           "an error without a name",
	"a2a":               "one of the errors of A2A",
}

// anOutcome is a word for what became of an operation, or the name of an error, as findings quote them.
var anOutcome = regexp.MustCompile(`"([A-Za-z][A-Za-z0-9-]*)"`)

// otherErrors are the kinds of errors that are for other requirements, where one A2A error is wanted like that of another answer.
const otherErrors = `, or "authentication", "authorization", "validation", "client", "server", "envelope" or "unknown-operation"`

// besides is a part of a finding about several alternatives that is about the outcome.
var besides = regexp.MustCompile(`(?:^|[\s.])outcome (?:is|has|fits)\b`)

// PlainOutcome is a part of a finding about what became of an operation, in English: not "server" but an internal error. Of everything else it is
// the text itself.
func PlainOutcome(subject, text string) string {
	text = strings.Replace(text, otherErrors, "", 1)
	if subject == outcomeSubject {
		return plainOutcome(text)
	}
	if !strings.Contains(text, outcomeSubject) {
		return text
	}
	parts := strings.Split(text, orElse)
	for i, part := range parts {
		if besides.MatchString(quoted.ReplaceAllString(part, `""`)) {
			parts[i] = plainOutcome(part)
		}
	}
	return strings.Join(parts, orElse)
}

// orElse stands between what is said by several alternatives.
const orElse = "; or "

// notSuccess is what is wanted of a request that must not succeed.
const notSuccess = anythingBut + `"processed"`

func plainOutcome(text string) string {
	text = strings.ReplaceAll(text, notSuccess, "an error")
	return anOutcome.ReplaceAllStringFunc(text, func(quoted string) string {
		word := strings.Trim(quoted, `"`)
		if plain := outcomes[word]; plain != "" {
			return plain
		}
		if word[0] >= 'A' && word[0] <= 'Z' {
			return "the error " + word
		}
		return quoted
	})
}
