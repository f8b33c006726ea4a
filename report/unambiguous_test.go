// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// A saved report that could be read in two ways is refused at the place where it begins to mean two things.
func TestReportsThatMeanTwoThings(t *testing.T) {
	t.Parallel()
	report := func(members string) string {
		return `{"schema":"` + Schema + `","verdict":"pass",` + "\n" + members + `"results":[]}`
	}
	for _, row := range []struct{ name, text, want string }{
		{"two verdicts", report(`"verdict":"fail",`), `2:1: the member "verdict" appears twice, and it is unclear which one counts`},
		{"two verdicts, one in capitals", report(`"Verdict":"fail",`), `2:1: the member "Verdict" appears twice`},
		{"two verdicts, one escaped", report(` "\u0076erdict" : "fail",`), `2:2: the member "verdict" appears twice`},
		{"two verdicts, one with a long s", report(`"re\u017fults":[],`), `2:19: the member "results" appears twice`},
		{"two members of a member", report(`"tool":{"name":"a","name":"b"},`), `2:20: the member "name" appears twice`},
		{"two members of a result", strings.Replace(report(``), "[]", `[{"id":"A-1","outcome":"pass","outcome":"fail"}]`, 1), `2:41: the member "outcome" appears twice`},
		{"two of the same", report(`"verdict":"pass",`), `2:1: the member "verdict" appears twice`},
		{"a byte that is no UTF-8", report("\"title\":\"\xff\","), `2:10: it is not UTF-8; a report is written as UTF-8`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadJSON(strings.NewReader(row.text))
			var at *Misread
			if !errors.As(err, &at) || !strings.HasPrefix(at.Error(), row.want) {
				t.Errorf("%s\n got %v\nwant %s", row.text, err, row.want)
			}
		})
	}
	if _, err := ReadJSON(strings.NewReader(report(``))); err != nil {
		t.Errorf("a report that means one thing is refused: %v", err)
	}
}

// FuzzUnambiguous: what is taken is JSON, and says the same to a reader that keeps the first of two members and to one
// that keeps the last.
func FuzzUnambiguous(f *testing.F) {
	for _, seed := range []string{`{"a":{"b":[1,{"c":null}]},"d":"e"}`, `{"a":1,"A":2}`, `[1,2] 3`, `{"\u0061":1,"a":2}`, `"x"`, `{"ſ":1,"s":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if Unambiguous(text) != nil {
			return
		}
		if !json.Valid(text) {
			t.Errorf("%q is taken for JSON", text)
		}
	})
}
