// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// maxBits is how large a number of skips may be.
const maxBits = 20

// A SkipBudget is how many skips are allowed for which reason, as it has been read; whether its reasons exist shows when the
// suites are there.
type SkipBudget struct {
	*yamltext.File
	most  []report.Budget
	codes []*yaml.Node
}

// ReadSkipBudget reads one. What is wrong with it is collected.
func ReadSkipBudget(path string) (*SkipBudget, error) {
	file, err := yamltext.ReadFile(path, "--skip-budget")
	if err != nil {
		return nil, err
	}
	if file.Root == nil {
		return nil, fmt.Errorf("--skip-budget: %s names no reason", path)
	}
	return budgetOf(file), nil
}

func budgetOf(file *yamltext.File) *SkipBudget {
	b := &SkipBudget{File: file}
	if b.Root.Kind != yaml.MappingNode {
		b.Problem(b.Root, "a skip budget is a mapping from reasons to the most skips for each, like no-hook:restart: 3")
		return b
	}
	b.Members(b.Root, func(code string, at, value *yaml.Node) {
		most, err := strconv.ParseUint(value.Value, 10, maxBits)
		if value.Kind != yaml.ScalarNode || err != nil {
			b.Problem(value, "%s is no number of skips, want 0 or more", code)
		}
		b.most, b.codes = append(b.most, report.Budget{Code: code, Most: int(most)}), append(b.codes, at)
	})
	return b
}

// Against checks the reasons against those that a test can give, and is what is wrong with the file altogether.
func (b *SkipBudget) Against(profile *suites.Profile) error {
	known := needs.Reasons(profile)
	for i, entry := range b.most {
		covers := func(code string) bool { return report.MatchesReason(entry.Code, code) }
		if entry.Code != report.BudgetOthers && !slices.ContainsFunc(known, covers) {
			b.Problem(b.codes[i], "no test is skipped for %q%s", entry.Code, spelling.DidYouMean(entry.Code, append(known, report.BudgetOthers)))
		}
	}
	return b.Wrong()
}

// Budget is what a run is held to.
func (b *SkipBudget) Budget() *report.SkipBudget {
	return &report.SkipBudget{Name: filepath.Base(b.Path), SHA256: b.SHA256, Most: b.most}
}
