// SPDX-License-Identifier: Apache-2.0

package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// The systems that read JUnit files each take a different part of them. The readers below take what those take, and no
// more, so that the tests show what is left of a report there.

// An element is XML as it stands in the file.
type element struct {
	name     string
	attr     map[string]string
	text     string
	children []*element
}

func readElements(t *testing.T, text string) *element {
	t.Helper()
	root := &element{}
	open := []*element{root}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return root.children[0]
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			top.children = append(top.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += string(token)
		}
	}
}

func (e *element) child(name string) *element {
	if i := slices.IndexFunc(e.children, func(c *element) bool { return c.name == name }); i >= 0 {
		return e.children[i]
	}
	return nil
}

func (e *element) all(name string) []*element {
	return slices.DeleteFunc(slices.Clone(e.children), func(c *element) bool { return c.name != name })
}

// A shownCase is what somebody sees of a case.
type shownCase struct{ key, name, status, text string }

// A consumer is one of the systems.
type consumer struct {
	name string
	read func(suite, c *element) shownCase
}

// gitLab reads with Hash.from_xml: of an element with text, the attributes are lost, and of one without, they are all
// there is. Some values of an attribute "type" make it parse the text, or refuse the file.
func gitLab(suite, c *element) shownCase {
	s := shownCase{key: suite.attr["name"] + c.attr["classname"] + c.attr["name"], name: c.attr["name"], status: "success"}
	for _, status := range []string{"failure", "error", "skipped"} {
		if e := c.child(status); e != nil {
			if slices.Contains([]string{"symbol", "yaml", "file", "date", "datetime", "duration", "integer", "float", "decimal", "boolean", "string", "base64Binary", "array", "hash"}, e.attr["type"]) {
				return shownCase{status: "the file is refused or changed"}
			}
			if s.status, s.text = status, e.text; strings.TrimSpace(e.text) == "" {
				s.text = fmt.Sprint(e.attr)
			}
			break
		}
	}
	if c.attr["file"] != "" {
		s.text += " in the file " + c.attr["file"]
	}
	return s
}

// jenkins shows the message and, folded, the text of a failure; of a skip the message alone. A package is what stands before
// the last dot of the class name. Without a class name the name of the suite is taken.
func jenkins(suite, c *element) shownCase {
	class := c.attr["classname"]
	if class == "" {
		class = suite.attr["name"]
	}
	s := shownCase{key: class + "." + c.attr["name"], name: c.attr["name"], status: "success"}
	if e := c.child("skipped"); e != nil {
		s.status, s.text = "skipped", e.attr["message"]
		return s
	}
	for _, status := range []string{"error", "failure"} {
		if e := c.child(status); e != nil {
			s.status, s.text = status, e.attr["message"]+"\n"+e.text
			break
		}
	}
	return s
}

// testReporter is dorny/test-reporter: groups by class name, text of the first failure or error, no text for skips.
func testReporter(_, c *element) shownCase {
	s := shownCase{key: c.attr["classname"] + "\x00" + c.attr["name"], name: c.attr["name"], status: "success"}
	switch failure, err := c.child("failure"), c.child("error"); {
	case failure != nil:
		s.status, s.text = "failure", failure.text
	case err != nil:
		s.status, s.text = "error", err.text
	case c.child("skipped") != nil:
		s.status = "skipped"
	}
	return s
}

// actionReport is mikepenz/action-junit-report: an annotation with the message, or else the first two lines.
func actionReport(suite, c *element) shownCase {
	s := shownCase{key: suite.attr["name"] + "\x00" + c.attr["name"], name: c.attr["name"], status: "success"}
	for _, status := range []string{"failure", "error", "skipped"} {
		e := c.child(status)
		if e == nil {
			continue
		}
		if s.status, s.text = status, e.attr["message"]; s.text == "" {
			s.text = strings.Join(strings.SplitN(e.text, "\n", 3)[:2], "\n")
		}
		s.text += "\n" + e.text
		break
	}
	return s
}

// buildkite is Buildkite test analytics: scope and name, the text of a failure, of which the first line is its reason.
func buildkite(_, c *element) shownCase {
	s := shownCase{key: c.attr["classname"] + "\x00" + c.attr["name"], name: c.attr["name"], status: "success"}
	for _, status := range []string{"failure", "error", "skipped"} {
		if e := c.child(status); e != nil {
			s.status, s.text = status, e.text
			break
		}
	}
	return s
}

var consumers = []consumer{{"GitLab", gitLab}, {"Jenkins", jenkins}, {"dorny/test-reporter", testReporter}, {"mikepenz/action-junit-report", actionReport}, {"Buildkite", buildkite}}

// attached is what Jenkins and GitLab take for the path of a file to fetch.
var attached = regexp.MustCompile(`\[\[ATTACHMENT\|`)

func TestWhatIsLeftOfAReportInCISystems(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		run := sample()
		text := reporttest.Rendered(t, Write, run)
		if attached.MatchString(text) {
			t.Errorf("%s: a file is attached", name)
		}
		run.Settle()
		root := readElements(t, text)
		for _, who := range consumers {
			t.Run(name+"/"+who.name, func(t *testing.T) {
				t.Parallel()
				byID, counts, keys := map[string]shownCase{}, map[string]int{}, map[string]bool{}
				for _, suite := range root.all("testsuite") {
					for _, c := range suite.all("testcase") {
						s := who.read(suite, c)
						if s.key == "" || keys[s.key] {
							t.Errorf("%q is there twice, or not to be told apart", s.key)
						}
						keys[s.key] = true
						counts[s.status]++
						id, _, _ := strings.Cut(s.name, " ")
						byID[id] = s
					}
				}
				checkCounts(t, run, counts)
				for i := range run.Results {
					checkShown(t, run, &run.Results[i], byID[run.Results[i].ID], who.name)
				}
			})
		}
	}
}

func checkCounts(t *testing.T, run *report.Run, got map[string]int) {
	t.Helper()
	s := run.Summary
	want := map[string]int{"failure": s.Fail, "error": s.Blocked, "skipped": s.Skip + s.Waived, "success": s.Pass + s.Warn}
	if run.Verdict == report.Unreachable || run.Verdict == report.Unauthorized {
		want = map[string]int{"error": 1, "skipped": s.Total()}
	} else if run.Verdict != report.Passed && s.Fail+s.Blocked == 0 {
		want["error"] = 1 // the case that says why it is no pass
	}
	for _, status := range []string{"failure", "error", "skipped", "success"} {
		if got[status] != want[status] {
			t.Errorf("%d cases are shown as %s, want %d", got[status], status, want[status])
		}
	}
	if run.Verdict != report.Passed && got["failure"]+got["error"] == 0 {
		t.Error("a run that is no pass is shown green")
	}
}

// checkShown checks that who reads what the system shows of a result knows what is wrong, and how to see it again.
func checkShown(t *testing.T, run *report.Run, r *report.Result, s shownCase, system string) {
	t.Helper()
	if s.name == "" {
		t.Errorf("%s is not shown", r.ID)
		return
	}
	var wants []string
	switch {
	case s.status == "failure":
		wants = []string{r.ID, show.OneLine(r.Requirement), show.Brief(r.Headline(), 100), show.Visible(phrases.Rerun(run, r))}
	case s.status == "error":
		wants = []string{r.ID, show.OneLine(r.Requirement), show.Brief(show.OneLine(r.BlockedBy()), 100), show.Visible(phrases.Rerun(run, r))}
	case s.status == "skipped" && system != "dorny/test-reporter": // which shows no text of what is skipped
		wants = []string{""}
		if r.Reason != nil && run.Verdict != report.Unreachable {
			wants = []string{show.Brief(show.OneLine(r.Reason.Code), 100)}
		} else if r.Waived() {
			wants = []string{"waived: " + show.Brief(show.OneLine(r.Waiver.Reason), 100)}
		}
		if strings.TrimSpace(s.text) == "" {
			t.Errorf("nothing is shown of why %s was skipped", r.ID)
		}
	}
	for _, c := range run.Causes {
		if c.ID == r.Cause && (s.status == "failure" || s.status == "error") {
			wants = append(wants, show.Brief(show.OneLine(c.Says), 100))
		}
	}
	for _, want := range wants {
		if want = strings.TrimSuffix(want, "…"); !strings.Contains(s.text, want) {
			t.Errorf("%s is shown without %q:\n%s", r.ID, want, s.text)
		}
	}
}
