// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

// A budgetFile is a skip budget that has been read; whether its reasons exist shows when the suites are there.
type budgetFile struct {
	*yamlFile
	most  []report.Budget
	codes []*yaml.Node
}

// readSkipBudget reads how many skips are allowed for which reason. What is wrong with it is collected.
func readSkipBudget(path string) (*budgetFile, error) {
	file, err := readYAML(path, "--skip-budget")
	if err != nil {
		return nil, err
	}
	if file.root == nil {
		return nil, usage("--skip-budget: %s names no reason", path)
	}
	return budgetOf(file), nil
}

func budgetOf(file *yamlFile) *budgetFile {
	b := &budgetFile{yamlFile: file}
	if b.root.Kind != yaml.MappingNode {
		b.problem(b.root, "a skip budget is a mapping from reasons to the most skips for each, like no-hook:restart: 3")
		return b
	}
	b.members(b.root, func(code string, at, value *yaml.Node) {
		most, err := strconv.ParseUint(value.Value, 10, 20)
		if value.Kind != yaml.ScalarNode || err != nil {
			b.problem(value, "%s is no number of skips, want 0 or more", code)
		}
		b.most, b.codes = append(b.most, report.Budget{Code: code, Most: int(most)}), append(b.codes, at)
	})
	return b
}

// against checks the reasons against those that a test can give, and is what is wrong with the file altogether.
func (b *budgetFile) against(profile *suites.Profile) error {
	known := needs.Reasons(profile)
	for i, entry := range b.most {
		covers := func(code string) bool { return report.MatchesReason(entry.Code, code) }
		if entry.Code != report.BudgetOthers && !slices.ContainsFunc(known, covers) {
			b.problem(b.codes[i], "no test is skipped for %q%s", entry.Code, didYouMean(entry.Code, append(known, report.BudgetOthers)))
		}
	}
	return b.wrong()
}

func (b *budgetFile) budget() *report.SkipBudget {
	return &report.SkipBudget{Name: filepath.Base(b.path), SHA256: b.sha256, Most: b.most}
}
