// SPDX-License-Identifier: Apache-2.0

package html

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// pageElements are the elements that a page has, each with its attributes. Text of a target can make neither.
var pageElements = map[string]string{
	"html": "lang", "head": "", "meta": "charset http-equiv content name", "title": "id", "style": "", "script": "", "body": "",
	"a": "class href data-outcome data-surface", "header": "class", "nav": "aria-label", "main": "", "footer": "",
	"section": "id class aria-labelledby", "article": "class id data-outcome data-level", "h1": "", "h2": "id", "h3": "id", "h4": "",
	"p": "class id role aria-live", "ul": "class aria-label", "ol": "class", "li": "class id", "dl": "class", "dt": "", "dd": "class",
	"div": "class tabindex role aria-label aria-labelledby", "span": "class aria-hidden", "b": "", "strong": "class", "code": "", "pre": "class", "kbd": "",
	"table": "class", "thead": "", "tbody": "", "tfoot": "", "tr": "", "th": "scope class", "td": "class",
	"details": "class open", "summary": "", "figure": "class", "figcaption": "",
	"form": "id role aria-label hidden", "label": "class for", "input": "id type autocomplete spellcheck name value checked",
	"select": "id", "option": "value", "fieldset": "class", "legend": "", "button": "type id",
	"svg": "class width height viewBox aria-hidden role aria-labelledby", "desc": "id", "text": "class x y text-anchor",
	"line": "class x1 y1 x2 y2", "rect": "class x y width height", "polygon": "class points", "circle": "class cx cy r", "path": "class d",
}

// flaws lists what is wrong with a page: elements and attributes that are not of the page, tags that do not nest,
// references that lead nowhere, what a screen reader would miss, and a policy that the style and the script do not fit.
func flaws(t testing.TB, page string) []string {
	t.Helper()
	var found []string
	say := func(format string, args ...any) {
		if len(found) < 20 {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	nesting(page, say)
	root := parsedPage(t, page)
	ids := map[string]bool{}
	for n := range root.Descendants() {
		if id := attribute(n, "id"); id != "" {
			if ids[id] {
				say("two elements have the id %q", id)
			}
			ids[id] = true
		}
	}
	heading, policy := 0, ""
	for n := range root.Descendants() {
		switch n.Type {
		case html.CommentNode:
			say("a comment: %.60q", n.Data)
		case html.TextNode:
			inScript := n.Parent.DataAtom == atom.Script || n.Parent.DataAtom == atom.Style
			if i := strings.IndexFunc(n.Data, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 && !inScript {
				say("an invisible character in %.60q", n.Data[i:])
			}
		case html.ElementNode:
			allowed, known := pageElements[n.Data]
			if !known {
				say("a foreign element: %s", n.Data)
			}
			for _, a := range n.Attr {
				if !slices.Contains(strings.Fields(allowed), a.Key) {
					say("<%s> has the foreign attribute %s=%.60q", n.Data, a.Key, a.Val)
				}
				switch a.Key {
				case "href":
					if id, ok := strings.CutPrefix(a.Val, "#"); !public.MatchString(a.Val) && (!ok || !ids[id]) {
						say("a link leads to %.60q", a.Val)
					}
				case "aria-labelledby", "for":
					for id := range strings.FieldsSeq(a.Val) {
						if !ids[id] {
							say("%s names %q, which is nowhere", a.Key, id)
						}
					}
				}
			}
			switch {
			case n.DataAtom == atom.Th && !has(n, "scope"):
				say("the table header %q has no scope", inline(n))
			case len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '4':
				level := int(n.Data[1] - '0')
				if level > heading+1 {
					say("heading %q is %d deep below %d", inline(n), level, heading)
				}
				heading = level
			case n.DataAtom == atom.Meta && attribute(n, "http-equiv") == "Content-Security-Policy":
				policy = attribute(n, "content")
			case n.DataAtom == atom.Style || n.DataAtom == atom.Script:
				sum := sha256.Sum256([]byte(content(n)))
				if want := fmt.Sprintf("%s-src 'sha256-%s'", n.Data, base64.StdEncoding.EncodeToString(sum[:])); !strings.Contains(policy, want) {
					say("the policy %q does not let the %s of the page run", policy, n.Data)
				}
			}
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		say("the policy is %q", policy)
	}
	return found
}

// nesting checks what a lenient parser would repair.
func nesting(page string, say func(string, ...any)) {
	z := html.NewTokenizer(strings.NewReader(page))
	var open []string
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				say("%v", z.Err())
			}
			if len(open) > 0 {
				say("never closed: %v", open)
			}
			return
		case html.StartTagToken:
			name, _ := z.TagName()
			if tag := string(name); tag != "meta" && tag != "input" {
				open = append(open, tag)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				say("</%s> closes %v", name, open[max(len(open)-3, 0):])
				return
			}
			open = open[:len(open)-1]
		}
	}
}

func TestHTMLIsWellFormed(t *testing.T) {
	t.Parallel()
	all := map[string]*report.Run{"every text hostile": reporttest.EveryOutcome().Copy(func(string) string { return reporttest.HostileText })}
	for name, sample := range reporttest.Samples {
		all[name] = sample()
	}
	all["streams"] = reporttest.Streamed()
	all["one id for all"] = reporttest.EveryOutcome()
	for i := range all["one id for all"].Results {
		all["one id for all"].Results[i].ID = "results"
	}
	for name, run := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, flaw := range flaws(t, reporttest.Rendered(t, Write, run)) {
				t.Error(flaw)
			}
		})
	}
}

func FuzzHTMLHoldsAnyText(f *testing.F) {
	for _, text := range []string{reporttest.HostileText, "</script><script>", "'\"><svg onload=x>", "{{.}}", "case: ]]>", `{"op":"<b>","payload":{"kind":"\u202e"}}`, "javascript:alert(1)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		run := reporttest.Streamed()
		outcomes := make([]report.Outcome, len(run.Results))
		for i := range run.Results {
			outcomes[i] = run.Results[i].Outcome
		}
		run = run.Copy(func(s string) string {
			if slices.Contains([]string{"frame", "event", "opened", "closed", "request", "response"}, s) {
				return s // so that pictures are drawn
			}
			return text
		})
		for i := range run.Results {
			run.Results[i].Outcome = outcomes[i]
		}
		for _, flaw := range flaws(t, reporttest.Rendered(t, Write, run)) {
			t.Error(flaw)
		}
	})
}

// public are the places of specifications, and of the documentation of the samples, to which alone a link leads out of the page.
var public = regexp.MustCompile(`^https://(www\.rfc-editor\.org/rfc/rfc\d+|a2a-protocol\.org/latest/|www\.jsonrpc\.org/|html\.spec\.whatwg\.org/|prometheus\.io/|protobuf\.dev/|docs\.example/v1\.4\.0/)[\w/.#:~=-]*$`)

func TestHTMLMakesNothingOfTheTargetActive(t *testing.T) {
	t.Parallel()
	page := reporttest.Rendered(t, Write, reporttest.HostileRun())
	for _, active := range []string{"<img", "onerror=alert(2)>", "</details><script>alert"} {
		if strings.Contains(page, active) {
			t.Errorf("the page holds %q", active)
		}
	}
	for _, link := range regexp.MustCompile(`href="([^#"][^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !public.MatchString(link[1]) {
			t.Errorf("a link leads to %s", link[1])
		}
	}
}

func TestHTMLReadsWithoutItsScript(t *testing.T) {
	t.Parallel()
	for n := range parsedPage(t, reporttest.Rendered(t, Write, reporttest.EveryOutcome())).Descendants() {
		switch {
		case n.DataAtom == atom.Form && !has(n, "hidden"):
			t.Error("a filter that does nothing is shown")
		case n.DataAtom != atom.Form && has(n, "hidden"):
			t.Errorf("<%s>%s is hidden", n.Data, named(n))
		case n.DataAtom == atom.Article && slices.Contains([]string{"fail", "warn", "waived"}, attribute(n, "data-outcome")):
			if !has(n.FirstChild.NextSibling, "open") {
				t.Errorf("%s is folded", attribute(n, "id"))
			}
		}
	}
}

func TestHTMLStaysSmallAndSaysWhatIsCut(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		run  *report.Run
		says string
	}{
		{"2000 passes without exchanges", reporttest.Many(2000, report.Pass, ""), ""},
		{"1000 failures with exchanges", reporttest.Many(1000, report.Fail, strings.Repeat("xy", 2000)), "Shortened: to stay under 20.0 MiB: exchanges of failures show at most"},
		{"text that escaping makes longer", reporttest.Many(100, report.Fail, strings.Repeat(`"&`, 30_000)), "Shortened"},
		{"more results than fit", reporttest.Many(16_000, report.Pass, ""), "results are left out altogether, passes first"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			page := reporttest.Rendered(t, Write, row.run)
			if len(page) > maxBytes {
				t.Errorf("the page has %s", show.Size(len(page)))
			}
			said := strings.Contains(inline(parsedPage(t, page)), cmp.Or(row.says, "Shortened"))
			if said != (row.says != "") {
				t.Errorf("the page says %q: %v", row.says, said)
			}
			if !strings.Contains(page, fmt.Sprintf(`id="MANY-%04d"`, len(row.run.Results)-1)) {
				t.Error("the failure is left out")
			}
		})
	}
}

func TestHTMLMatchesItsGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reporttest.Golden(t, "testdata/"+name+".txt", outline(t, reporttest.Rendered(t, Write, sample())))
		})
	}
}

func TestStreamsMatchTheirGoldenFile(t *testing.T) {
	t.Parallel()
	reporttest.Golden(t, "testdata/streams.txt", outline(t, reporttest.Rendered(t, Write, reporttest.Streamed())))
}
