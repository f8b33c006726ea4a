// SPDX-License-Identifier: Apache-2.0

package markdown

import "testing"

// What ends a clause stands behind the code, not within it.
func TestProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"GET http://h:1/list: 404":       "GET `http://h:1/list`: 404",
		"of http://h/a, http://h/b; and": "of `http://h/a, http://h/b`; and",
		"has task_id, and no @id.":       "has `task_id`, and no `@id`.",
		"ends with https://h/a...":       "ends with `https://h/a...`",
		"a ~ b":                          "a `~` b",
		"with http://h/x:: <b>":          "with `http://h/x`:: &lt;b&gt;",
		"of `x_y`, z":                    "``of `x_y`, z``",
	} {
		if got := prose(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestAdviceShowsSettingsAsCode(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, want string }{
		{"nothing to set", "nothing to set"},
		{"add it: hooks: {restart: {command: [...]}}, which restarts", "add it: `hooks: {restart: {command: [...]}}`, which restarts"},
		{"hooks: {a: {value: true}} if so", "`hooks: {a: {value: true}}` if so"},
		{`tokens: {observe: "${TOKEN}"}`, "`tokens: {observe: \"${TOKEN}\"}`"},
		{"cues: {never: ended", "`cues: {never: ended`"},
		{"hooks: {a: 1}_x_", "`hooks: {a: 1}` `_x_`"},
	} {
		if got := advice(row.text); got != row.want {
			t.Errorf("%s becomes %s, want %s", row.text, got, row.want)
		}
	}
}
