// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/greeter"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// TestOperators: the tables of hooks and cues are those of the profiles' rows.
func TestOperators(t *testing.T) {
	t.Parallel()
	const page = "operators.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	drawn := string(text)
	for mark, table := range map[string]string{
		"hooks":             hookTable(profiles.All),
		"cues":              cueTable(profiles.All[0]),
		"cues of their own": ownCues(profiles.All[1:]),
	} {
		begin, end := "<!-- "+mark+": generated -->\n", "<!-- "+mark+": end -->"
		head, rest, found := strings.Cut(drawn, begin)
		_, tail, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("%s has no place for %s", page, mark)
		}
		drawn = head + begin + table + end + tail
	}
	if *update {
		if err := os.WriteFile(page, []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(drawn, string(text)); diff != "" {
		t.Errorf("%s does not say what the profiles bring; go generate ./docs does (-profiles +page):\n%s", page, diff)
	}
}

// TestOperatorsOfOneMore: what one more profile brings stands on the page by its row alone, and the program says the same.
func TestOperatorsOfOneMore(t *testing.T) {
	t.Parallel()
	rows := append(slices.Clip(profiles.All), greeter.Row)
	if got, want := hookTable(rows), "| `forget` | greeter: makes the greeter forget a name that it has learned | `name` | `ticket`, or the ticket as plain text |\n\n"; !strings.HasSuffix(got, want) {
		t.Errorf("the table of hooks does not end with %q:\n%s", want, got)
	}
	want := `
### Cues of greeter

A greeter is told what to say in the words of its own country.

| Cue | What the agent does then |
|---|---|
| ` + "`welcome`" + ` | greets whoever writes; where none is configured, the text ` + "`hello`" + ` |
| ` + "`farewell`" + ` | says goodbye |

`
	if got := ownCues(rows[1:]); !strings.HasSuffix(got, want) {
		t.Errorf("the cues do not end with %q:\n%s", want, got)
	}
	for kind, names := range map[string]map[string]Setting{
		"hook": {"forget": {Kind: "hook", Name: "forget", What: "greeter: makes the greeter forget a name that it has learned", Gets: "`name`", Answers: "`ticket`, or the ticket as plain text"}},
		"cue":  {"farewell": {Profile: "greeter", Kind: "cue", Name: "farewell", What: "says goodbye"}},
	} {
		for name, want := range names {
			if got, _ := SettingFor(greeter.Row, kind, name); got != want {
				t.Errorf("%s %s is %+v, want %+v", kind, name, got, want)
			}
		}
	}
}

// hookTable is what can be configured for profiles, a line each.
func hookTable(rows []profiles.Profile) string {
	var b strings.Builder
	b.WriteString("\n| Hook | What you provide | Gets | Answers |\n|---|---|---|---|\n")
	for _, l := range hooksOf(rows) {
		b.WriteString("| `" + l.Name + "` | " + l.What + " | " + cmp.Or(l.Gets, "–") + " | " + cmp.Or(l.Answers, "–") + " |\n")
	}
	return b.String() + "\n"
}

// cueTable is the cues of a profile.
func cueTable(p profiles.Profile) string {
	var b strings.Builder
	b.WriteString("\n| Cue | What the agent does then |\n|---|---|\n")
	for _, c := range p.Cues {
		b.WriteString("| `" + c.Name + "` | " + c.Does + " |\n")
	}
	return b.String() + "\n"
}

// ownCues are the sections of the profiles beside the default one.
func ownCues(rows []profiles.Profile) string {
	var b strings.Builder
	for _, p := range rows {
		if len(p.Cues) > 0 {
			b.WriteString("\n### Cues of " + p.Name + "\n\n" + paragraph(p.AboutCues) + cueTable(p))
		}
	}
	return b.String()
}

// paragraph is a text in lines that can be read.
func paragraph(text string) string {
	var b strings.Builder
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > 120 {
			b.WriteString(line + "\n")
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return b.String() + line + "\n"
}
