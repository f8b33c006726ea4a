// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"slices"
	"strings"
)

// The extensions that the card declares.
const (
	wordCount = "https://a2a.example/extensions/word-count/v1"
	tracing   = "https://a2a.example/extensions/tracing/2.0"
)

// extensionsBehaviour is the negotiation of extensions.
type extensionsBehaviour struct {
	declared func(s *Server) []any                    // the entries of the card
	asked    func(h http.Header) []string             // the uris that a request names
	matches  func(asked, declared string) bool        // whether they are the same extension
	active   func(s *Server, asked []string) []string // the uris that are activated
	required func(s *Server) []string                 // that requests for sending must name
	refuses  func(c *call) *failure                   // a required one is missing
	echo     func(c *call) []string                   // what the response header names
	names    func(c *call, h http.Header)             // writes it
	words    func(c *call, t task, v object)          // what word-count does to a task
}

var conformantExtensions = extensionsBehaviour{
	declared: declaredExtensions,
	asked:    askedExtensions,
	matches:  func(asked, declared string) bool { return asked == declared },
	active: func(s *Server, asked []string) []string {
		var active []string
		for _, uri := range declaredURIs(s) {
			if slices.ContainsFunc(asked, func(a string) bool { return s.b.extensions.matches(a, uri) }) {
				active = append(active, uri)
			}
		}
		return active
	},
	required: func(s *Server) []string {
		if s.config.RequiredExtension && s.declares("extensions") {
			return []string{tracing}
		}
		return nil
	},
	refuses: func(c *call) *failure {
		if !c.op.sends || c.version == version03 {
			return nil
		}
		for _, uri := range c.s.b.extensions.required(c.s) {
			if !slices.Contains(c.active, uri) {
				f := fail(extensionSupportRequired, "the request does not name an extension that the card requires")
				f.metadata = map[string]string{"extension": uri}
				return f
			}
		}
		return nil
	},
	echo: func(c *call) []string { return c.active },
	names: func(c *call, h http.Header) {
		if uris := c.s.b.extensions.echo(c); len(uris) > 0 {
			h.Set("A2A-Extensions", strings.Join(uris, ", "))
		}
	},
	words: func(c *call, t task, v object) {
		if slices.Contains(c.active, wordCount) {
			v["metadata"] = object{wordCount: object{"words": t.words()}}
		}
	},
}

func declaredExtensions(s *Server) []any {
	second := object{"uri": tracing, "description": "Requests may be traced from end to end."}
	if s.config.RequiredExtension {
		second["required"] = true
	}
	return []any{
		object{
			"uri":         wordCount,
			"description": "Tasks tell how many words their messages have.",
			"params":      object{"unit": "word", "separators": []any{}, "exact": false, "least": 0},
		},
		second,
	}
}

// declaredURIs are the uris of the entries that have one.
func declaredURIs(s *Server) []string {
	if !s.declares("extensions") {
		return nil
	}
	var uris []string
	for _, entry := range s.b.extensions.declared(s) {
		if entry, ok := entry.(object); ok {
			if uri, ok := entry["uri"].(string); ok {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}

// askedExtensions reads the header, which may stand on several lines.
func askedExtensions(h http.Header) []string {
	var asked []string
	for _, line := range h.Values("A2A-Extensions") {
		for uri := range strings.SplitSeq(line, ",") {
			if uri = strings.TrimSpace(uri); uri != "" {
				asked = append(asked, uri)
			}
		}
	}
	return asked
}
