// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package a2agrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

const (
	// firstUnknown is the number of the first field that stands for a member which the protocol does not have.
	firstUnknown = 1000
	// maxFields bounds the fields of a message that are taken apart, and deepestMessage how they are nested.
	maxFields, deepestMessage = jsontext.MaxValues, 100
)

// Encode is a request object as a message. Members that the protocol does not have become fields that it does not
// have, so that what is asked of servers that do not know them is asked over every binding.
func Encode(operation string, params any) ([]byte, error) {
	members, is := params.(map[string]any)
	if !is {
		return nil, Unsayable("the request object is no object")
	}
	m := dynamicpb.NewMessage(methodNamed(operation).Input())
	if err := fill(m, members, "params"); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// fill sets the fields of a message. Messages of the protocol are filled member by member; everything else is for the
// library to read.
func fill(m protoreflect.Message, members map[string]any, at string) error {
	fields := m.Descriptor().Fields()
	unknown := protowire.Number(firstUnknown)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		v, where := members[name], at+"."+name
		field := fields.ByJSONName(name)
		if field == nil {
			field = fields.ByTextName(name)
		}
		if field == nil {
			text, err := jsontext.Marshal(v)
			if err != nil {
				return err
			}
			unread := protowire.AppendTag(m.GetUnknown(), unknown, protowire.BytesType)
			m.SetUnknown(protowire.AppendBytes(unread, text))
			unknown++
			continue
		}
		if one := field.ContainingOneof(); v != nil && one != nil && !one.IsSynthetic() && m.WhichOneof(one) != nil {
			return Unsayable(where + " stands beside another member of the same union")
		}
		if err := fillField(m, field, v, where); err != nil {
			return err
		}
	}
	return nil
}

func fillField(m protoreflect.Message, field protoreflect.FieldDescriptor, v any, at string) error {
	ours := field.Message() != nil && !field.IsMap() && field.Message().ParentFile() == m.Descriptor().ParentFile()
	switch {
	case v == nil && ours:
		return nil // absent
	case ours && field.IsList():
		elements, is := v.([]any)
		if !is {
			return Unsayable(at + " is no list")
		}
		list := m.Mutable(field).List()
		for i, element := range elements {
			members, is := element.(map[string]any)
			if !is {
				return Unsayable(fmt.Sprintf("%s.%d is no object", at, i))
			}
			if err := fill(list.AppendMutable().Message(), members, fmt.Sprintf("%s.%d", at, i)); err != nil {
				return err
			}
		}
		return nil
	case ours:
		members, is := v.(map[string]any)
		if !is {
			return Unsayable(at + " is no object")
		}
		return fill(m.Mutable(field).Message(), members, at)
	}
	text, err := jsontext.Marshal(map[string]any{field.JSONName(): v})
	if err != nil {
		return err
	}
	alone := m.New()
	if err := protojson.Unmarshal(text, alone.Interface()); err != nil {
		return Unsayable(at + " cannot have this value")
	}
	proto.Merge(m.Interface(), alone.Interface())
	return nil
}

// A reading is a message as ProtoJSON, or what came in its place.
type reading struct {
	text    []byte
	problem error // text is what came, and no such message
}

// fromProtobuf reads the answer of an operation, or one message of its stream.
func fromProtobuf(operation string, message []byte) reading {
	kind := methodNamed(operation).Output()
	left := maxFields
	if err := countFields(kind, message, deepestMessage, &left); err != nil {
		return reading{message, err}
	}
	m := dynamicpb.NewMessage(kind)
	if err := proto.Unmarshal(message, m); err != nil {
		return reading{message, errors.New("it cannot be read as " + string(kind.Name()))}
	}
	text, err := jsonOf(m)
	if err != nil {
		return reading{message, errors.New("it has no form in ProtoJSON")}
	}
	v := jsontext.Parse(text)
	givenDefaults(operation, v)
	if text, err = jsontext.Marshal(v); err != nil {
		return reading{message, err}
	}
	return reading{text: text}
}

// jsonOf is ProtoJSON without the spaces that the library puts in at random.
func jsonOf(m proto.Message) ([]byte, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return nil, err
	}
	var tight bytes.Buffer
	if err := json.Compact(&tight, text); err != nil {
		return nil, err
	}
	return tight.Bytes(), nil
}

// countFields looks at a message before it is taken apart, where each field becomes many times its length.
func countFields(kind protoreflect.MessageDescriptor, b []byte, depth int, left *int) error {
	if depth == 0 {
		return fmt.Errorf("it is nested more than %d deep", deepestMessage)
	}
	for len(b) > 0 {
		if *left--; *left < 0 {
			return fmt.Errorf("it has more than %d fields and was not taken apart", maxFields)
		}
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errors.New("it is no message of protobuf")
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(number, wire, b); n < 0 {
			return errors.New("it is no message of protobuf")
		}
		if field := kind.Fields().ByNumber(number); field != nil && field.Message() != nil && wire == protowire.BytesType {
			inner, _ := protowire.ConsumeBytes(b)
			if err := countFields(field.Message(), inner, depth-1, left); err != nil {
				return err
			}
		}
		b = b[n:]
	}
	return nil
}

// givenDefaults adds the members of an answer that are REQUIRED and may lawfully have their default value. A message of
// protobuf does not tell it from absence (AMB-18), so nobody can leave them out.
func givenDefaults(operation string, answer any) {
	members, is := answer.(map[string]any)
	if !is {
		return
	}
	add := func(to map[string]any, name string, v any) {
		if _, has := to[name]; !has {
			to[name] = v
		}
	}
	switch operation {
	case "ListTasks":
		add(members, "tasks", []any{})
		add(members, "nextPageToken", "")
		add(members, "pageSize", json.Number("0"))
		add(members, "totalSize", json.Number("0"))
	case "GetExtendedAgentCard":
		add(members, "description", "")
		add(members, "skills", []any{})
		list, _ := members["skills"].([]any)
		for _, entry := range list {
			if skill, is := entry.(map[string]any); is {
				add(skill, "description", "")
				add(skill, "tags", []any{})
			}
		}
	}
}
