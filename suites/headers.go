// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// headers reads a mapping from header name to its value, to a list of values (several lines), or to null (not sent).
func (r *reader) headers(n *yaml.Node, what string) []Header {
	if !r.isMapping(n, what) {
		return nil
	}
	var all []Header
	for key, value := range pairs(n) {
		name := key.Value
		if !headerName.MatchString(name) {
			r.problem(key, "%s is not the name of a header", quoted(name))
		}
		switch {
		case value.Kind == yaml.SequenceNode:
			if !r.isList(value, "the lines of "+name) {
				continue
			}
			for _, line := range value.Content {
				all = append(all, Header{Name: name, Value: r.template(line, name)})
			}
		case value.Kind == yaml.ScalarNode && plain(value) && kindOf(value) == "null":
			all = append(all, Header{Name: name, Drop: true})
		default:
			all = append(all, Header{Name: name, Value: r.template(value, name)})
		}
	}
	return all
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// WithDefaults adds to own those headers of defaults that own neither sets nor drops. The names of what own drops stay
// in the list, marked Drop.
func WithDefaults(own, defaults []Header) []Header {
	all := own[:len(own):len(own)]
	for _, d := range defaults {
		overridden := false
		for _, h := range own {
			overridden = overridden || strings.EqualFold(h.Name, d.Name)
		}
		if !overridden {
			all = append(all, d)
		}
	}
	return all
}

// defaultHeaders reads headers that every request of a file has, so no step stands before them that could keep a name.
func (r *reader) defaultHeaders(n *yaml.Node) []Header {
	r.takeNames()
	all := r.headers(n, "header")
	for _, ref := range r.takeNames() {
		if problem := (&scope{uris: r.uris}).unknown(ref.name); problem != "" {
			r.problems = append(r.problems, Problem{ref.at, problem})
		}
	}
	return all
}
