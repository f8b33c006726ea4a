// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

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
					if id, ok := strings.CutPrefix(a.Val, "#"); !ok || !ids[id] {
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
	all := map[string]*Run{"every text hostile": copyRun(everyOutcome(), func(string) string { return hostile })}
	for name, sample := range samples {
		all[name] = sample()
	}
	all["streams"] = streamed()
	all["one id for all"] = everyOutcome()
	for i := range all["one id for all"].Results {
		all["one id for all"].Results[i].ID = "results"
	}
	for name, run := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, flaw := range flaws(t, rendered(t, WriteHTML, run)) {
				t.Error(flaw)
			}
		})
	}
}

func FuzzHTMLHoldsAnyText(f *testing.F) {
	for _, text := range []string{hostile, "</script><script>", "'\"><svg onload=x>", "{{.}}", "case: ]]>", `{"op":"<b>","payload":{"kind":"\u202e"}}`, "javascript:alert(1)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		run := streamed()
		outcomes := make([]Outcome, len(run.Results))
		for i := range run.Results {
			outcomes[i] = run.Results[i].Outcome
		}
		run = copyRun(run, func(s string) string {
			if slices.Contains([]string{"frame", "event", "opened", "closed", "request", "response"}, s) {
				return s // so that pictures are drawn
			}
			return text
		})
		for i := range run.Results {
			run.Results[i].Outcome = outcomes[i]
		}
		for _, flaw := range flaws(t, rendered(t, WriteHTML, run)) {
			t.Error(flaw)
		}
	})
}

func TestHTMLMakesNothingOfTheTargetActive(t *testing.T) {
	t.Parallel()
	page := rendered(t, WriteHTML, hostileRun())
	for _, active := range []string{"<img", "onerror=alert(2)>", "</details><script>alert", "href=\"https"} {
		if strings.Contains(page, active) {
			t.Errorf("the page holds %q", active)
		}
	}
}

func TestHTMLReadsWithoutItsScript(t *testing.T) {
	t.Parallel()
	for n := range parsedPage(t, rendered(t, WriteHTML, everyOutcome())).Descendants() {
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

// streamed is a run with a terminal conversation of two actors and a stream, in two cases.
func streamed() *Run {
	r := everyOutcome()
	frame := func(ms int64, actor, kind, head, body string) Evidence {
		return Evidence{AtMS: ms, Actor: actor, Kind: kind, Head: head, Body: body, BodyBytes: int64(len(body))}
	}
	r.Results[1].Evidence = []Evidence{
		{Kind: "note", Head: "case: two controllers"},
		frame(1, "first", "hook", "session 018fc0a2-7777-7aaa-bbbb-ccccddddeeee", ""),
		frame(2, "first", "request", "GET /agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/sessions/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/attach HTTP/1.1", ""),
		frame(4, "first", "opened", "HTTP/1.1 101 Switching Protocols", ""),
		frame(5, "first", "frame", "text, 60 bytes", `{"op": "binding_hello", "sequence": 0, "payload": {}}`),
		frame(6, "second", "opened", "HTTP/1.1 101 Switching Protocols", ""),
		frame(7, "first", "frame-sent", "text, 80 bytes", `{"op": "pty.join_session", "payload": {"role": "controller"}}`),
		frame(9, "first", "frame", "text, 90 bytes", `{"op": "pty.session_frame", "sequence": 1, "payload": {"kind": "RoleAssigned"}}`),
		frame(3009, "second", "frame", `close, 2 bytes, code 1000 ""`, `\x03\xe8`),
		frame(3010, "second", "closed", "by the target with 1000 after 3.004s", ""),
		frame(3011, "first", "closed", "by the harness with 1000 after 3.009s", ""),
		{Kind: "note", Head: "case: a stream"},
		frame(4000, "", "request", "GET https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/0192a0aa-1111-7abc-8def-000000000001/subscribe", ""),
		frame(4003, "", "response", "HTTP/1.1 200 OK", ""),
		frame(4004, "", "event", "event task", `{"task": {"status": {"state": "submitted"}}}`),
		frame(4005, "", "event", "event status-update", `{"statusUpdate": {"status": {"state": "working"}}}`),
		frame(4006, "", "event", "event", `no JSON`),
		frame(4006, "", "closed", "closed by executor after 6ms", ""),
	}
	return r
}

// many is a run of n results, each with an exchange and a conversation.
func many(n int, outcome Outcome, text string) *Run {
	r := everyOutcome()
	model := streamed().Results[1]
	for i := range model.Evidence {
		model.Evidence[i].Body += text
	}
	r.Results = make([]Result, n)
	for i := range r.Results {
		r.Results[i] = model
		r.Results[i].ID = fmt.Sprintf("MANY-%04d", i)
		r.Results[i].Surface = fmt.Sprintf("surface-%d", i%13)
		if r.Results[i].Outcome = outcome; outcome == Pass {
			r.Results[i].Findings, r.Results[i].Evidence = nil, nil
		}
	}
	last := &r.Results[n-1]
	last.Outcome, last.Findings = Fail, model.Findings
	return r
}

func TestHTMLStaysSmallAndSaysWhatIsCut(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		run  *Run
		says string
	}{
		{"2000 passes without exchanges", many(2000, Pass, ""), ""},
		{"1000 failures with exchanges", many(1000, Fail, strings.Repeat("x", 4000)), "Shortened: to stay under 20.0 MiB: exchanges of failures show at most"},
		{"text that escaping makes longer", many(100, Fail, strings.Repeat(`"`, 60_000)), "Shortened"},
		{"more results than fit", many(16_000, Pass, ""), "results are left out altogether, passes first"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			page := rendered(t, WriteHTML, row.run)
			if len(page) > MostHTML {
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

// colour matches a colour of the style.
var colour = regexp.MustCompile(`--(\w+): #([0-9a-f]{6})`)

func TestHTMLColoursHaveContrast(t *testing.T) {
	t.Parallel()
	themes := strings.Split(htmlStyle, ":root {")[1:]
	if len(themes) != 3 {
		t.Fatalf("there are %d themes, want light, dark and print", len(themes))
	}
	for i, theme := range themes {
		theme, _, _ = strings.Cut(theme, "}")
		colours := map[string]float64{}
		for _, m := range colour.FindAllStringSubmatch(theme, -1) {
			colours[m[1]] = luminance(m[2])
		}
		for _, name := range []string{"text", "muted", "link", "fail", "blocked", "waived", "warn", "skip", "pass", "sent", "received"} {
			for _, back := range []string{"back", "raised"} {
				if c := contrast(colours[name], colours[back]); c < 4.5 {
					t.Errorf("theme %d: %s on %s has the contrast %.2f, want 4.5", i, name, back, c)
				}
			}
		}
	}
}

// luminance is the relative luminance of a colour, as WCAG 2 defines it.
func luminance(hex string) float64 {
	n, _ := strconv.ParseUint(hex, 16, 32)
	channel := func(shift uint) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }
