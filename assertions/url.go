// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"strings"
)

var urlWord = Word{
	Name: "url",
	Means: "is a text that splits into the parts of a URL (RFC 3986, appendix B), and the parts named fit: scheme, host, port, " +
		"authority, path, query, fragment; parts that are absent are missing, and it may contain the braces of a template",
	Takes: Inside,
	Judge: func(got, want any) error {
		text, is := got.(string)
		if !is {
			return seen(got, "a URL")
		}
		parts := splitURL(text)
		for _, m := range want.(Members) {
			if err := m.Want.Judge(m.Path.Find(parts)); err != nil {
				return urlProblem(text, m.Path.String(), err)
			}
		}
		return nil
	},
}

func urlProblem(text, part string, err error) error {
	p, is := err.(*Problem)
	if !is {
		return err
	}
	return &Problem{Seen: "is " + show(text) + ", whose " + part + " " + strings.TrimSpace(p.Path+" "+p.Seen), Wanted: p.Wanted}
}

func splitURL(text string) map[string]any {
	m := uriParts.FindStringSubmatchIndex(text)
	parts := map[string]any{}
	set := func(name string, group int) {
		if m != nil && m[2*group] >= 0 {
			parts[name] = text[m[2*group]:m[2*group+1]]
		}
	}
	set("scheme", 2)
	set("authority", 4)
	set("path", 5)
	set("query", 7)
	set("fragment", 9)
	if scheme, there := parts["scheme"].(string); there {
		parts["scheme"] = strings.ToLower(scheme)
	}
	if authority, there := parts["authority"].(string); there {
		if a := uriAuthority.FindStringSubmatch(authority); a != nil {
			parts["host"] = a[2]
			if a[3] != "" {
				parts["port"] = a[3][1:]
			}
		}
	}
	return parts
}
