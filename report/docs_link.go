// SPDX-License-Identifier: Apache-2.0

package report

import "net/url"

// maxDocs is the longest address of a page that a report links to, in bytes.
const maxDocs = 2000

// DocsLink is the address of the page about the requirement, for a link; "" where there is none. A saved report can hold any text there:
// what is no http or https URL of plain characters is no link.
func (r *Result) DocsLink() string {
	u, err := url.Parse(r.Docs)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || len(r.Docs) > maxDocs {
		return ""
	}
	for _, c := range []byte(r.Docs) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !isPlain[c] {
			return ""
		}
	}
	return r.Docs
}

// isPlain are the characters of an address, besides letters and digits, that act in no format: brackets, quotes and asterisks are not among them.
var isPlain = map[byte]bool{'-': true, '.': true, '_': true, '~': true, '/': true, ':': true, '%': true, '#': true, '+': true, '=': true, ',': true}
