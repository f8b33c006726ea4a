// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var matchesWord = Word{
	Name:   "matches",
	Means:  "is a text in which this regular expression (RE2) finds something; anchor it with ^ and $ to mean all of it",
	Takes:  Literal,
	Schema: `{"type": "string"}`,
	Check: func(want any) error {
		_, err := pattern(want)
		return err
	},
	Judge: func(got, want any) error {
		expression, err := pattern(want)
		if err != nil {
			return err
		}
		if text, is := textOf(got); is && expression.MatchString(text) {
			return nil
		}
		return seen(got, "a match of "+show(want))
	},
}

var startsWithWord = Word{
	Name:   "starts_with",
	Means:  "is a text that begins with this, or with one of these",
	Takes:  Literal,
	Schema: `{"type": ["string", "array"], "items": {"type": "string"}, "minItems": 1}`,
	Judge: func(got, want any) error {
		return edge("starts_with", got, want, "a text that starts with ", strings.HasPrefix)
	},
}

var endsWithWord = Word{
	Name:   "ends_with",
	Means:  "is a text that ends with this, or with one of these",
	Takes:  Literal,
	Schema: `{"type": ["string", "array"], "items": {"type": "string"}, "minItems": 1}`,
	Judge: func(got, want any) error {
		return edge("ends_with", got, want, "a text that ends with ", strings.HasSuffix)
	},
}

func edge(word string, got, want any, wanted string, has func(text, part string) bool) error {
	parts, err := textOrList(word, want)
	if err != nil {
		return err
	}
	if text, is := textOf(got); is {
		for _, part := range parts {
			if has(text, part.(string)) {
				return nil
			}
		}
	}
	return seen(got, wanted+listed(parts, "or"))
}

// patterns keeps compiled expressions. Those of a suite are few; those with a ${name} inside are new in every test, so
// the table starts again when it is full.
var patterns = struct {
	sync.Mutex
	compiled map[string]*regexp.Regexp
}{compiled: map[string]*regexp.Regexp{}}

func pattern(want any) (*regexp.Regexp, error) {
	text, err := textArgument("matches", want)
	if err != nil {
		return nil, err
	}
	patterns.Lock()
	defer patterns.Unlock()
	if expression := patterns.compiled[text]; expression != nil {
		return expression, nil
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("not a regular expression: %w", err)
	}
	if len(patterns.compiled) >= 1000 {
		clear(patterns.compiled)
	}
	patterns.compiled[text] = expression
	return expression, nil
}
