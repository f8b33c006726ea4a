// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"strings"
)

var linkWord = Word{
	Name:  "link",
	Means: "is a Link header (RFC 8288), or a list of its lines, with a link of this relation whose target fits",
	Takes: Named,
	Args: []Arg{
		{Name: "rel", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
		{Name: "target", Takes: Nested},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		rel, err := textArgument("link", args["rel"])
		if err != nil {
			return err
		}
		lines, isText := textLines(got)
		if !isText {
			return seen(got, "a Link header with rel "+show(rel))
		}
		links, err := parseLinks(lines)
		if err != nil {
			return seen(got, "a Link header: "+err.Error())
		}
		return linkTo(links, rel, args)
	},
}

func linkTo(links []weblink, rel string, args NamedArgs) error {
	var others []any
	var refused error
	for _, l := range links {
		if !l.has(rel) {
			if l.rel != "" {
				others = append(others, l.rel)
			}
			continue
		}
		target, named := args["target"].(Value)
		if !named {
			return nil
		}
		err := target.Judge(l.target)
		if err == nil {
			return nil
		}
		if refused == nil {
			refused = targetOf(rel, err)
		}
	}
	switch {
	case refused != nil:
		return refused
	case len(others) == 0:
		return &Problem{Seen: "has no rel " + show(rel) + ", nor any other"}
	default:
		return &Problem{Seen: "has no rel " + show(rel) + ", only " + listed(others, "and")}
	}
}

// targetOf says no to the target of the link with that relation.
func targetOf(rel string, err error) error {
	var p *Problem
	if !errors.As(err, &p) {
		return err
	}
	return &Problem{Seen: "has rel " + show(rel) + " with a target that " + p.Seen, Wanted: p.Wanted}
}

// weblink is one link of a Link header.
type weblink struct{ target, rel string }

// has says whether one of the link's relation types, which are separated by blanks, is rel.
func (l weblink) has(rel string) bool {
	for _, r := range strings.Fields(l.rel) {
		if lowerASCII(r) == lowerASCII(rel) {
			return true
		}
	}
	return false
}

// parseLinks reads Link header lines as RFC 8288, section 3, writes them.
func parseLinks(lines []string) ([]weblink, error) {
	var links []weblink
	for _, line := range lines {
		rest := skipCommas(line)
		for rest != "" {
			link, after, err := parseLink(rest)
			if err != nil {
				return nil, err
			}
			if after != "" && after[0] != ',' {
				return nil, fmt.Errorf("%s where a comma belongs", quote(after, "bytes"))
			}
			links = append(links, link)
			rest = skipCommas(after)
		}
	}
	return links, nil
}

func skipCommas(s string) string { return strings.TrimLeft(s, " \t,") }

func parseLink(s string) (weblink, string, error) {
	end := strings.IndexByte(s, '>')
	if s[0] != '<' || end < 0 {
		return weblink{}, "", fmt.Errorf("%s does not begin with <target>", quote(s, "bytes"))
	}
	l := weblink{target: s[1:end]}
	rest := strings.TrimLeft(s[end+1:], " \t")
	for strings.HasPrefix(rest, ";") {
		rest = strings.TrimLeft(rest[1:], " \t")
		if rest == "" || rest[0] == ',' || rest[0] == ';' {
			continue
		}
		name, value, after, err := parseParameter(rest)
		if err != nil {
			return weblink{}, "", err
		}
		// Only the first rel of a link counts (RFC 8288, 3.3).
		if strings.EqualFold(name, "rel") && l.rel == "" {
			l.rel = value
		}
		rest = after
	}
	return l, rest, nil
}

// parseParameter reads name, name=token or name="quoted" from the start of s.
func parseParameter(s string) (name, value, rest string, err error) {
	end := strings.IndexAny(s, "=;, \t")
	if end < 0 {
		end = len(s)
	}
	name, rest = s[:end], strings.TrimLeft(s[end:], " \t")
	if !token.MatchString(name) {
		return "", "", "", fmt.Errorf("%s is no parameter", quote(s, "bytes"))
	}
	if !strings.HasPrefix(rest, "=") {
		return name, "", rest, nil
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if strings.HasPrefix(rest, `"`) {
		value, rest, err = quotedText(rest[1:])
		return name, value, strings.TrimLeft(rest, " \t"), err
	}
	if end = strings.IndexAny(rest, ";, \t"); end < 0 {
		end = len(rest)
	}
	return name, rest[:end], strings.TrimLeft(rest[end:], " \t"), nil
}

// quotedText reads a quoted string up to its closing quote; the opening one has been read.
func quotedText(s string) (text, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], nil
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", fmt.Errorf("the quote before %s is never closed", quote(s, "bytes"))
}

// textLines is a header value, or the list of its lines.
func textLines(got any) ([]string, bool) {
	if text, is := got.(string); is {
		return []string{text}, true
	}
	list, is := got.([]any)
	if !is {
		return nil, false
	}
	lines := make([]string, len(list))
	for i := range list {
		if lines[i], is = list[i].(string); !is {
			return nil, false
		}
	}
	return lines, true
}
