// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// Join puts a path behind a URL.
func Join(base, path string) string {
	return strings.TrimRight(base, "/") + "/" + strings.TrimLeft(path, "/")
}

// PlainURL is a URL as the operator gave it, without user info, query, fragment and trailing slashes. Without a scheme
// it is taken for http.
func PlainURL(given string) string {
	given = strings.TrimSpace(given)
	if given != "" && !strings.Contains(given, "://") {
		given = "http://" + given
	}
	u, err := url.Parse(given)
	if err != nil || u.Host == "" {
		return strings.TrimRight(given, "/")
	}
	u.User, u.RawQuery, u.Fragment, u.RawFragment, u.ForceQuery = nil, "", "", "", false
	return strings.TrimRight(u.String(), "/")
}

// Origin is scheme and authority of a URL, with the default port left out. Of the host only ASCII letters are folded: what other
// letters fold to is not where a connection would lead ("\u0130" to "i", though its name in the DNS is another).
func Origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	host := lowerASCII(u.Host)
	switch u.Scheme {
	case "http", "ws":
		return "http://" + strings.TrimSuffix(host, ":80")
	case "https", "wss":
		return "https://" + strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host
}

func lowerASCII(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

// WithQuery sets one parameter of a URL's query and leaves the others as they stand.
func WithQuery(address, name, value string) string {
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

// SentPath is an address without its query, and without its fragment, which suites may write but nobody is sent.
func SentPath(address string) string {
	if end := strings.IndexAny(address, "?#"); end >= 0 {
		return address[:end]
	}
	return address
}

// A SendPath is the end of a path that creates a task, and what a cancel of the task puts behind its id.
type SendPath struct{ Path, Cancel string }

// SendPaths are the ends of the paths that create a task.
var SendPaths = []SendPath{
	{"/messages:send", "/cancel"}, {"/messages:stream", "/cancel"},
	{"/message:send", ":cancel"}, {"/message:stream", ":cancel"},
}

// IsLoopback says whether a URL leads to this machine, so that what listens here can be reached from there.
func IsLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// privateNames are the ends of host names that nobody outside can reach.
var privateNames = []string{".local", ".internal", ".test", ".example", ".localhost"}

// isPublic says whether a URL, or host:port, leads to a host that others can reach: none of loopback, private and
// link-local addresses, names of one label and names that are reserved.
func isPublic(address string) bool {
	if !strings.Contains(address, "://") {
		address = "grpc://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip := net.ParseIP(host); ip != nil {
		return !(ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified())
	}
	return strings.Contains(host, ".") && !slices.ContainsFunc(privateNames, func(end string) bool { return strings.HasSuffix(host, end) })
}

func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}
