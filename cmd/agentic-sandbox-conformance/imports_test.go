// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport says who imports whom. One way, no cycle; the reference servers share nothing with the harness that judges them, so that they
// cannot share its mistakes. Tests may import more. An import more is a decision: write it here, and see that go generate ./docs does not
// lift more packages than you meant to.
var mayImport = map[string][]string{
	"cmd/agentic-sandbox-conformance": {
		"cmd/internal/config", "cmd/internal/console", "cmd/internal/demo", "cmd/internal/lookup", "cmd/internal/memory", "reference-executor/selftest", "reference-executor/selftest/mutants", "suites/runner", "suites/runner/doctor", "suites/runner/secrets", "suites/runner/target", "suites", "suites/catalog", "suites/coverage", "suites/explain", "suites/needs", "suites/policy", "suites/profiles", "report", "report/attest", "report/formats", "report/markdown", "report/phrases", "reference-executor/executor", "reference-executor/plain", "assertions/spelling", "cmd/internal/fleet", "report/overview", "report/show", "reference-executor/fleet", "reference-executor/appserver", "reference-executor/remoteruntime",
		"schemas", "docs",
	},
	"cmd/bench":                        {"cmd/internal/peak"},
	"cmd/gauntlet":                     {"cmd/internal/peak", "fixtures/gauntlet", "schemas"},
	"cmd/internal/config":              {"assertions/spelling", "cmd/internal/console", "docs", "report", "schemas", "suites", "suites/explain", "suites/needs", "suites/profiles", "suites/runner", "suites/yamltext"},
	"cmd/internal/console":             {"report", "report/phrases", "suites", "suites/runner", "suites/runner/spent"},
	"cmd/internal/demo":                {"cmd/internal/console", "reference-executor/executor", "reference-executor/plain", "suites/profiles", "suites/runner", "suites/runner/process", "suites/runner/target", "reference-executor/fleet", "reference-executor/appserver"},
	"cmd/internal/fleet":               {"cmd/internal/config", "report", "report/formats", "report/overview", "report/show"},
	"cmd/internal/lookup":              {"assertions/spelling", "docs", "report/phrases", "suites", "suites/catalog", "suites/coverage", "suites/explain", "suites/hooks", "suites/needs", "suites/profiles"},
	"cmd/internal/memory":              {},
	"cmd/internal/peak":                {},
	"cmd/release":                      {"report/attest"},
	"cmd/site":                         {"cmd/internal/lookup", "docs", "suites", "suites/catalog", "suites/coverage", "suites/explain", "suites/profiles", "suites/sources"},
	"fixtures/peers/versions":          {},
	"reference-executor":               {"reference-executor/executor", "reference-executor/plain", "reference-executor/fleet", "reference-executor/appserver"},
	"reference-executor/selftest":      {"reference-executor/selftest/faultsets", "reference-executor/selftest/mutants", "reference-executor/selftest/reviewed", "report/show", "reference-executor/executor", "reference-executor/plain", "suites/runner", "suites", "suites/hooks", "suites/profiles", "report", "assertions", "reference-executor/fleet", "reference-executor/appserver"},
	"suites/conformance":               {"assertions/spelling", "docs", "report", "report/formats", "report/phrases", "report/show", "suites", "suites/catalog", "suites/policy", "suites/profiles", "suites/runner", "suites/runner/target"},
	"suites/runner":                    {"suites", "suites/hooks", "suites/profiles", "suites/runner/a2agrpc", "suites/runner/budget", "suites/runner/consistency", "suites/runner/jsontext", "suites/runner/layout", "suites/runner/plaintext", "suites/runner/readers", "suites/runner/applies", "suites/runner/names", "suites/runner/order", "suites/runner/observe", "suites/runner/openapi", "suites/runner/ptyws", "suites/runner/secrets", "suites/runner/subjects", "suites/runner/target", "suites/runner/wire", "suites/runner/wholerun", "assertions", "assertions/pointer", "report", "report/show", "suites/runner/evidence", "suites/runner/sights", "suites/runner/repro", "suites/runner/webhooks", "suites/runner/operator", "suites/runner/verdict", "suites/runner/undo", "suites/runner/dialect", "suites/runner/weight", "suites/runner/pulse", "suites/runner/slots", "suites/runner/spent", "suites/runner/traits", "suites/timebudget"},
	"suites/runner/applies":            {"report", "suites", "suites/hooks", "suites/profiles", "suites/runner/next", "suites/runner/target", "suites/runner/verdict"},
	"suites/runner/names":              {"report", "suites", "suites/runner/schemagen", "suites/runner/target"},
	"suites/runner/order":              {"suites", "suites/hooks", "suites/profiles", "suites/timebudget"},
	"suites/timebudget":                {"suites"},
	"suites/runner/a2agrpc":            {"suites/runner/jsontext", "suites/runner/readers", "suites/runner/wire", "suites"},
	"suites/runner/budget":             {},
	"suites/runner/consistency":        {"assertions"},
	"suites/runner/layout":             {},
	"suites/runner/dialect":            {"report", "suites/runner/plaintext", "suites/runner/ptyws", "suites/runner/readers", "report/show"},
	"suites/runner/doctor":             {"suites/runner/dialect", "suites/runner/operator", "suites/runner/ptyws", "suites/profiles", "suites", "suites/runner/jsontext", "suites/runner/plaintext", "suites/runner/readers", "suites/runner/secrets", "suites/runner/target", "suites/runner/wire", "assertions", "report", "report/show"},
	"suites/runner/evidence":           {"report", "suites", "suites/runner/plaintext", "suites/runner/secrets", "suites/runner/target"},
	"suites/runner/jsontext":           {"assertions"},
	"suites/runner/next":               {"report", "suites/profiles", "suites/runner/target", "suites/yamltext"},
	"suites/runner/observe":            {},
	"suites/runner/openapi":            {"assertions", "assertions/pointer", "suites/runner/budget", "suites/runner/jsontext", "suites/runner/observe"},
	"suites/runner/operator":           {"assertions", "report", "suites", "suites/hooks", "suites/runner/jsontext", "suites/runner/orphans", "suites/runner/plaintext", "suites/runner/process", "suites/runner/readers", "suites/runner/redact", "suites/runner/secrets", "suites/runner/slots", "suites/runner/target", "suites/runner/wire", "report/show"},
	"suites/runner/orphans":            {},
	"suites/runner/plaintext":          {},
	"suites/runner/process":            {},
	"suites/runner/pulse":              {},
	"suites/runner/ptyws":              {"suites/runner/jsontext", "suites/runner/readers", "assertions"},
	"suites/runner/readers":            {"suites/runner/jsontext", "suites", "assertions", "report"},
	"suites/runner/redact":             {},
	"suites/runner/repro":              {"suites/profiles", "suites/runner/a2agrpc", "suites/runner/redact", "suites/runner/secrets", "suites/runner/target"},
	"suites/runner/schemagen":          {"assertions", "assertions/pointer"},
	"suites/runner/secrets":            {"suites/runner/observe", "suites/runner/redact", "suites/runner/target", "suites/runner/wire", "report"},
	"suites/runner/sights":             {"assertions", "suites", "suites/runner/evidence", "suites/runner/jsontext", "suites/runner/observe", "suites/runner/ptyws", "suites/runner/readers", "suites/runner/subjects", "suites/runner/target", "suites/runner/traits", "suites/runner/wire"},
	"suites/runner/slots":              {},
	"suites/runner/spent":              {},
	"suites/runner/subjects":           {"suites", "suites/runner/jsontext", "suites/runner/observe", "suites/runner/readers", "suites/runner/target", "assertions", "report"},
	"suites/runner/target":             {"suites/profiles", "suites/hooks", "suites", "suites/runner/a2agrpc", "suites/runner/jsontext", "suites/runner/plaintext", "suites/runner/readers", "suites/runner/wire", "assertions", "report"},
	"suites/runner/traits":             {"assertions", "suites", "suites/runner/jsontext", "suites/runner/observe", "suites/runner/readers"},
	"suites/runner/undo":               {"suites/profiles", "suites/runner/jsontext", "suites/runner/readers", "suites/runner/target"},
	"suites/runner/verdict":            {"report", "suites", "suites/runner/readers", "suites/runner/target", "report/show"},
	"suites/runner/webhooks":           {"assertions", "suites/runner/budget", "suites/runner/evidence", "suites/runner/jsontext", "suites/runner/observe", "suites/runner/readers", "suites/runner/subjects", "suites/runner/target", "suites/runner/wire", "report/show"},
	"suites/runner/weight":             {"report", "suites/runner/budget", "suites/runner/jsontext", "suites/runner/subjects"},
	"suites/runner/wire":               {"suites/runner/jsontext", "suites", "assertions"},
	"suites/runner/wholerun":           {"suites/runner/budget", "suites/runner/consistency", "suites/runner/jsontext", "suites/runner/observe", "suites/runner/readers", "suites/runner/target", "assertions"},
	"suites":                           {"suites/hooks", "suites/profiles", "suites/yamltext", "assertions", "assertions/spelling", "schemas"},
	"suites/yamltext":                  {},
	"suites/catalog":                   {"report"},
	"suites/explain":                   {"suites", "suites/catalog", "suites/hooks", "suites/sources", "suites/timebudget", "assertions"},
	"suites/sources":                   {},
	"suites/coverage":                  {"suites", "suites/catalog", "suites/explain", "suites/needs"},
	"suites/hooks":                     {},
	"suites/profiles":                  {"suites/hooks"},
	"suites/needs":                     {"suites", "suites/hooks"},
	"suites/policy":                    {"suites", "suites/catalog", "suites/needs", "suites/yamltext", "assertions/spelling", "report"},
	"assertions":                       {"assertions/pointer", "schemas"},
	"reference-executor/executor":      {"reference-executor/executor/pty", "reference-executor/far", "reference-executor/port", "reference-executor/points", "reference-executor/lawful"},
	"reference-executor/points":        {},
	"reference-executor/lawful":        {},
	"reference-executor/far":           {},
	"reference-executor/port":          {"reference-executor/far"},
	"reference-executor/port/porttest": {"reference-executor/port"},
	"reference-executor/plain":         {"reference-executor/far", "reference-executor/port", "reference-executor/points", "reference-executor/lawful"},
	"reference-executor/fleet":         {"reference-executor/port", "reference-executor/points", "reference-executor/lawful"},
	"docs":                             {"suites/hooks", "suites/profiles"},
	"report":                           {"report/show", "suites/profiles"},
	"report/formats": {
		"report", "report/show", "assertions/spelling",
		"report/github", "report/html", "report/junit", "report/markdown", "report/overview",
	},
	"report/github":       {"report", "report/show"},
	"report/html":         {"report", "report/overview", "report/phrases", "report/show", "suites/sources"},
	"report/junit":        {"report", "report/overview", "report/phrases", "report/show"},
	"report/markdown":     {"report", "report/overview", "report/phrases", "report/show", "suites/sources"},
	"report/overview":     {"report", "report/show"},
	"report/phrases":      {"report", "report/show", "suites/profiles"},
	"report/reporttest":   {"report", "report/overview"},
	"report/show":         {},
	"assertions/pointer":  {},
	"assertions/spelling": {},
	"report/attest":       {"report"},
	"fixtures":            {},
	"fixtures/gauntlet":   {},
	"fixtures/encodings":  {},
	"fixtures/greeter":    {"suites/hooks", "suites/profiles"},
	"schemas":             {},

	"reference-executor/executor/pty":            {"reference-executor/executor/pty/outbox", "reference-executor/executor/pty/strictjson", "reference-executor/executor/pty/terminal", "reference-executor/executor/pty/websocket", "reference-executor/lawful"},
	"reference-executor/executor/pty/outbox":     {},
	"reference-executor/executor/pty/strictjson": {},
	"reference-executor/executor/pty/terminal":   {},
	"reference-executor/executor/pty/websocket":  {},

	"reference-executor/appserver":     {"reference-executor/port", "reference-executor/points", "reference-executor/lawful"},
	"reference-executor/remoteruntime": {"reference-executor/port"},

	"reference-executor/selftest/faultsets": {"reference-executor/selftest/reviewed", "report"},
	"reference-executor/selftest/mutants":   {"reference-executor/selftest/reviewed"},
	"reference-executor/selftest/reviewed":  {},
}

// readsYAML are the packages that may import the YAML reader: it reads suites, the configuration file, and the reviewed reasons of the self-test.
var readsYAML = []string{"suites", "suites/policy", "suites/yamltext", "cmd/internal/config", "reference-executor/selftest/reviewed"}

// TestImports: what a package imports of ours is what the table says, in all builds together.
func TestImports(t *testing.T) {
	t.Parallel()
	const module = "github.com/roctinam/agentic-sandbox-conformance/"
	imports := map[string]map[string]bool{}
	for _, build := range [][2]string{{"linux", ""}, {"linux", "nogrpc"}, {"windows", ""}, {"darwin", ""}} {
		list := exec.Command("go", "list", "-tags", build[1], "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
		list.Dir = "../.."
		list.Env = append(os.Environ(), "GOOS="+build[0])
		var stderr bytes.Buffer
		list.Stderr = &stderr
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, &stderr)
		}
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			name := strings.TrimPrefix(fields[0], module)
			if imports[name] == nil {
				imports[name] = map[string]bool{}
			}
			for _, path := range fields[1:] {
				if other, ours := strings.CutPrefix(path, module); ours {
					imports[name][other] = true
				}
				if strings.HasPrefix(path, "go.yaml.in/yaml/") && !slices.Contains(readsYAML, name) {
					t.Errorf("%s imports the YAML reader", name)
				}
			}
		}
	}
	for name, some := range imports {
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %s is not in the table", name)
		}
		for other := range some {
			if !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s, which the table does not allow", name, other)
			}
		}
		for _, other := range allowed {
			if !some[other] {
				t.Errorf("the table allows %s to import %s, which it does not do in any build: strike it", name, other)
			}
		}
	}
	for name := range mayImport {
		if imports[name] == nil {
			t.Errorf("the table has a package %s, which is not there", name)
		}
	}
	if len(imports) < 60 {
		t.Errorf("go list shows %d packages, which cannot be all", len(imports))
	}
}
