// SPDX-License-Identifier: Apache-2.0

// Package jsontext reads and writes the JSON that passes between the harness and a target: what is read is bounded in how many
// values are taken apart, and numbers keep their spelling.
package jsontext

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

const (
	// Heavy is the length in bytes from which on a text counts as heavy. What the contracts ask for is far below it.
	Heavy = 1 << 20
	// MaxValues bounds the JSON values of a text that is taken apart.
	MaxValues = 250_000
)

// Taken apart, a value takes about so many bytes beside its text, and an object so many more.
const (
	SizeOfValue  = 48
	sizeOfObject = 240
)

// IsHeavy says whether a body is heavy to hold: by its length, or by what it takes when it is taken apart.
func IsHeavy(body []byte) bool {
	return len(body) > Heavy || len(body) > Heavy/16 && Apart(body) > 4*Heavy
}

// Apart is about how many bytes a body takes together with its values: one of many small objects takes many times its length.
func Apart(body []byte) int {
	return len(body) + SizeOfValue*Values(body) + sizeOfObject*bytes.Count(body, []byte{'{'})
}

// reading has heavy bodies taken apart one after the other: encoding/json holds each up to three times until it is done, but for texts
// that are very long.
var reading sync.Mutex

// Parse is the value of a body that is exactly one JSON text, and Missing for any other.
func Parse(body []byte) any {
	// What is no JSON is found out without taking it apart: a hostile body would become many times its length.
	if TooMany(body) || len(body) > Heavy && !json.Valid(body) {
		return assertions.Missing
	}
	if len(body) <= Heavy {
		return parsed(body)
	}
	reading.Lock()
	defer reading.Unlock()
	held := newHeldOut()
	return held.back(parsed(held.of(body)))
}

func parsed(body []byte) any {
	var v any
	if whole, err := Decode(body, &v); err != nil || !whole {
		return assertions.Missing
	}
	return v
}

// TooMany says whether a body holds more JSON values than are taken apart: a body that long is no answer that anybody waits
// for.
func TooMany(body []byte) bool {
	return len(body) > MaxValues && Values(body) > MaxValues
}

// Values is about how many JSON values a body has, at least: it counts what stands between them, in texts too.
func Values(body []byte) int {
	n := 0
	for _, c := range body {
		switch c {
		case ',', ':', '[', '{':
			n++
		}
	}
	return n
}
