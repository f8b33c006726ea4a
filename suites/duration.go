// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

const (
	durationForm = `[0-9]{1,6}(ms|s|m)`
	maxWait      = 24 * time.Hour

	namedTimeForm = `^\$\{[^}]+\}(ms|s|m)$`
)

var (
	isDuration  = regexp.MustCompile(`^` + durationForm + `$`)
	isNamedTime = regexp.MustCompile(namedTimeForm)
)

// duration reads a time such as 500ms, 5s or 2m.
func (r *nodes) duration(n *yaml.Node, what string) time.Duration {
	before := len(r.problems)
	text := r.text(n, what)
	d, err := parseDuration(text)
	if err != nil && len(r.problems) == before {
		r.problem(n, "%s: %v", what, err)
	}
	return d
}

// span reads a time or a range of times, 12s..40s.
func (r *nodes) span(n *yaml.Node, what string) Duration {
	before := len(r.problems)
	text := r.text(n, what)
	if len(r.problems) > before {
		return Duration{}
	}
	least, most, isRange := strings.Cut(text, "..")
	d, err := Duration{}, error(nil)
	if d.Min, err = parseDuration(least); err == nil && isRange {
		if d.Max, err = parseDuration(most); err == nil && d.Max <= d.Min {
			err = fmt.Errorf("%s is not longer than %s", most, least)
		}
	}
	if err != nil {
		r.problem(n, "%s: %v", what, err)
	}
	return d
}

// wait reads how long something goes on: a time, a range of times, or a time whose number a name gives, ${seconds}s.
func (r *conditions) wait(n *yaml.Node, what string) Duration {
	if n.Kind == yaml.ScalarNode && isNamedTime.MatchString(n.Value) {
		return Duration{Text: r.template(n, what)}
	}
	return r.span(n, what)
}

// ParseDuration reads a time as suites write it, once the names in it are filled in.
func ParseDuration(text string) (time.Duration, error) { return parseDuration(text) }

func parseDuration(text string) (time.Duration, error) {
	if !isDuration.MatchString(text) {
		return 0, fmt.Errorf("%s is not a time such as 500ms, 5s or 2m", quoted(text))
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s is not a time such as 500ms, 5s or 2m", quoted(text))
	case d <= 0:
		return 0, fmt.Errorf("%s is no time at all", text)
	case d > maxWait:
		return 0, fmt.Errorf("%s is more than a day", text)
	}
	return d, nil
}
