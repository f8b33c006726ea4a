// SPDX-License-Identifier: Apache-2.0

package names

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/schemagen"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// ValueFor is ${fits.schema}, a value that fits a schema the target has sent, ${fits.schema.edge}, one that only just does, ${fits.schema.least}, one
// without what is not required, and ${breaks.schema.way}, one that breaks it in one way. The same schema always gives the same value.
func (s *Scope) ValueFor(family, rest string, cells map[string]any) (any, error) {
	name, way, _ := strings.Cut(rest, ".")
	schema, found := s.Find(name)
	if !found {
		return nil, fmt.Errorf("nothing called ${%s} has been kept", name)
	}
	if cell, is := strings.CutPrefix(way, "case."); is {
		way, _ = cells[cell].(string)
	}
	if family == "fits" && way == suites.Edge {
		return schemagen.Edge(schema)
	}
	if family == "fits" && way == suites.Least {
		return schemagen.Least(schema)
	}
	value, err := schemagen.Make(schema)
	if err != nil || family == "fits" {
		return value, err
	}
	for _, one := range suites.Ways {
		if one == "required" && way == "" {
			continue // it shows at no place in the value
		}
		if way == one || way == "" {
			if broken, found := schemagen.Break(schema, one); found {
				return broken, nil
			}
		}
	}
	return nil, &target.Skipped{Reason: report.Reason{Code: "when-present:schema-" + cmp.Or(way, "constraint"),
		Detail: "the schema ${" + name + "} has nothing that can be broken in this way"}}
}
