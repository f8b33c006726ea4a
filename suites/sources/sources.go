// SPDX-License-Identifier: Apache-2.0

// Package sources finds in the source of a requirement the specifications that everybody can read, and where they stand.
package sources

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A Part is a piece of a source's text. URL is where it can be read, "" for what stands between.
type Part struct{ Text, URL string }

const (
	a2aSpecification = "https://a2a-protocol.org/latest/specification/"
	a2aWhatsNew      = "https://a2a-protocol.org/latest/whats-new-v1/"
)

// A public specification is known by how its sources are written; the groups of the pattern are its number and a section.
type public struct {
	written *regexp.Regexp
	url     func(number, section string) string
}

func fixed(url string) func(string, string) string {
	return func(string, string) string { return url }
}

var all = []public{
	{regexp.MustCompile(`\bRFC (\d{3,5})(?:,? (?:sections? )?(\d+(?:\.\d+)*))?`), func(number, section string) string {
		url := "https://www.rfc-editor.org/rfc/rfc" + number
		if section != "" {
			url += "#section-" + section
		}
		return url
	}},
	{regexp.MustCompile(`\bA2A (whats-new-v1)()`), fixed(a2aWhatsNew)},
	{regexp.MustCompile(`\bA2A (1\.0)? ?(?:sections? )?(\d+(?:\.\d+)+|[1-9]\d*\b|A\.\d+(?:\.\d+)*)`), func(version, section string) string {
		if version == "" && section == "1.0" { // it is the version
			return a2aSpecification
		}
		return a2aSpecification + "#:~:text=" + section + "."
	}},
	{regexp.MustCompile(`\bJSON-RPC (2\.0)(?: section [\d.]+\d)?()`), fixed("https://www.jsonrpc.org/specification")},
	{regexp.MustCompile(`\bWHATWG (HTML)(?: [\d.]+\d)?()`), fixed("https://html.spec.whatwg.org/multipage/server-sent-events.html")},
	{regexp.MustCompile(`\bPrometheus (exposition) formats?()`), fixed("https://prometheus.io/docs/instrumenting/exposition_formats/")},
	{regexp.MustCompile(`\b(ProtoJSON)()\b`), fixed("https://protobuf.dev/programming-guides/json/")},
}

// Parts are the pieces of a source, in order; together they are the source.
func Parts(source string) []Part {
	type found struct {
		from, to int
		url      string
	}
	var links []found
	for _, p := range all {
		for _, m := range p.written.FindAllStringSubmatchIndex(source, -1) {
			group := func(n int) string {
				if m[2*n] < 0 {
					return ""
				}
				return source[m[2*n]:m[2*n+1]]
			}
			overlaps := slices.ContainsFunc(links, func(l found) bool { return m[0] < l.to && l.from < m[1] })
			if !overlaps {
				links = append(links, found{m[0], m[1], p.url(group(1), group(2))})
			}
		}
	}
	slices.SortFunc(links, func(a, b found) int { return cmp.Compare(a.from, b.from) })
	var parts []Part
	at := 0
	for _, l := range links {
		if l.from > at {
			parts = append(parts, Part{Text: source[at:l.from]})
		}
		parts = append(parts, Part{Text: source[l.from:l.to], URL: l.url})
		at = l.to
	}
	if at < len(source) {
		parts = append(parts, Part{Text: source[at:]})
	}
	return parts
}

// URLs are where a source can be read, each once.
func URLs(source string) []string {
	var urls []string
	for _, p := range Parts(source) {
		if p.URL != "" && !slices.Contains(urls, p.URL) {
			urls = append(urls, p.URL)
		}
	}
	return urls
}

// Text joins the pieces as link writes them; other writes what stands between.
func Text(source string, link func(text, url string) string, other func(text string) string) string {
	var b strings.Builder
	for _, p := range Parts(source) {
		if p.URL == "" {
			b.WriteString(other(p.Text))
		} else {
			b.WriteString(link(p.Text, p.URL))
		}
	}
	return b.String()
}
