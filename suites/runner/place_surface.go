// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"regexp"
	"strings"
)

// surfaceOf says which surface of the executor a URL is one of, and what its path has behind the root of that: a2a and
// "tasks/x" of ${api}/tasks/x and ${base}/tasks/x, whichever the instance is, admin, v1, terminal, or other and "".
func (p *place) surfaceOf(address string) (surface, below string) {
	path := sentPath(address)
	for _, s := range []struct{ name, root string }{{"admin", p.admin}, {"v1", join(p.root, "api/v1")}, {"a2a", p.api}} {
		if rest, is := strings.CutPrefix(path, s.root+"/"); is {
			return s.name, rest
		}
	}
	if rest, is := strings.CutPrefix(path, join(p.root, "agents")+"/"); is && p.admin != "" {
		if id, below, has := strings.Cut(rest, "/v1/"); has && id != "" && !strings.Contains(id, "/") { // of another instance
			return "a2a", below
		}
	}
	rest, is := strings.CutPrefix(path, p.base+"/")
	for _, first := range []string{"tasks", "messages:", "extendedAgentCard"} {
		if is && strings.HasPrefix(rest, first) {
			return "a2a", rest
		}
	}
	if strings.HasPrefix(path, join(p.root, "agents")+"/") && attached.MatchString(path) {
		return "terminal", ""
	}
	return "other", ""
}

// below says whether a URL is one of the instance under test.
func (p *place) below(address string) bool { return strings.HasPrefix(sentPath(address), p.base+"/") }

// attached is the path of a terminal.
var attached = regexp.MustCompile(`/sessions/([^/]+)/attach/*$`)
