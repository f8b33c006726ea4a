// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// inputBehaviour is how strictly requests are read.
type inputBehaviour struct {
	parse    func(text []byte) (any, *failure)
	requires func(path string) bool                       // whether a member must be there
	wrong    func(path string, v any) *failure            // a member of another JSON type
	empty    func(path string) *failure                   // a list that needs an element has none
	content  func(path string, members []string) *failure // the content members of a part
	role     func(path, role string) *failure
	media    func(c *call, part object) *failure
	unknown  func(c *call) *failure // members that the protocol does not have
	number   func(path, text string) (int, *failure)
	negative func(path string, n int) *failure
	time     func(path, text string) (time.Time, *failure)
	tenant   func(c *call) *failure
	keeps    func(message, kept object) object // a message as it is stored, of what was sent and what of it is known
}

var conformantInput = inputBehaviour{
	parse:    parseJSON,
	requires: func(string) bool { return true },
	wrong:    func(path string, _ any) *failure { return violation(path, "has another JSON type") },
	empty:    func(path string) *failure { return violation(path, "is empty") },
	content:  oneContent,
	role: func(path, role string) *failure {
		if role != "ROLE_USER" {
			return violation(path, "is not ROLE_USER")
		}
		return nil
	},
	media:    knownMedia,
	unknown:  func(*call) *failure { return nil },
	number:   integer,
	negative: func(path string, _ int) *failure { return violation(path, "is negative") },
	time:     timestamp,
	tenant:   rightTenant,
	keeps:    func(_, kept object) object { return kept },
}

// parseJSON reads one JSON value in UTF-8 and nothing after it.
func parseJSON(text []byte) (any, *failure) {
	if !utf8.Valid(text) {
		return nil, fail(malformed, "the body is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, fail(malformed, "the body is not JSON")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fail(malformed, "there is more after the JSON of the body")
	}
	return v, nil
}

// oneContent wants exactly one of the content members.
func oneContent(path string, members []string) *failure {
	switch len(members) {
	case 0:
		return violation(path, "has none of text, raw, url and data")
	case 1:
		return nil
	}
	return violation(path, "has more than one of text, raw, url and data")
}

// rightTenant wants the tenant that the interface declares.
func rightTenant(c *call) *failure {
	in := reader{c: c}
	got := in.text(c.params, "tenant", "tenant")
	if in.f != nil {
		return in.f
	}
	if want := c.s.config.Tenant; want != "" && got != want && c.version != version03 {
		return violation("tenant", "is not that of the interface")
	}
	return nil
}

// integer reads an int32 as ProtoJSON writes it: a number, or the number in a string.
func integer(path, text string) (int, *failure) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return 0, violation(path, "is not a whole number")
	}
	return int(n), nil
}

// timestamp reads a time as ProtoJSON writes it.
func timestamp(path, text string) (time.Time, *failure) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, violation(path, "is not a timestamp")
	}
	return at, nil
}

// A reader takes members from request objects and keeps the first violation. Members are found under their JSON name or
// their proto name, and null is as good as absent.
type reader struct {
	c *call
	f *failure
}

func (in *reader) violated(f *failure) {
	if in.f == nil {
		in.f = f
	}
}

// member finds a member that is set.
func member(o object, name string) (any, bool) {
	for _, spelled := range []string{name, snake(name)} {
		if v := o[spelled]; v != nil {
			return v, true
		}
	}
	return nil, false
}

// snake is the proto name of a JSON name.
func snake(name string) string {
	var out strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte('_')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}

// text reads a string; absent is empty.
func (in *reader) text(o object, name, path string) string {
	v, set := member(o, name)
	if !set {
		return ""
	}
	text, ok := v.(string)
	if !ok {
		in.violated(in.c.s.b.input.wrong(path, v))
	}
	return text
}

// need reads a string that must not be empty.
func (in *reader) need(o object, name, path string) string {
	text := in.text(o, name, path)
	if text == "" && in.f == nil && in.c.s.b.input.requires(path) {
		in.violated(violation(path, "is missing"))
	}
	return text
}

// truth reads a boolean; absent is false.
func (in *reader) truth(o object, name, path string) bool {
	v, set := member(o, name)
	if !set {
		return false
	}
	truth, ok := v.(bool)
	if !ok {
		in.violated(in.c.s.b.input.wrong(path, v))
	}
	return truth
}

// count reads a number that is not negative; set says whether it is there.
func (in *reader) count(o object, name, path string) (n int, set bool) {
	v, set := member(o, name)
	if !set {
		return 0, false
	}
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	default:
		in.violated(in.c.s.b.input.wrong(path, v))
		return 0, false
	}
	n, f := in.c.s.b.input.number(path, text)
	if f != nil {
		in.violated(f)
		return 0, false
	}
	if n < 0 {
		in.violated(in.c.s.b.input.negative(path, n))
		return 0, false
	}
	return n, true
}

// object reads an object; absent is nil.
func (in *reader) object(o object, name, path string) object {
	v, set := member(o, name)
	if !set {
		return nil
	}
	found, ok := v.(object)
	if !ok {
		in.violated(in.c.s.b.input.wrong(path, v))
	}
	return found
}

// list reads an array; absent is nil.
func (in *reader) list(o object, name, path string) []any {
	v, set := member(o, name)
	if !set {
		return nil
	}
	found, ok := v.([]any)
	if !ok {
		in.violated(in.c.s.b.input.wrong(path, v))
	}
	return found
}

// texts reads an array of strings; absent is nil.
func (in *reader) texts(o object, name, path string) []any {
	found := in.list(o, name, path)
	for _, v := range found {
		if _, ok := v.(string); !ok {
			in.violated(in.c.s.b.input.wrong(path, v))
		}
	}
	return found
}

// when reads a timestamp.
func (in *reader) when(o object, name, path string) (time.Time, bool) {
	text := in.text(o, name, path)
	if text == "" {
		return time.Time{}, false
	}
	at, f := in.c.s.b.input.time(path, text)
	if f != nil {
		in.violated(f)
	}
	return at, f == nil
}

// taskName reads the id that addresses a task.
func (c *call) taskName() (string, *failure) {
	in := reader{c: c}
	id := in.need(c.params, c.op.task, c.op.task)
	return id, in.f
}

// message reads the message of a send request, and keeps of it what the protocol knows.
func (in *reader) message(params object) object {
	const at = "message"
	sent := in.object(params, at, at)
	if sent == nil {
		if in.c.s.b.input.requires(at) {
			in.violated(violation(at, "is missing"))
		}
		sent = object{}
	}
	kept := object{}
	for _, name := range []string{"messageId", "role"} {
		if text := in.need(sent, name, at+"."+name); text != "" {
			kept[name] = text
		}
	}
	if role, ok := kept["role"].(string); ok {
		if f := in.c.s.b.input.role(at+".role", role); f != nil {
			in.violated(f)
		}
	}
	for _, name := range []string{"contextId", "taskId"} {
		if text := in.text(sent, name, at+"."+name); text != "" {
			kept[name] = text
		}
	}
	for _, name := range []string{"extensions", "referenceTaskIds"} {
		if list := in.texts(sent, name, at+"."+name); len(list) > 0 {
			kept[name] = list
		}
	}
	if metadata := in.object(sent, "metadata", at+".metadata"); len(metadata) > 0 {
		kept["metadata"] = metadata
	}
	kept["parts"] = in.parts(sent, at+".parts")
	return in.c.s.b.input.keeps(sent, kept)
}

func (in *reader) parts(message object, path string) []any {
	b := &in.c.s.b.input
	list := in.list(message, "parts", path)
	if list == nil && in.f == nil {
		if _, set := member(message, "parts"); !set && b.requires(path) {
			in.violated(violation(path, "is missing"))
		}
	} else if len(list) == 0 && in.f == nil {
		in.violated(b.empty(path))
	}
	parts := []any{}
	for i, v := range list {
		at := path + "[" + strconv.Itoa(i) + "]"
		part, ok := v.(object)
		if !ok {
			in.violated(b.wrong(at, v))
			continue
		}
		parts = append(parts, in.part(part, at))
	}
	return parts
}

// contentMembers are those of which a part has one.
var contentMembers = []string{"text", "raw", "url", "data"}

func (in *reader) part(sent object, path string) object {
	b := &in.c.s.b.input
	kept := object{}
	var content []string
	for _, name := range contentMembers {
		v, given := sent[name]
		if !given || v == nil && name != "data" {
			continue
		}
		content = append(content, name)
		kept[name] = v
		if name != "data" {
			kept[name] = in.text(sent, name, path+"."+name)
		}
	}
	if f := b.content(path, content); f != nil {
		in.violated(f)
	}
	if slices.Contains(content, "raw") {
		text, _ := kept["raw"].(string)
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			in.violated(violation(path+".raw", "is not base64"))
		}
	}
	for _, name := range []string{"filename", "mediaType"} {
		if text := in.text(sent, name, path+"."+name); text != "" {
			kept[name] = text
		}
	}
	if metadata := in.object(sent, "metadata", path+".metadata"); len(metadata) > 0 {
		kept["metadata"] = metadata
	}
	if in.f == nil {
		if f := b.media(in.c, kept); f != nil {
			in.violated(f)
		}
	}
	return kept
}

// inputModes are the media types that the agent takes.
var inputModes = []string{"text/plain", "application/json", "image/png"}

// knownMedia refuses parts of a media type that the card does not list.
func knownMedia(_ *call, part object) *failure {
	media, _ := part["mediaType"].(string)
	if media == "" {
		return nil
	}
	bare, _, _ := strings.Cut(media, ";")
	if slices.Contains(inputModes, strings.ToLower(strings.TrimSpace(bare))) {
		return nil
	}
	return fail(contentTypeNotSupported, "the agent takes no parts of that media type")
}
