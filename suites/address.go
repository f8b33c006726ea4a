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
	pieces, err := pieces(address, lookup, func(before, name, value string) string {
		if isData(name) {
			return escapedAfter(before, value)
		}
		return value
	})
	return strings.Join(pieces, ""), err
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
