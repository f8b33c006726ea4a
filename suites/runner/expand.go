// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"regexp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

var wholeName = regexp.MustCompile(`\$\{([^{}]+)\}`)

func expandValue(v any, lookup func(string) (any, error)) (any, error) {
	switch v := v.(type) {
	case string:
		if m := wholeName.FindStringSubmatchIndex(v); m != nil && m[0] == 0 && m[1] == len(v) {
			return lookup(v[m[2]:m[3]])
		}
		var failed error
		s := wholeName.ReplaceAllStringFunc(v, func(name string) string {
			found, err := lookup(name[2 : len(name)-1])
			if err != nil {
				failed = err
			}
			return text(found)
		})
		return s, failed
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = expandValue(v[i], lookup); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		members := make(map[string]any, len(v))
		for name := range v {
			var err error
			if members[name], err = expandValue(v[name], lookup); err != nil {
				return nil, err
			}
		}
		return members, nil
	}
	return v, nil
}

func expandExpectation(e suites.Expectation, lookup func(string) (any, error)) (suites.Expectation, error) {
	want, err := e.Want.Map(func(v any) (any, error) { return expandValue(v, lookup) })
	e.Want = want
	return e, err
}
