// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
)

// maxMarkdown is beyond what a GitHub step summary takes without being dropped whole.
const maxMarkdown = 900 << 10

// checkPlain checks that a text holds nothing but what a reader sees: no control characters, nothing invisible.
func checkPlain(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("it is no UTF-8")
	}
	for i, c := range text {
		if c != '\n' && c != '\t' && !unicode.IsPrint(c) {
			return fmt.Errorf("it holds %U: %q", c, text[max(0, i-60):min(len(text), i+20)])
		}
	}
	return nil
}

// checkLog checks what CI systems show line by line.
func checkLog(text string) error {
	for line := range strings.Lines(text) {
		if bad := obeyed(line); bad != "" {
			return fmt.Errorf("a CI system would obey %q in %.200q", bad, line)
		}
	}
	return checkPlain(text)
}

// obeyed is what a CI system would take for a command in a line.
func obeyed(line string) string {
	if line = strings.TrimSpace(line); strings.HasPrefix(line, "::") {
		return "::"
	}
	for _, command := range []string{"##[", "##vso[", "##teamcity["} {
		if strings.Contains(line, command) {
			return command
		}
	}
	return ""
}

type junitFile struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Tests   int `xml:"tests,attr"`
		Skipped int `xml:"skipped,attr"`
		Cases   []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// checkJUnit parses the file, counts again what it counts, and compares it with the JSON report. A case of its own, which
// says the verdict, may come on top.
func checkJUnit(text string, found findings) error {
	decoder := xml.NewDecoder(strings.NewReader(text))
	var file junitFile
	if err := decoder.Decode(&file); err != nil {
		return err
	}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if blank, is := token.(xml.CharData); err != nil || !is || strings.TrimSpace(string(blank)) != "" {
			return fmt.Errorf("something follows the end: %v", err)
		}
	}
	tests, failures, failed, skipped, said := 0, 0, 0, 0, 0
	for _, suite := range file.Suites {
		said += suite.Skipped
		if suite.Tests != len(suite.Cases) {
			return fmt.Errorf("a suite says that it has %d cases, and has %d", suite.Tests, len(suite.Cases))
		}
		for _, c := range suite.Cases {
			tests++
			switch {
			case c.Failure != nil:
				failures++
			case c.Error != nil:
				failed++
			case c.Skipped != nil:
				skipped++
			}
		}
	}
	if file.Tests != tests || file.Failures != failures || file.Errors != failed || said != skipped {
		return fmt.Errorf("it counts %d, %d, %d, %d, and holds %d cases, %d failures, %d errors, %d skipped", file.Tests, file.Failures, file.Errors, said, tests, failures, failed, skipped)
	}
	s := found.Summary
	if failures != s.Fail || skipped != s.Skip || failed < s.Blocked || failed > s.Blocked+1 || tests-len(found.Results) > 1 {
		return fmt.Errorf("it holds %d failures, %d errors, %d skipped, and the JSON report has %+v", failures, failed, skipped, s)
	}
	if found.Verdict != "pass" && failures+failed == 0 {
		return fmt.Errorf("it is green, and the verdict is %s", found.Verdict)
	}
	return checkPlain(text)
}

// ourTags are those of the report itself.
var ourTags = regexp.MustCompile(`</?(details|summary)>`)

// checkMarkdown checks that outside of code nothing is active that did not come from us.
func checkMarkdown(text string) error {
	if len(text) > maxMarkdown {
		return fmt.Errorf("it has %d KiB, want %d at most", len(text)>>10, maxMarkdown>>10)
	}
	prose, err := outsideCode(text)
	if err != nil {
		return err
	}
	if opened, closed := strings.Count(prose, "<details>"), strings.Count(prose, "</details>"); opened != closed {
		return fmt.Errorf("%d folds open and %d close", opened, closed)
	}
	prose = ourLinks.ReplaceAllString(ourTags.ReplaceAllString(prose, ""), "")
	for _, active := range []string{"<", "](", "![", "://", "@" + gauntlet.Mark, "# " + gauntlet.Mark} {
		if at := strings.Index(prose, active); at >= 0 {
			return fmt.Errorf("%q is active: %q", active, prose[max(0, at-80):min(len(prose), at+40)])
		}
	}
	return checkLog(text)
}

// ourLinks are those of the source of a requirement, to where what is public stands.
var ourLinks = regexp.MustCompile(`\[(A2A|RFC|JSON-RPC|WHATWG|Prometheus|ProtoJSON)[A-Za-z0-9 .,-]*\]\(https://(www\.rfc-editor\.org|a2a-protocol\.org|www\.jsonrpc\.org|html\.spec\.whatwg\.org|prometheus\.io|protobuf\.dev)/[\w/.#:~=-]*\)`)

// outsideCode is Markdown without fenced blocks and code spans, read as CommonMark reads them (4.5 and 6.1).
func outsideCode(markdown string) (string, error) {
	var prose strings.Builder
	fence := 0
	for line := range strings.Lines(markdown) {
		run := len(line) - len(strings.TrimLeft(line, "`"))
		switch {
		case fence == 0 && run >= 3 && !strings.Contains(line[run:], "`"):
			fence = run
		case fence > 0 && run >= fence && strings.TrimSpace(line[run:]) == "":
			fence = 0
		case fence == 0:
			prose.WriteString(withoutSpans(line))
		}
	}
	if fence > 0 {
		return "", errors.New("a fence stays open")
	}
	return prose.String(), nil
}

var backticks = regexp.MustCompile("`+")

func withoutSpans(line string) string {
	runs := backticks.FindAllStringIndex(line, -1)
	var b strings.Builder
	at := 0
	for i := 0; i < len(runs); i++ {
		b.WriteString(line[at:runs[i][0]])
		at = runs[i][0]
		for k := i + 1; k < len(runs); k++ {
			if runs[k][1]-runs[k][0] == runs[i][1]-runs[i][0] {
				at, i = runs[k][1], k
				break
			}
		}
		if at == runs[i][0] { // nothing closes it: it is text
			at = runs[i][1]
		}
	}
	return b.String() + line[at:]
}

// checkHTML reads the page as browsers do, and looks for elements and attributes that the target has put in.
func checkHTML(text string) error {
	if text == "" {
		return nil
	}
	page, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return err
	}
	for node := range page.Descendants() {
		if node.Type == html.CommentNode && strings.Contains(node.Data, gauntlet.Mark) {
			return errors.New("a comment holds what the target said")
		}
		if node.Type != html.ElementNode {
			continue
		}
		for _, attribute := range node.Attr {
			value := strings.ToLower(strings.TrimSpace(attribute.Val))
			acts := strings.HasPrefix(attribute.Key, "on") || strings.HasPrefix(value, "javascript:") ||
				slices.Contains([]string{"href", "src", "action", "style", "srcdoc"}, attribute.Key) && strings.Contains(value, gauntlet.Mark)
			if acts {
				return fmt.Errorf("<%s %s=%.100q> is active", node.Data, attribute.Key, attribute.Val)
			}
		}
		if slices.Contains([]string{"script", "style", "iframe", "object", "embed", "img", "link", "base", "form"}, node.Data) {
			for inner := range node.Descendants() {
				if strings.Contains(inner.Data, gauntlet.Mark) {
					return fmt.Errorf("<%s> holds what the target said", node.Data)
				}
			}
			if slices.Contains([]string{"iframe", "object", "embed", "img", "base"}, node.Data) {
				return fmt.Errorf("there is an <%s>", node.Data)
			}
		}
	}
	return checkPlain(text)
}
