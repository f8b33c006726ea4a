// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// examples are what a word accepts and rejects: the file testdata/<word>.json.
type examples struct {
	Accepts []example `json:"accepts"`
	Rejects []example `json:"rejects"`
}

// An example is one judgement. Values are JSON, with {"$missing": true}, {"$bytes": "text"}, {"$base64": "..."},
// {"$body": "text"} and {"$duration": "3s"} for what JSON cannot say; $file reads bytes from testdata.
type example struct {
	Why  string          `json:"why"`
	Want json.RawMessage `json:"want"`
	Got  json.RawMessage `json:"got"`
	Says string          `json:"says"`
}

func readExamples(t *testing.T, word string) examples {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", word+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var e examples
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		t.Fatalf("%s.json: %v", word, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		t.Fatalf("%s.json goes on after its end", word)
	}
	return e
}

// judge compiles and applies one example.
func (e example) judge(w *Word) error {
	want, err := compileWant(w.Takes, w, observed(decode(e.Want)))
	if err != nil {
		return fmt.Errorf("example %q cannot be compiled: %w", e.Why, err)
	}
	return w.Judge(observed(decode(e.Got)), want)
}

func decode(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		panic(fmt.Sprintf("%s: %v", raw, err))
	}
	return v
}

// observed replaces the marked objects of an example by the values they stand for.
func observed(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = observed(v[i])
		}
	case map[string]any:
		if len(v) == 1 {
			for mark, value := range v {
				if special, is := marked(mark, value); is {
					return special
				}
			}
		}
		for name := range v {
			v[name] = observed(v[name])
		}
	}
	return v
}

func marked(mark string, value any) (any, bool) {
	text, _ := value.(string)
	switch mark {
	case "$missing":
		return Missing, true
	case "$bytes":
		return []byte(text), true
	case "$base64":
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			panic(err)
		}
		return b, true
	case "$body":
		return body([]byte(text)), true
	case "$file":
		b, err := os.ReadFile(filepath.FromSlash(text))
		if err != nil {
			panic(err)
		}
		return body(b), true
	case "$duration":
		d, err := time.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		return d, true
	}
	return nil, false
}

func body(b []byte) Body {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		v = Missing
	}
	return Body{Bytes: b, JSON: v}
}

// compileValue compiles a condition value as suites write it: a mapping holds words, and keys that begin with a dot for
// members; anything else means equals.
func compileValue(v any) (Value, error) {
	words, is := v.(map[string]any)
	if !is {
		return Value{Checks: []Check{{Word: ByName("equals"), Want: v}}}, nil
	}
	var value Value
	inside := map[string]any{}
	for key, arg := range words {
		if strings.HasPrefix(key, ".") {
			inside[key] = arg
		}
	}
	if len(inside) > 0 {
		members, err := compileMembers(inside)
		if err != nil {
			return Value{}, err
		}
		value.Checks = append(value.Checks, Check{Word: ByName("members"), Want: members})
	}
	known := len(inside)
	for _, w := range Words {
		arg, used := words[w.Name]
		if !used {
			continue
		}
		want, err := compileWant(w.Takes, &w, arg)
		if err != nil {
			return Value{}, err
		}
		known++
		value.Checks = append(value.Checks, Check{Word: ByName(w.Name), Want: want})
	}
	if known != len(words) {
		return Value{}, fmt.Errorf("%v: not all of these are words", words)
	}
	return value, nil
}

func compileWant(kind Kind, w *Word, arg any) (any, error) {
	switch kind {
	case Nested:
		return compileValue(arg)
	case Several:
		list, is := arg.([]any)
		if !is {
			return nil, fmt.Errorf("%s takes a list", w.Name)
		}
		values := make([]Value, len(list))
		for i := range list {
			var err error
			if values[i], err = compileValue(list[i]); err != nil {
				return nil, err
			}
		}
		return values, nil
	case Inside:
		return compileMembers(arg)
	case Named:
		return compileNamed(w, arg)
	}
	if w.Check != nil {
		return arg, w.Check(arg)
	}
	return arg, nil
}

func compileMembers(arg any) (Members, error) {
	mapping, is := arg.(map[string]any)
	if !is {
		return nil, fmt.Errorf("%v is no mapping from path to value", arg)
	}
	var members Members
	for _, path := range sortedNames(mapping) {
		p, err := ParsePath(strings.TrimPrefix(path, "."))
		if err != nil {
			return nil, err
		}
		value, err := compileValue(mapping[path])
		if err != nil {
			return nil, err
		}
		members = append(members, Member{Path: p, Want: value})
	}
	return members, nil
}

func compileNamed(w *Word, arg any) (any, error) {
	mapping, is := arg.(map[string]any)
	if !is {
		return nil, fmt.Errorf("%s takes a mapping", w.Name)
	}
	args := NamedArgs{}
	for _, a := range w.Args {
		given, there := mapping[a.Name]
		if !there && a.Required {
			return nil, fmt.Errorf("%s needs %s", w.Name, a.Name)
		}
		if !there {
			continue
		}
		delete(mapping, a.Name)
		var err error
		if args[a.Name], err = compileWant(a.Takes, &Word{Name: a.Name}, given); err != nil {
			return nil, err
		}
	}
	if len(mapping) > 0 {
		return nil, fmt.Errorf("%s takes no %v", w.Name, sortedNames(mapping))
	}
	if w.Check != nil {
		return args, w.Check(args)
	}
	return args, nil
}
