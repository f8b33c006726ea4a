// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"net/url"
	"strings"
)

// ExpandAddress is ExpandText for the address of a request. What isData says of a name is data, as an id or a cursor of the
// target is, stands in it percent-encoded where it fills a segment of the path or the value of a query parameter (RFC 3986, 3.3
// and 3.4): an id may have any characters, and only its encoded form leads to what it names. Everything else, and what stands
// elsewhere, is a part of the address as the suite has put it together: a base URL, a path from a Location header.
func ExpandAddress(address string, lookup func(name string) (any, error), isData func(name string) bool) (string, error) {
	var written strings.Builder
	for next := strings.Index(address, "${"); next >= 0; next = strings.Index(address, "${") {
		written.WriteString(address[:next])
		if next > 0 && address[next-1] == '$' { // $${ is a literal ${, which ExpandText writes
			literal, err := ExpandText(address[next-1:next+2], lookup)
			if err != nil {
				return "", err
			}
			soFar := strings.TrimSuffix(written.String(), "$")
			written.Reset()
			written.WriteString(soFar + literal)
			address = address[next+2:]
			continue
		}
		name, end, err := nameAt(address, next)
		if err != nil {
			return "", err
		}
		text, err := ExpandText(address[next:end], lookup)
		if err != nil {
			return "", err
		}
		if isData(name) {
			text = escapedAfter(written.String(), text)
		}
		written.WriteString(text)
		address = address[end:]
	}
	return written.String() + address, nil
}

// escapedAfter is data as it stands behind the beginning of an address.
func escapedAfter(before, data string) string {
	switch inQuery := strings.Contains(before, "?"); {
	case inQuery && strings.HasSuffix(before, "="):
		return url.QueryEscape(data)
	case !inQuery && strings.HasSuffix(before, "/") && !strings.HasSuffix(before, "://"):
		return url.PathEscape(data)
	}
	return data
}
