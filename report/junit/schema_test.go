// SPDX-License-Identifier: Apache-2.0

package junit

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// A form is what a schema says of an element: the subset of XML Schema that junit-10.xsd uses, in which every child may come in
// any order and any number.
type form struct {
	attributes map[string]*regexp.Regexp // nil: any text
	required   []string
	children   []string
	text       bool
}

// readForms reads the schema that Jenkins' xUnit plugin holds JUnit files against.
func readForms(t *testing.T) map[string]form {
	t.Helper()
	text, err := os.ReadFile("testdata/junit-10.xsd")
	if err != nil {
		t.Fatal(err)
	}
	patterns, forms := map[string]*regexp.Regexp{}, map[string]form{}
	schema := readElements(t, string(text))
	for _, e := range schema.all("simpleType") {
		patterns[e.attr["name"]] = regexp.MustCompile("^(?:" + e.child("restriction").child("pattern").attr["value"] + ")$")
	}
	for _, e := range schema.all("element") {
		f := form{attributes: map[string]*regexp.Regexp{}, text: e.attr["type"] == "xs:string"}
		var walk func(*element)
		walk = func(inner *element) {
			switch inner.name {
			case "complexType":
				f.text = f.text || inner.attr["mixed"] == "true"
			case "element":
				f.children = append(f.children, inner.attr["ref"])
			case "attribute":
				f.attributes[inner.attr["name"]] = patterns[inner.attr["type"]]
				if inner.attr["use"] == "required" {
					f.required = append(f.required, inner.attr["name"])
				}
			}
			for _, c := range inner.children {
				walk(c)
			}
		}
		for _, c := range e.children {
			walk(c)
		}
		forms[e.attr["name"]] = f
	}
	return forms
}

// unlike lists what is not as the forms want it.
func unlike(forms map[string]form, e *element) []string {
	f, known := forms[e.name]
	if !known {
		return []string{fmt.Sprintf("there is no <%s>", e.name)}
	}
	var wrong []string
	for name, value := range e.attr {
		switch pattern, allowed := f.attributes[name]; {
		case !allowed:
			wrong = append(wrong, fmt.Sprintf("<%s> has no attribute %s", e.name, name))
		case pattern != nil && !pattern.MatchString(value):
			wrong = append(wrong, fmt.Sprintf("%s of <%s> is %q", name, e.name, value))
		}
	}
	for _, name := range f.required {
		if _, has := e.attr[name]; !has {
			wrong = append(wrong, fmt.Sprintf("<%s> lacks %s", e.name, name))
		}
	}
	if !f.text && strings.TrimSpace(e.text) != "" {
		wrong = append(wrong, fmt.Sprintf("<%s> holds text", e.name))
	}
	for _, c := range e.children {
		if !slices.Contains(f.children, c.name) {
			wrong = append(wrong, fmt.Sprintf("<%s> has no <%s>", e.name, c.name))
		}
		wrong = append(wrong, unlike(forms, c)...)
	}
	return wrong
}

func TestJUnitIsValidForJenkins(t *testing.T) {
	t.Parallel()
	forms := readForms(t)
	for name, run := range map[string]*report.Run{
		"every outcome": reporttest.EveryOutcome(), "hostile": reporttest.HostileRun(), "root causes": reporttest.CommonCauses(), "unreachable": reporttest.Unreachable(),
		"interrupted": reporttest.Interrupted(), "diagnostic": reporttest.Diagnostic(), "empty": reporttest.Empty(), "all passed": reporttest.AllPassed(),
		"waived": reporttest.Waived(), "streams": reporttest.Streamed(),
	} {
		root := readElements(t, reporttest.Rendered(t, Write, run))
		for _, wrong := range unlike(forms, root) {
			t.Errorf("%s: %s", name, wrong)
		}
		for _, count := range []string{"tests", "failures", "errors"} {
			if root.attr[count] == "" {
				t.Errorf("%s: <testsuites> does not count %s", name, count)
			}
		}
	}
}

// TestTheSchemaRefuses: the reading of the schema sees what is wrong.
func TestTheSchemaRefuses(t *testing.T) {
	t.Parallel()
	forms := readForms(t)
	for _, row := range []struct{ text, want string }{
		{`<testsuites skipped="1"></testsuites>`, "<testsuites> has no attribute skipped"},
		{`<testsuites><testsuite name="s" tests="1" failures="0"></testsuite></testsuites>`, "<testsuite> lacks errors"},
		{`<testsuites><testcase name="c"></testcase></testsuites>`, "<testsuites> has no <testcase>"},
		{`<testsuites time="1,5 s"></testsuites>`, `time of <testsuites> is "1,5 s"`},
		{`<testsuites>words</testsuites>`, "<testsuites> holds text"},
		{`<report></report>`, "there is no <report>"},
	} {
		if got := unlike(forms, readElements(t, row.text)); !slices.Equal(got, []string{row.want}) {
			t.Errorf("%s: wrong are %q, want %q", row.text, got, row.want)
		}
	}
}

// TestInstancesDoNotCollide: the files of a deployment's instances name no case alike, and those of other runs keep their names.
func TestInstancesDoNotCollide(t *testing.T) {
	t.Parallel()
	names := func(instance string, flags ...report.Flag) []string {
		run := reporttest.EveryOutcome()
		run.Target.InstanceID, run.Flags = instance, flags
		var all []string
		for _, suite := range readElements(t, reporttest.Rendered(t, Write, run)).all("testsuite") {
			for _, c := range suite.all("testcase") {
				all = append(all, c.attr["classname"]+" "+c.attr["name"])
			}
		}
		return all
	}
	every := report.Flag{Name: "all-instances", Value: "true"}
	one, other := names("one", every), names("two.three", every)
	for i := range one {
		if slices.Contains(other, one[i]) {
			t.Errorf("both instances have %s", one[i])
		}
	}
	if want := "agentic-sandbox-v2.two_three.auth AUTH-004 "; !strings.HasPrefix(other[0], want) {
		t.Errorf("the first case is %s, want it to begin with %s", other[0], want)
	}
	if !slices.Equal(names("one"), names("two.three")) {
		t.Error("a run of a single instance names it")
	}
}
