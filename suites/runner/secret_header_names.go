// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
)

// secretHeaders carry credentials by their nature.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key",
	"X-Session-Api-Key", "X-Access-Token", "X-Auth-Token"}

// isSecretHeader says whether a header is one of them.
func isSecretHeader(name string) bool {
	return slices.Contains(secretHeaders, name)
}
