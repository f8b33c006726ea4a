// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/url"
	"strings"
)

// withQuery sets one parameter of a URL's query and leaves the others as they stand.
func withQuery(address, name, value string) string {
	before, query, _ := strings.Cut(address, "?")
	var kept []string
	for parameter := range strings.SplitSeq(query, "&") {
		if key, _, _ := strings.Cut(parameter, "="); parameter != "" && key != url.QueryEscape(name) && key != name {
			kept = append(kept, parameter)
		}
	}
	kept = append(kept, url.QueryEscape(name)+"="+url.QueryEscape(value))
	return before + "?" + strings.Join(kept, "&")
}
