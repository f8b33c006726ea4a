// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"regexp"

	"go.yaml.in/yaml/v4"
)

// isMethod admits every token of RFC 9110, in capitals, and ${case.method}.
var isMethod = regexp.MustCompile(`^([A-Z][A-Z-]*|\$\{[^ ]+\})$`)

func readOpen(r *reader, d *stepDraft, n *yaml.Node) Action {
	url := r.template(n, "open")
	if url != "" {
		r.checkURL(n, url)
	}
	return Open{URL: url, Subprotocol: d.subprotocol, Header: d.header, Raw: d.handshake, Unpaced: d.unpaced}
}

func (r *reader) handshake(n *yaml.Node) *RawHandshake {
	var raw RawHandshake
	readEntries(r, n, "handshake", handshakeKeys, &raw)
	return &raw
}

var handshakeKeys = []entry[RawHandshake]{
	{"method", "another method than GET", schema{"type": "string"},
		func(r *reader, raw *RawHandshake, v *yaml.Node) {
			raw.Method = r.template(v, "method")
			if raw.Method != "" && !isMethod.MatchString(raw.Method) {
				r.problem(v, "%s is not a method", quoted(raw.Method))
			}
		}},
	{"omit", "headers left out", refSchema("texts"),
		func(r *reader, raw *RawHandshake, v *yaml.Node) {
			raw.Omit = r.texts(v, "omit", func(one *yaml.Node) string { return r.template(one, "omit") })
		}},
	{"replace", "headers with another value", refSchema("header"),
		func(r *reader, raw *RawHandshake, v *yaml.Node) { raw.Replace = r.headers(v, "replace") }},
	{"certificate", "in place of the client certificate of the run: none, or unknown, one that nobody has signed but itself",
		schema{"enum": []any{CertificateNone, CertificateUnknown}},
		func(r *reader, raw *RawHandshake, v *yaml.Node) {
			raw.Certificate = r.text(v, "certificate")
			if raw.Certificate != CertificateNone && raw.Certificate != CertificateUnknown {
				r.problem(v, "certificate can only be none or unknown")
			}
		}},
}

// readSend tells the three forms apart: an envelope, a text as it stands, hand-made frames.
func readSend(r *reader, d *stepDraft, n *yaml.Node) Action {
	if d.has("omit") && n.Kind != yaml.MappingNode {
		r.problem(n, "omit leaves members out of an envelope, and send holds none")
	}
	switch n.Kind {
	case yaml.MappingNode:
		return Send{JSON: r.value(n), Omit: d.omit}
	case yaml.SequenceNode:
		return Send{Frames: r.frames(n)}
	}
	text := r.template(n, "send")
	return Send{Text: &text}
}

func (r *reader) frames(n *yaml.Node) []WSFrame {
	if !r.isList(n, "send") {
		return nil
	}
	all := make([]WSFrame, len(n.Content))
	for i, element := range n.Content {
		frame := WSFrame{Opcode: 1, Fin: true}
		if readEntries(r, element, "a frame", frameKeys, &frame) && frame.Text != "" && frame.Base64 != "" {
			r.problem(element, "a frame has one payload: text or base64")
		}
		all[i] = frame
	}
	return all
}

var opcodes = map[string]int{"continuation": 0, "text": 1, "binary": 2, "close": 8, "ping": 9, "pong": 10}

var frameKeys = []entry[WSFrame]{
	{"opcode", "the number of the opcode, or its name; text if not said",
		schema{"anyOf": []any{schema{"type": "integer", "minimum": 0, "maximum": 15}, enumSchema(sortedKeys(opcodes)...)}},
		func(r *reader, f *WSFrame, v *yaml.Node) {
			if number, known := opcodes[v.Value]; known && v.Kind == yaml.ScalarNode {
				f.Opcode = number
				return
			}
			f.Opcode = r.integer(v, "opcode", 0, 15)
		}},
	{"fin", "whether this is the last frame of its message; true if not said", schema{"type": "boolean"},
		func(r *reader, f *WSFrame, v *yaml.Node) { f.Fin = r.boolean(v, "fin") }},
	{"rsv1", "the bit that extensions may use", schema{"type": "boolean"},
		func(r *reader, f *WSFrame, v *yaml.Node) { f.RSV1 = r.boolean(v, "rsv1") }},
	{"unmasked", "as a client must not send it", schema{"type": "boolean"},
		func(r *reader, f *WSFrame, v *yaml.Node) { f.Unmasked = r.boolean(v, "unmasked") }},
	{"text", "the payload as text", schema{"type": "string"},
		func(r *reader, f *WSFrame, v *yaml.Node) { f.Text = r.template(v, "text") }},
	{"base64", "the payload as bytes", schema{"type": "string"},
		func(r *reader, f *WSFrame, v *yaml.Node) { f.Base64 = r.base64(v) }},
	{"repeat", "the payload so many times", schema{"type": "integer", "minimum": 1, "maximum": 100000000},
		func(r *reader, f *WSFrame, v *yaml.Node) { f.Repeat = r.integer(v, "repeat", 1, 100_000_000) }},
}
