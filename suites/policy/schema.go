// SPDX-License-Identifier: Apache-2.0

package policy

import "github.com/roctinam/agentic-sandbox-conformance/report"

// BaselineSchema is the JSON Schema of a baseline, made from what its reader reads by.
func BaselineSchema() map[string]any {
	properties := map[string]any{}
	var required []any
	for _, key := range entryKeys {
		property := map[string]any{"description": key.means, "type": []any{"string", "number", "boolean"}, "pattern": `\S`}
		if key.form != "" {
			property["type"], property["pattern"] = "string", key.form
		}
		properties[key.name] = property
		if !key.optional {
			required = append(required, key.name)
		}
	}
	return map[string]any{
		"title":       "Baseline",
		"description": "Failures that are known and accepted for now (--baseline). docs/policy.md is the reference.",
		"type":        "array",
		"items":       map[string]any{"type": "object", "additionalProperties": false, "required": required, "properties": properties},
	}
}

// SkipBudgetSchema is the JSON Schema of a skip budget.
func SkipBudgetSchema() map[string]any {
	number := map[string]any{"type": "integer", "minimum": 0, "maximum": 1<<maxBits - 1}
	others := map[string]any{"description": "Skips for every reason that is not named; without it they are not limited."}
	for key, value := range number {
		others[key] = value
	}
	return map[string]any{
		"title":       "Skip budget",
		"description": "How many tests may be skipped for which reason (--skip-budget). A star in a reason matches any characters. docs/policy.md is the reference.",
		"type":        "object", "minProperties": 1,
		"properties":           map[string]any{report.BudgetOthers: others},
		"additionalProperties": number,
	}
}
