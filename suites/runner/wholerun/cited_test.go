// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"encoding/json"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

func TestWhatAFindingCitesIsShown(t *testing.T) {
	t.Parallel()
	task := jsontext.Parse([]byte(`{"id": "t<1>", "artifacts": {}}`))
	for name, row := range map[string]struct {
		element    any
		head, body string
	}{
		"an object in an answer": {map[string]any{"test": "A-1", "request": "GET http://h/tasks", "from": "ListTasks", "at": "/tasks/3", "value": task},
			"A-1 asked GET http://h/tasks and was answered, at /tasks/3", `{"artifacts":{},"id":"t<1>"}`},
		"an answer": {map[string]any{"test": "A-1", "request": "GET http://h/tasks", "status": json.Number("422"), "json": task, "text": "..."},
			"A-1 asked GET http://h/tasks and was answered with status 422", `{"artifacts":{},"id":"t<1>"}`},
		"a place in an answer that slipped": {map[string]any{"test": "A-1", "request": "GET http://h/tasks", "at": "/id", "is": "t<1>", "want": "t", "status": json.Number("200"), "json": task},
			"A-1 asked GET http://h/tasks and was answered with status 200, at /id", `{"artifacts":{},"id":"t<1>"}`},
		"an answer that is no JSON": {map[string]any{"test": "A-1", "request": "GET http://h/tasks", "status": json.Number("502"), "text": "<h1>"},
			"A-1 asked GET http://h/tasks and was answered with status 502", "<h1>"},
		"a delivery":              {map[string]any{"test": "A-1", "request": "delivery to a webhook", "from": "delivery", "at": "", "value": task}, "delivery to a webhook of A-1", `{"artifacts":{},"id":"t<1>"}`},
		"something that is none":  {json.Number("3"), "", ""},
		"a member that is hidden": {map[string]any{"value": task}, "", ""},
	} {
		head, body := Cited(row.element)
		if head != row.head || string(body) != row.body {
			t.Errorf("%s is shown as %q with %q, want %q with %q", name, head, body, row.head, row.body)
		}
	}
}
