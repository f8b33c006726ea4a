// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package plain

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// toWire is an object as a message. Members that the message does not have, or that are of another type, are left out:
// they cannot be said.
func toWire(kind string, o object) []byte {
	var out []byte
	for _, f := range wireMessages[kind] {
		v, given := o[f.name]
		if !given || v == nil && f.kind != "Value" {
			continue
		}
		number := protowire.Number(f.number)
		switch {
		case f.list:
			list, _ := v.([]any)
			for _, element := range list {
				out = appendField(out, number, f.kind, element, true)
			}
		case f.keyed:
			members, _ := v.(object)
			for _, key := range slices.Sorted(maps.Keys(members)) {
				entry := appendField(nil, 1, "string", key, true)
				entry = appendField(entry, 2, f.kind, members[key], true)
				out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), entry)
			}
		default:
			out = appendField(out, number, f.kind, v, f.set)
		}
	}
	return out
}

// appendField writes a field; one with its default value only where that is not the same as absence.
func appendField(out []byte, number protowire.Number, kind string, v any, always bool) []byte {
	text := func(b []byte) []byte {
		if len(b) == 0 && !always {
			return out
		}
		return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), b)
	}
	whole := func(n int64) []byte {
		if n == 0 && !always {
			return out
		}
		return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), uint64(n))
	}
	message := func(b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), b)
	}
	switch kind {
	case "string":
		if s, is := v.(string); is {
			return text([]byte(s))
		}
	case "bytes":
		if s, is := v.(string); is {
			if raw, err := base64.StdEncoding.DecodeString(s); err == nil {
				return text(raw)
			}
		}
	case "bool":
		if b, is := v.(bool); is {
			return whole(int64(protowire.EncodeBool(b)))
		}
	case "int32":
		if n, is := v.(json.Number); is {
			if n, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
				return whole(n)
			}
		}
	case "Timestamp":
		if s, is := v.(string); is {
			if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
				inner := appendField(nil, 1, "int32", json.Number(strconv.FormatInt(at.Unix(), 10)), false)
				return message(appendField(inner, 2, "int32", json.Number(strconv.Itoa(at.Nanosecond())), false))
			}
		}
	case "Value":
		return message(valueToWire(v))
	case "Struct":
		if o, is := v.(object); is {
			return message(structToWire(o))
		}
	default:
		if names := wireEnums[kind]; names != nil {
			if name, is := v.(string); is && slices.Contains(names, name) {
				return whole(int64(slices.Index(names, name)))
			}
			return out
		}
		if o, is := v.(object); is {
			return message(toWire(kind, o))
		}
	}
	return out
}

func structToWire(o object) []byte {
	var out []byte
	for _, key := range slices.Sorted(maps.Keys(o)) {
		entry := appendField(nil, 1, "string", key, true)
		entry = protowire.AppendBytes(protowire.AppendTag(entry, 2, protowire.BytesType), valueToWire(o[key]))
		out = protowire.AppendBytes(protowire.AppendTag(out, 1, protowire.BytesType), entry)
	}
	return out
}

func valueToWire(v any) []byte {
	switch v := v.(type) {
	case json.Number:
		n, _ := v.Float64()
		return protowire.AppendFixed64(protowire.AppendTag(nil, 2, protowire.Fixed64Type), math.Float64bits(n))
	case string:
		return appendField(nil, 3, "string", v, true)
	case bool:
		return appendField(nil, 4, "bool", v, true)
	case object:
		return protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), structToWire(v))
	case []any:
		var list []byte
		for _, element := range v {
			list = protowire.AppendBytes(protowire.AppendTag(list, 1, protowire.BytesType), valueToWire(element))
		}
		return protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), list)
	}
	return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 0) // null
}

var errWire = errors.New("the message cannot be read")

// A piece is a field as it stands on the wire.
type piece struct {
	number int
	whole  uint64 // of a number
	bytes  []byte // of everything that has a length
	long   bool
}

// pieces takes a message apart.
func pieces(b []byte) ([]piece, error) {
	var all []piece
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, errWire
		}
		b = b[n:]
		p := piece{number: int(number)}
		switch kind {
		case protowire.VarintType:
			p.whole, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			p.whole, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			p.bytes, n = protowire.ConsumeBytes(b)
			p.long = true
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return nil, errWire
		}
		b = b[n:]
		all = append(all, p)
	}
	return all, nil
}

// fromWire is a message as an object, with the numbers of the fields that it does not have.
func fromWire(kind string, b []byte) (object, []int, error) {
	all, err := pieces(b)
	if err != nil {
		return nil, nil, err
	}
	o := object{}
	var unknown []int
	for _, p := range all {
		i := slices.IndexFunc(wireMessages[kind], func(f wireField) bool { return f.number == p.number })
		if i < 0 {
			unknown = append(unknown, p.number)
			continue
		}
		f := wireMessages[kind][i]
		v, inner, err := f.value(p)
		if err != nil {
			return nil, nil, err
		}
		unknown = append(unknown, inner...)
		switch {
		case f.list:
			list, _ := o[f.name].([]any)
			o[f.name] = append(list, v)
		case slices.Contains([]string{"text", "raw", "url", "data"}, f.name) && kind == "Part":
			for _, other := range []string{"text", "raw", "url", "data"} {
				delete(o, other) // the last one of a union is the one that is set
			}
			o[f.name] = v
		default:
			o[f.name] = v
		}
	}
	return o, unknown, nil
}

func (f *wireField) value(p piece) (any, []int, error) {
	names := wireEnums[f.kind]
	if isLong := f.kind != "bool" && f.kind != "int32" && names == nil; isLong != p.long {
		return nil, nil, errWire
	}
	switch {
	case f.kind == "string":
		return string(p.bytes), nil, nil
	case f.kind == "bytes":
		return base64.StdEncoding.EncodeToString(p.bytes), nil, nil
	case f.kind == "bool":
		return p.whole != 0, nil, nil
	case f.kind == "int32":
		return json.Number(strconv.Itoa(int(int32(p.whole)))), nil, nil
	case f.kind == "Timestamp":
		parts, err := pieces(p.bytes)
		var seconds, nanos int64
		for _, part := range parts {
			if part.number == 1 {
				seconds = int64(part.whole)
			} else {
				nanos = int64(int32(part.whole))
			}
		}
		return time.Unix(seconds, nanos).UTC().Format(time.RFC3339Nano), nil, err
	case f.kind == "Struct":
		o, err := structFromWire(p.bytes)
		return o, nil, err
	case f.kind == "Value":
		v, err := valueFromWire(p.bytes)
		return v, nil, err
	case names != nil && p.whole < uint64(len(names)):
		return names[p.whole], nil, nil
	case names != nil:
		return json.Number(strconv.FormatInt(int64(p.whole), 10)), nil, nil
	}
	return fromWire(f.kind, p.bytes)
}

func structFromWire(b []byte) (object, error) {
	entries, err := pieces(b)
	o := object{}
	for _, entry := range entries {
		parts, inner := pieces(entry.bytes)
		err = errors.Join(err, inner)
		var key string
		var v any
		for _, part := range parts {
			if part.number == 1 {
				key = string(part.bytes)
				continue
			}
			var wrong error
			v, wrong = valueFromWire(part.bytes)
			err = errors.Join(err, wrong)
		}
		o[key] = v
	}
	return o, err
}

func valueFromWire(b []byte) (any, error) {
	parts, err := pieces(b)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	switch p := parts[len(parts)-1]; p.number {
	case 2:
		text, err := json.Marshal(math.Float64frombits(p.whole))
		return json.Number(text), err
	case 3:
		return string(p.bytes), nil
	case 4:
		return p.whole != 0, nil
	case 5:
		return structFromWire(p.bytes)
	case 6:
		list := []any{}
		elements, err := pieces(p.bytes)
		for _, element := range elements {
			v, wrong := valueFromWire(element.bytes)
			err = errors.Join(err, wrong)
			list = append(list, v)
		}
		return list, err
	}
	return nil, nil
}
