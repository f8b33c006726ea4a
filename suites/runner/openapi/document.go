// SPDX-License-Identifier: Apache-2.0

// Package openapi reads an OpenAPI 3.1 document that a target serves, so that suites can judge what it says and hold the answers of the
// target against it. A document is foreign: it may be of any size and form, refer to itself in circles, or be made so that its
// schemas take for ever. Everything here ends soon on any document, and says what was left out.
//
// [Read] takes a document apart, once: its operations with their parameters, bodies and answers, references resolved. A [Record] keeps the answers of
// a run. [Document.Digest] is what suites see of both.
package openapi

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

const (
	maxOperations = 2000   // of a document
	maxSteps      = 60_000 // values of the document that are looked at for one operation
	maxRefs       = 32     // references that lead to one another
)

// methods are the members of a path that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// A Document is an OpenAPI document that has been taken apart. It may be used by many at once.
type Document struct {
	root       any
	operations []*operation
	dangling   []any // references that lead nowhere
	partly     string
	schemas    *assertions.ForeignSchemas
	unusable   string // why no schema can be used; empty: they can
	compiling  sync.Mutex
	unfolding  sync.Mutex
	sizes      map[string]int // of schemas, unfolded, by pointer
}

// An operation is a path with a method.
type operation struct {
	method, path string // "GET", "/api/v1/sandboxes/{id}"
	pointer      string // to the operation in the document
	node         map[string]any
	shared       []any // parameters of the path
	segments     []string
}

// inBraces is a parameter in a template.
var inBraces = regexp.MustCompile(`\{([^{}]*)\}`)

// blanked is a template without the names of its parameters, which are free.
func blanked(template string) string { return inBraces.ReplaceAllString(template, "{}") }

// Read takes a document apart. What is no OpenAPI document has no operations.
func Read(root any) *Document {
	d := &Document{root: root}
	schemas, err := assertions.NewForeignSchemas(root)
	if d.schemas = schemas; err != nil {
		d.unusable = err.Error()
	}
	paths, _ := member(root, "paths").(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, at := d.resolve(paths[path], "/paths/"+pointer.Token(path))
		for _, method := range methods {
			node, is := member(item, method).(map[string]any)
			if !is {
				continue
			}
			if len(d.operations) == maxOperations {
				d.partly = "the document has more operations than are looked at"
				break
			}
			shared, _ := member(item, "parameters").([]any)
			d.operations = append(d.operations, &operation{strings.ToUpper(method), path, at + "/" + method, node, shared, strings.Split(path, "/")})
		}
	}
	d.lookForDangling()
	return d
}

// lookForDangling finds the references that lead nowhere, wherever they stand.
func (d *Document) lookForDangling() {
	left := 50 * maxSteps
	var look func(v any, at string)
	look = func(v any, at string) {
		if left--; left < 0 {
			d.partly = "the document is longer than what is looked at"
			return
		}
		switch v := v.(type) {
		case map[string]any:
			if ref, is := v["$ref"].(string); is && !isName(at) {
				if _, there := d.at(ref); !there && len(d.dangling) < 100 {
					d.dangling = append(d.dangling, map[string]any{"at": at, "ref": ref})
				}
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if name == "example" || name == "examples" || name == "default" || name == "const" || name == "enum" {
					continue // values, not parts of the document
				}
				look(v[name], at+"/"+pointer.Token(name))
			}
		case []any:
			for i, element := range v {
				look(element, at+"/"+assertions.Number(int64(i)).String())
			}
		}
	}
	look(d.root, "")
}

// isName says whether the members of the object at a place are named by the author: "$ref" would be one of his names.
func isName(at string) bool {
	return strings.HasSuffix(at, "/properties") || strings.HasSuffix(at, "/patternProperties") || strings.HasSuffix(at, "/$defs")
}

// at is the value that a reference inside of the document leads to; false: it leads outside, or nowhere.
func (d *Document) at(ref string) (any, bool) {
	pointer, inside := strings.CutPrefix(ref, "#")
	if !inside {
		return nil, false
	}
	v := d.root
	if pointer == "" {
		return v, true
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = unescape(token)
		switch holder := v.(type) {
		case map[string]any:
			next, there := holder[token]
			if !there {
				return nil, false
			}
			v = next
		case []any:
			i := index(token)
			if i < 0 || i >= len(holder) {
				return nil, false
			}
			v = holder[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// resolve follows the references of a value, as far as they lead somewhere and not round in circles; at is where it stands.
func (d *Document) resolve(v any, at string) (any, string) {
	for range maxRefs {
		ref, is := member(v, "$ref").(string)
		if !is {
			return v, at
		}
		next, there := d.at(ref)
		if !there {
			return nil, at
		}
		v, at = next, unescapePercent(strings.TrimPrefix(ref, "#"))
	}
	return nil, at
}

// operationFor is the operation that a request to a path is one of: the one whose template has most of it written out. It is nil when
// the document has none.
func (d *Document) operationFor(method, path string) *operation {
	segments := strings.Split(path, "/")
	var best *operation
	fixed := -1
	for _, o := range d.operations {
		if o.method != method || len(o.segments) != len(segments) {
			continue
		}
		same := 0
		for i, segment := range o.segments {
			switch {
			case segment == segments[i]:
				same++
			case segments[i] == "" || !strings.Contains(segment, "{"):
				same = -len(segments)
			}
		}
		if same > fixed {
			best, fixed = o, same
		}
	}
	return best
}

func member(v any, name string) any {
	members, _ := v.(map[string]any)
	return members[name]
}

func text(v any, name string) string {
	s, _ := member(v, name).(string)
	return s
}
