// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// uriParts is the expression of RFC 3986, appendix B.
var uriParts = regexp.MustCompile(`^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?$`)

var (
	uriScheme    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	uriAuthority = regexp.MustCompile(`^([^@\[\]]*@)?(\[[0-9A-Fa-f:.]+\]|[^:@\[\]]*)(:[0-9]*)?$`)
)

// checkURI reads text as RFC 3986 writes URIs; absolute wants a scheme.
func checkURI(text string, absolute bool) error {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '%' && (i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2])):
			return fmt.Errorf("%% at offset %d is not followed by two hex digits", i)
		case c != '%' && !isWordByte(rune(c)) && !strings.ContainsRune("-._~:/?#[]@!$&'()*+,;=", rune(c)):
			return fmt.Errorf("%s at offset %d may not stand in a URI", quote(firstRune(text[i:]), "bytes"), i)
		}
	}
	parts := uriParts.FindStringSubmatch(text)
	scheme, authority, path := parts[2], parts[4], parts[5]
	switch {
	case parts[1] == "" && absolute:
		return errors.New("it has no scheme")
	case parts[1] != "" && !uriScheme.MatchString(scheme):
		return fmt.Errorf("%s is no scheme", quote(scheme, "bytes"))
	case !uriAuthority.MatchString(authority), !isAddress(hostOf(authority)):
		return fmt.Errorf("%s is no host", quote(authority, "bytes"))
	case hasHost[strings.ToLower(scheme)] && hostOf(authority) == "":
		return errors.New("it has no host")
	case strings.ContainsAny(path+parts[7]+parts[9], "[]#"):
		return errors.New("[, ] and # may not stand there unescaped")
	}
	return nil
}

// checkHostPort reads text as host, colon and port of the authority of a URI (RFC 3986 sections 3.2.2 and 3.2.3), with a port
// that a connection can be made to. An address of IPv6 stands in brackets.
func checkHostPort(text string) error {
	switch colon := strings.LastIndexByte(text, ':'); {
	case colon < 0:
		return errors.New("it has no port")
	case strings.ContainsAny(text, "/?#@"):
		return errors.New("there is more than a host and a port")
	default:
		port, err := strconv.ParseUint(text[colon+1:], 10, 16)
		if err != nil || port == 0 || text[colon+1] == '+' {
			return fmt.Errorf("%s is no port", quote(text[colon+1:], "bytes"))
		}
		if text[:colon] == "" {
			return errors.New("it has no host")
		}
	}
	return checkURI("//"+text, false)
}

var hasHost = map[string]bool{"http": true, "https": true, "ws": true, "wss": true}

func hostOf(authority string) string {
	return uriAuthority.FindStringSubmatch(authority)[2]
}

// isAddress says whether what stands in brackets is an address of IPv6; what stands in none may be any name without control
// characters and spaces, which nobody can connect to by escaping them.
func isAddress(host string) bool {
	inner, bracketed := strings.CutPrefix(host, "[")
	if !bracketed {
		name, err := url.PathUnescape(host)
		return err == nil && utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool { return unicode.IsControl(c) || unicode.IsSpace(c) })
	}
	at, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
	return err == nil && at.Is6() && at.Zone() == ""
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
