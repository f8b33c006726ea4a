// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"regexp"
)

// The versions that can be spoken.
const (
	version03 = "0.3"
	version10 = "1.0"
)

// versionsBehaviour is the negotiation of the protocol version.
type versionsBehaviour struct {
	asked   func(c *call) string                               // what the request says; empty: nothing
	missing string                                             // what nothing means
	reduce  func(asked string) (version string, readable bool) // Major.Minor of what was asked for
	spoken  func(c *call, version string) bool                 // whether the interface speaks it
	refuses func(c *call) *failure                             // decides, and sets the version of the call
}

var conformantVersions = versionsBehaviour{
	asked: func(c *call) string {
		if header := c.r.Header.Get("A2A-Version"); header != "" {
			return header
		}
		return c.r.URL.Query().Get("A2A-Version")
	},
	missing: version03,
	reduce:  majorMinor,
	spoken: func(c *call, version string) bool {
		if version == version03 {
			return c.binding == BindingRPC && c.s.config.Legacy
		}
		return version == version10
	},
	refuses: func(c *call) *failure { return c.negotiate() },
}

var versionForm = regexp.MustCompile(`^([0-9]+\.[0-9]+)(\.[0-9]+)?$`)

// majorMinor cuts a patch number off, which is not considered.
func majorMinor(asked string) (string, bool) {
	match := versionForm.FindStringSubmatch(asked)
	if match == nil {
		return "", false
	}
	return match[1], true
}

// negotiate finds the version that is spoken. Servers of 0.3 know nothing of the header.
func (c *call) negotiate() *failure {
	b := &c.s.b.versions
	if c.s.config.Only03 {
		c.version = version03
		return nil
	}
	asked := b.asked(c)
	if asked == "" {
		asked = b.missing
	}
	version, readable := b.reduce(asked)
	if !readable || !b.spoken(c, version) {
		f := fail(versionNotSupported, "this interface does not speak the version that was asked for")
		f.metadata = map[string]string{"supportedVersions": version10}
		return f
	}
	c.version = version
	return nil
}
