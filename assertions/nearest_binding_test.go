// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"testing"
)

// What a reader is told of alternatives is what the binding in use can fit, the nearest first.
func TestNearestOfTheBindingInUse(t *testing.T) {
	t.Parallel()
	const errorOf = `{"any_of": [{".status": 404}, {".failure.code": -32001}]}`
	const forms = `{"any_of": [{".about": "short", ".b": 1, ".c": 2}, {".about": "long", ".d": 3}]}`
	for _, c := range []struct{ what, want, got, finding string }{
		{"over HTTP", errorOf, `{"sent": {"over": "HTTP+JSON"}, "status": 410}`, ".status is 410, want 404"},
		{"over JSON-RPC", errorOf, `{"sent": {"over": "JSONRPC"}, "status": 200, "failure": {"code": -32603}}`, ".failure.code is -32603, want -32001"},
		{"of an element of a list", `{"each": ` + errorOf + `}`, `[{"over": "HTTP+JSON", "status": 410}]`, "[0].status is 410, want 404"},
		{"it does not say over which", errorOf, `{"status": 410}`, ".status is 410, want 404; or .failure.code is missing, want -32001"},
		{"all of another binding", `{"any_of": [{".failure.code": -32001}, {".json.error.code": -32600}]}`, `{"sent": {"over": "HTTP+JSON"}}`,
			".failure.code is missing, want -32001; or .json.error.code is missing, want -32600"},
		{"the nearest first", forms, `{"about": "long", "b": 1, "c": 2}`, `.d is missing, want 3; or .about is "long", want "short"`},
		{"done rather than refused", `{"any_of": [{".status": {"between": [400, 499]}}, {".status": 200, ".echoed": {"none": "pty"}}]}`, `{"status": 200, "echoed": ["pty"]}`,
			`.status is 200, want 400 to 499; or .echoed[0] is "pty", want no element equal to "pty"`},
		{"a finding that says it all", `{"any_of": [{".status": 404}, {".status": 400}]}`, `{"status": 500}`, ""},
	} {
		var p *Problem
		if err := compiledValue(t, c.want).Judge(decode(json.RawMessage(c.got))); !errors.As(err, &p) || p.Nearest != c.finding {
			t.Errorf("%s: got %+v, want %s", c.what, p, c.finding)
		}
	}
}
