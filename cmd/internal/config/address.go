// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// CheckURL accepts an absolute http(s) address that holds no credentials.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case !strings.Contains(text, "://"):
		return fmt.Errorf("has no scheme: write http:// or https:// in front of it")
	case err != nil:
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // without the address, which may hold a password
		}
		return fmt.Errorf("is no URL: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("is no http or https URL; it begins with http:// or https://")
	case u.Hostname() == "":
		return fmt.Errorf("names no host")
	case !isPort(u.Port()):
		return fmt.Errorf("has the port %s; ports are numbers from 1 to 65535", u.Port())
	case u.User != nil:
		return fmt.Errorf("holds credentials; they are given with --token or --header")
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("has a query or a fragment, which a base address cannot have")
	}
	return nil
}

// isPort says whether a port of a URL, "" when it has none, is one that there can be.
func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return text == "" || err == nil && n >= 1 && n <= 65535
}
