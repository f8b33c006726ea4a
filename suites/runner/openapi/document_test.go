// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

const small = `{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {
 "/api/v1/things/search": {"get": {"parameters": [
   {"name": "limit", "in": "query", "required": false, "schema": {"type": "integer", "exclusiveMinimum": 0, "maximum": 100, "default": 100}},
   {"name": "page_id", "in": "query", "schema": {"anyOf": [{"type": "string"}, {"type": "null"}]}}],
  "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Page"}}}}}}},
 "/api/v1/things/{id}": {"delete": {"security": [{"key": []}], "parameters": [{"name": "thing_id", "in": "path", "required": true, "schema": {"type": "string"}}],
  "responses": {"404": {"description": "none"}}}}},
 "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}, "schemas": {
  "Page": {"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
    "next_page_id": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
  "Thing": {"type": "object", "properties": {"id": {"type": "string"}, "parent": {"$ref": "#/components/schemas/Thing"}, "user_id": {"type": "string"}}}}}}`

func read(t *testing.T, text string) *Document {
	t.Helper()
	return Read(jsontext.Parse([]byte(text)))
}

// TestAnOperationInDetail: references are followed, null is told apart from types, and the names of parameters in the path do not matter.
func TestAnOperationInDetail(t *testing.T) {
	t.Parallel()
	result, partly := read(t, small).Digest(Question{Operation: "GET /api/v1/things/search", Parameter: "limit", Schemas: true, Names: true})
	if partly != "" {
		t.Error(partly)
	}
	answer := member(member(result["operation"], "answer"), "members")
	if diff := cmp.Diff([]any{"array"}, member(member(answer, "items"), "types")); diff != "" {
		t.Error(diff)
	}
	next := member(answer, "next_page_id")
	if member(next, "nullable") != true || !cmp.Equal(member(next, "types"), []any{"string"}) {
		t.Errorf("next_page_id is %v", next)
	}
	if keywords := member(member(result["parameter"], "schema"), "keywords"); fmt.Sprint(member(keywords, "default")) != "100" {
		t.Errorf("limit has the keywords %v", keywords)
	}
	if len(result["dangling"].([]any)) != 0 || len(result["wrong_schemas"].([]any)) != 0 {
		t.Errorf("%v, %v", result["dangling"], result["wrong_schemas"])
	}
	var users int
	for _, name := range result["names"].([]any) {
		if member(name, "name") == "user_id" {
			users++
		}
	}
	if users != 1 {
		t.Errorf("user_id is found at %d places, want the one of the items", users)
	}
	result, _ = read(t, small).Digest(Question{Operation: "DELETE /api/v1/things/{}"})
	operation := result["operation"]
	if !cmp.Equal(member(operation, "template_names"), []any{"id"}) || !cmp.Equal(member(operation, "path_names"), []any{"thing_id"}) || !cmp.Equal(member(operation, "keys"), []any{"x-key"}) {
		t.Errorf("%v", operation)
	}
}

// A parameter that an operation declares twice is told; one that it only declares anew, for all operations of its path have it, is not.
func TestRepeatedParameters(t *testing.T) {
	t.Parallel()
	result, _ := read(t, `{"openapi": "3.1.0", "paths": {"/a/{id}": {
		"parameters": [{"in": "path", "name": "id"}],
		"get": {"parameters": [{"in": "path", "name": "id"}, {"in": "query", "name": "ids"}, {"in": "query", "name": "ids"}]},
		"put": {"parameters": [{"in": "path", "name": "id"}, {"in": "query", "name": "id"}]}}}}`).Digest(Question{})
	got := map[any]any{}
	for _, o := range result["operations"].([]any) {
		got[member(o, "operation")] = member(o, "repeated")
	}
	if diff := cmp.Diff(map[any]any{"GET /a/{id}": []any{"query ids"}, "PUT /a/{id}": []any{}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsWrongIsFound: a reference that leads nowhere, and a schema that is none.
func TestWhatIsWrongIsFound(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{`"#/components/schemas/Page"`: `"#/components/schemas/Pages"`, `{"type": "string"}, "parent"`: `{"type": "strang"}, "parent"`} {
		if !strings.Contains(small, from) {
			t.Fatal(from)
		}
		result, _ := read(t, strings.Replace(small, from, to, 1)).Digest(Question{Schemas: true})
		if len(result["dangling"].([]any))+len(result["wrong_schemas"].([]any)) == 0 {
			t.Errorf("%s in place of %s: nothing is found", to, from)
		}
	}
}

// TestAnswersAreHeldAgainstTheDocument: what fits passes, what does not is told once for each operation.
func TestAnswersAreHeldAgainstTheDocument(t *testing.T) {
	t.Parallel()
	record := NewRecord(budget.Of(1 << 20))
	for i, body := range []string{`{"items": []}`, `{"items": [{"id": 7, "created_at": "2026-01-02T03:04:05"}]}`, `{"items": [{}, {"id": 7}]}`} {
		record.keep(answer{method: "GET", path: "/api/v1/things/search", status: 200, test: fmt.Sprintf("T-%d", i), body: []byte(body)})
	}
	result, partly := read(t, small).Digest(Question{Answers: record, Fit: true})
	if partly != "" || fmt.Sprint(result["checked"]) != "3" || len(result["nonconforming"].([]any)) != 1 {
		t.Errorf("%q, %v checked, %v", partly, result["checked"], result["nonconforming"])
	}
	if times := result["times"].([]any); len(times) != 1 || member(times[0], "offset") != false {
		t.Errorf("times are %v", times)
	}
}

// TestAnswersThatAreNoJSONDoNotFit: what is called JSON and is none fits no schema; a body that is empty or only
// ends too early, and an operation that declares none, are left.
func TestAnswersThatAreNoJSONDoNotFit(t *testing.T) {
	t.Parallel()
	for body, wanted := range map[string]int{`{"items": []}{"items": []}`: 1, `{"items": [}`: 1, `{"items": [`: 0, `[{"id": 1}`: 0, "": 0, " \n": 0, "\ufeff{\"items\": []}": 0, `{"items": []}`: 0} {
		record := NewRecord(budget.Of(1 << 20))
		record.keep(answer{method: "GET", path: "/api/v1/things/search", status: 200, test: "T-1", body: []byte(body)})
		record.keep(answer{method: "GET", path: "/api/v1/nothing", status: 200, test: "T-1", body: []byte(body)})
		result, _ := read(t, small).Digest(Question{Answers: record, Fit: true})
		if got := len(result["nonconforming"].([]any)); got != wanted {
			t.Errorf("%q: %d answers do not fit, want %d: %v", body, got, wanted, result["nonconforming"])
		}
	}
}

// TestACutTimeHasNoOffset: what stands where a time has to be is looked at, also where it is none.
func TestACutTimeHasNoOffset(t *testing.T) {
	t.Parallel()
	record := NewRecord(budget.Of(1 << 20))
	record.keep(answer{method: "GET", path: "/api/v1/things/search", status: 200, test: "T-1", body: []byte(`{"items": [{"updated_at": "2026-01-02T0", "looked_at": "it"}]}`)})
	result, _ := read(t, small).Digest(Question{Answers: record})
	if times := result["times"].([]any); len(times) != 1 || member(times[0], "offset") != false || member(times[0], "name") != "updated_at" {
		t.Errorf("times are %v", times)
	}
}

// TestAnswersThatAreNotKeptAreTold: what holds of a part is not known to hold of all.
func TestAnswersThatAreNotKeptAreTold(t *testing.T) {
	t.Parallel()
	record := NewRecord(budget.Of(20))
	for i := range 3 {
		record.keep(answer{method: "GET", path: "/api/v1/things/search", status: 200, body: fmt.Appendf(nil, `{"items": [], "n": %d}`, i)})
	}
	if _, partly := read(t, small).Digest(Question{Answers: record, Fit: true}); partly == "" {
		t.Error("nothing is said of answers that were not kept")
	}
}

// hostile are documents that are made to take for ever: circles, and schemas that double with each line.
func hostile() []string {
	var doubling strings.Builder
	for i := range 60 {
		fmt.Fprintf(&doubling, `"s%d": {"allOf": [{"$ref": "#/components/schemas/s%d"}, {"$ref": "#/components/schemas/s%d"}]},`, i, i+1, i+1)
	}
	with := func(schemas, schema string) string {
		return `{"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": ` + schema + `}}}}}}}, "components": {"schemas": {` + schemas + `}}}`
	}
	return []string{
		with(doubling.String()+`"s60": {"type": "object"}`, `{"$ref": "#/components/schemas/s0"}`),
		with(`"a": {"$ref": "#/components/schemas/b"}, "b": {"$ref": "#/components/schemas/a"}`, `{"$ref": "#/components/schemas/a"}`),
		with(`"a": {"allOf": [{"$ref": "#/components/schemas/a"}]}`, `{"$ref": "#/components/schemas/a"}`),
		with(`"a": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/a"}}}`, `{"$ref": "#/components/schemas/a"}`),
		with(`"a": {"$ref": "http://127.0.0.1:1/other.json"}`, `{"$ref": "file:///etc/passwd"}`),
		with(`"a": {"minLength": 1e999999999}`, `{"$ref": "#/components/schemas/a"}`),
		with(`"a": 7`, `{"$ref": "#/components/schemas/a/b/c"}`),
		`{"paths": {"/a": {"$ref": "#/paths/~1a"}}}`,
		`{"paths": [], "components": 7}`,
		`[]`, `null`, `"x"`, ``,
	}
}

// TestHostileDocumentsAreSurvived: soon, whatever they hold.
func TestHostileDocumentsAreSurvived(t *testing.T) {
	t.Parallel()
	for _, text := range hostile() {
		began := time.Now()
		record := NewRecord(budget.Of(1 << 20))
		record.keep(answer{method: "GET", path: "/a", status: 200, body: []byte(`{"a": {"a": {"a": {}}}}`)})
		read(t, text).Digest(Question{Operation: "GET /a", Schemas: len(text) < 1000, Names: true, Answers: record, Fit: true})
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%.80s takes %s", text, took)
		}
	}
}

// TestWhatASchemaMayTakeIsNotUnderestimated: what is told without looking at the values is no less than what is found by looking at them.
func TestWhatASchemaMayTakeIsNotUnderestimated(t *testing.T) {
	t.Parallel()
	value := jsontext.Parse([]byte(`{"items": [{"id": 7, "created_at": "x"}, {"a": {"a": [1, {"id": []}]}}], "a": {"b": null}}`))
	for _, schema := range []string{
		`{"type": "object", "additionalProperties": false, "propertyNames": true}`,
		`{"properties": {"items": {"items": {"anyOf": [true, {"properties": {"id": false}}]}, "contains": {}}}, "patternProperties": {"^i": {}, "^a": {"not": {}}}}`,
		`{"allOf": [{"$ref": "#/components/schemas/b"}, {"$ref": "#/components/schemas/b"}], "dependentSchemas": {"a": {"if": {}, "then": {}, "else": {}}}}`,
		`{"$ref": "#/components/schemas/c"}`,
	} {
		d := read(t, `{"openapi": "3.1.0", "components": {"schemas": {"a": `+schema+`, "b": {"unevaluatedProperties": {"unevaluatedItems": {}}},
			"c": {"properties": {"a": {"$ref": "#/components/schemas/c"}}, "additionalProperties": {"prefixItems": [{}, {"prefixItems": [{}]}]}}}}}`)
		const at = "/components/schemas/a"
		c := &coster{Document: d, known: map[pair]int{}, open: map[pair]bool{}, left: maxCost}
		parsed, _ := d.at("#" + at)
		if exact, most := c.cost(parsed, at, value, ""), d.unfolded(at)*valuesIn(value); exact > most {
			t.Errorf("%s takes %d, and is said to take %d at most", schema, exact, most)
		}
	}
}

func FuzzDigest(f *testing.F) {
	f.Add(small, `{"items": [{"id": 7}]}`)
	for _, text := range hostile() {
		f.Add(text, `{"a": []}`)
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		if len(text) > 1<<14 || len(body) > 1<<12 {
			return
		}
		record := NewRecord(budget.Of(1 << 20))
		record.keep(answer{method: "GET", path: "/api/v1/things/search", status: 200, body: []byte(body)})
		Read(jsontext.Parse([]byte(text))).Digest(Question{Operation: "GET /api/v1/things/search", Names: true, Answers: record, Fit: true})
	})
}
