// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gowebpki/jcs"
)

// A plainCard is the card of a plain A2A server, whose signatures cover a form of it that the specification leaves open
// (AMB-66): which members with default values belong to it.
type plainCard struct {
	members    *orderedObject // without signatures, in the order in which they came
	signatures []cardSignature
	forms      []*cardForm
}

// A cardForm is one reading of what is signed.
type cardForm struct {
	name    string // "A" to "D"
	but     string // what is done in another way than usual; empty: nothing
	reduce  func(v any) any
	value   any // a card in this form
	payload []byte
}

// String names the form as findings do.
func (f *cardForm) String() string {
	if f.but == "" {
		return "form " + f.name
	}
	return "form " + f.name + ", " + f.but
}

// readPlainCard reads a card from its original bytes, or one that a suite kept as JSON.
func readPlainCard(got any) (*plainCard, error) {
	text, err := cardText(got)
	if err != nil {
		return nil, err
	}
	v, err := readOrdered(text)
	if err != nil {
		return nil, err
	}
	members, is := v.(*orderedObject)
	if !is {
		return nil, &Problem{Seen: "is " + show(string(text)), Wanted: "a JSON object"}
	}
	c := &plainCard{members: members.without("signatures")}
	list, is := members.values["signatures"].([]any)
	if !is || len(list) == 0 {
		return nil, &Problem{Seen: "is not signed: it has no signatures"}
	}
	for i, entry := range list {
		s := cardSignature{at: ".signatures" + elementPath(i)}
		if entry, is := entry.(*orderedObject); is {
			s.protected, _ = entry.values["protected"].(string)
			s.signature, _ = entry.values["signature"].(string)
		}
		c.signatures = append(c.signatures, s)
	}
	c.forms, err = formsOf(c.members)
	return c, err
}

// formsOf are the forms of a card, the likeliest first, each payload once.
func formsOf(members *orderedObject) ([]*cardForm, error) {
	var forms []*cardForm
	for _, f := range cardForms {
		form := *f
		form.value = form.reduce(members)
		payload, err := canonicalOf(form.value)
		if err != nil {
			return nil, err
		}
		form.payload = payload
		if !slices.ContainsFunc(forms, func(other *cardForm) bool { return bytes.Equal(other.payload, payload) }) {
			forms = append(forms, &form)
		}
	}
	return forms, nil
}

// cardForms are the forms in the order in which they are tried (section 8.4; wire.md, section 9).
var cardForms = []*cardForm{
	{name: "A", reduce: (&reduction{defaults: true}).card},
	{name: "A", but: "with the members that the protocol does not know", reduce: (&reduction{defaults: true, unknown: true}).card},
	{name: "A", but: "without empty objects", reduce: (&reduction{defaults: true, objects: true}).card},
	{name: "B", reduce: (&reduction{empty: true}).card},
	{name: "B", but: "without what is false by default", reduce: (&reduction{empty: true, falsehoods: true}).card},
	{name: "B", but: "without what is empty inside free-form objects", reduce: (&reduction{empty: true, free: true}).card},
	{name: "C", reduce: func(v any) any { return v }},
	{name: "D", reduce: (&reduction{defaults: true, required: true, objects: true}).card},
	{name: "D", but: "with empty objects", reduce: (&reduction{defaults: true, required: true}).card},
	{name: "D", but: "with the members that the protocol does not know", reduce: (&reduction{defaults: true, required: true, objects: true, unknown: true}).card},
	{name: "D", but: "with empty objects and the members that the protocol does not know", reduce: (&reduction{defaults: true, required: true, unknown: true}).card},
}

// A reduction leaves members out of a card.
type reduction struct {
	defaults   bool // those with default values, but for REQUIRED and `optional` ones
	required   bool // of those too
	objects    bool // empty objects are default values
	unknown    bool // members that the protocol does not know stay
	empty      bool // every empty text, array and object, wherever it stands
	falsehoods bool // and what is false, but for `optional` ones
	free       bool // inside free-form objects too
}

func (r *reduction) card(v any) any { return r.of(v, "AgentCard") }

// of reduces an object of a type, or a list of such.
func (r *reduction) of(v any, kind string) any {
	switch v := v.(type) {
	case []any:
		kept := []any{}
		for _, element := range v {
			if element = r.of(element, kind); !r.empty || !isEmptyValue(element) {
				kept = append(kept, element)
			}
		}
		return kept
	case *orderedObject:
		if kind == freeForm {
			return r.freely(v)
		}
		kept := &orderedObject{values: map[string]any{}}
		for _, name := range v.names {
			member, known := cardTypes[kind][name]
			if of, isMap := mapTypes[kind]; isMap {
				member, known = cardMember{union, of}, true
			}
			switch {
			case known:
				if value, keeps := r.member(v.values[name], member); keeps {
					kept.put(name, value)
				}
			case r.unknown:
				kept.put(name, v.values[name])
			}
		}
		return kept
	}
	return v
}

// member reduces what a member holds; false: it is left out.
func (r *reduction) member(v any, is cardMember) (any, bool) {
	if v == nil {
		return nil, false // null is read as absent
	}
	v = r.of(v, is.kind)
	if r.empty {
		return v, !isEmptyValue(v) && (v != false || !r.falsehoods || is.presence == optional)
	}
	if _, isObject := v.(*orderedObject); isObject {
		empty := isEmptyValue(v)
		if _, isMap := mapTypes[is.kind]; !isMap && !r.objects || is.presence == union {
			return v, true
		}
		return v, !empty || is.presence == required && !r.required
	}
	keeps := is.presence == union || !isDefaultValue(v) || (is.presence == required || is.presence == optional) && !r.required
	return v, keeps
}

// freely reduces a free-form object, which is kept as it is unless said otherwise.
func (r *reduction) freely(v any) any {
	if !r.free {
		return v
	}
	switch v := v.(type) {
	case []any:
		kept := []any{}
		for _, element := range v {
			if element = r.freely(element); !isEmptyValue(element) {
				kept = append(kept, element)
			}
		}
		return kept
	case *orderedObject:
		kept := &orderedObject{values: map[string]any{}}
		for _, name := range v.names {
			if value := r.freely(v.values[name]); !isEmptyValue(value) {
				kept.put(name, value)
			}
		}
		return kept
	}
	return v
}

func isEmptyValue(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case *orderedObject:
		return len(v.names) == 0
	}
	return false
}

func isDefaultValue(v any) bool {
	if number, is := v.(json.Number); is {
		f, err := number.Float64()
		return err == nil && f == 0
	}
	return v == false || isEmptyValue(v)
}

// An orderedObject is a JSON object with its members in the order in which they came.
type orderedObject struct {
	names  []string
	values map[string]any
}

func (o *orderedObject) put(name string, v any) {
	if _, there := o.values[name]; !there {
		o.names = append(o.names, name)
	}
	o.values[name] = v
}

func (o *orderedObject) without(name string) *orderedObject {
	left := &orderedObject{values: map[string]any{}}
	for _, other := range o.names {
		if other != name {
			left.put(other, o.values[other])
		}
	}
	return left
}

func (o *orderedObject) clone() *orderedObject {
	return &orderedObject{names: slices.Clone(o.names), values: maps.Clone(o.values)}
}

// readOrdered reads JSON that is known to be strict.
func readOrdered(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return nextOrdered(decoder)
}

func nextOrdered(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := &orderedObject{values: map[string]any{}}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			v, err := nextOrdered(decoder)
			if err != nil {
				return nil, err
			}
			text, is := name.(string)
			if !is {
				return nil, errors.New("a member without a name")
			}
			object.put(text, v)
		}
		_, err := decoder.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			v, err := nextOrdered(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := decoder.Token()
		return list, err
	}
	return token, nil
}

// canonicalOf is the RFC 8785 form of a value.
func canonicalOf(v any) ([]byte, error) {
	text, err := jcs.Transform(asWritten.write(v))
	if err != nil {
		return nil, fmt.Errorf("a value that is known to be JSON has no canonical form: %w", err)
	}
	return text, nil
}
