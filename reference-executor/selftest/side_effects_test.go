// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// What a fault changes beside the test that names it is refused, unless it is listed or looked for.
func TestSideEffects(t *testing.T) {
	t.Parallel()
	const (
		named = `
  - id: A2A-CARD-901
    test: card_has_a_name
    must: say a name in the card
    steps: [{request: "GET ${card_url}", as: anonymous, redirects: 3, expect: {json.name: {is_a: string}}}]
    broken_by: {card-without-name: json.name is missing}
`
		beside = `
  - id: A2A-CARD-902
    test: card_is_named
    must: say a name in the card, too
    steps: [{request: "GET ${card_url}", as: anonymous, redirects: 3, expect: {json: {.name: {is_a: string}}}}]
    broken_by: {card-without-description: x}
`
		listed = "side_effects:\n  card-without-name: [A2A-CARD-902]\n"
	)
	for name, row := range map[string]struct {
		files   map[string]string
		update  bool
		refused string
		noted   map[string][]string
	}{
		"refused":    {refused: "changes A2A-CARD-902 from pass to fail, which does not name it"},
		"listed":     {files: map[string]string{"side_effects.yaml": listed}},
		"looked for": {update: true, noted: map[string][]string{"card-without-name": {"A2A-CARD-902"}}},
		"known":      {update: true, files: map[string]string{"side_effects.yaml": listed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{"a2a-1.0/few.yaml": &fstest.MapFile{Data: []byte("suite: S\ncontract: A2A 1.0\ntests:" + named + beside)}}
			for file, text := range row.files {
				files["a2a-1.0/"+file] = &fstest.MapFile{Data: []byte(text)}
			}
			r, err := Run(t.Context(), Options{Profile: anyAgent.profile, Suites: files, Faults: []string{"card-without-name"}, Update: row.update})
			if err != nil {
				t.Fatal(err)
			}
			var refused []string
			for _, p := range r.Problems {
				refused = append(refused, p.Says)
			}
			if got := strings.Join(refused, "\n"); (row.refused == "") != (got == "") || !strings.Contains(got, row.refused) {
				t.Errorf("the problems are %q, want %q", got, row.refused)
			}
			if diff := cmp.Diff(row.noted, r.SideEffects); diff != "" {
				t.Errorf("noted (-want +got):\n%s", diff)
			}
		})
	}
}
