// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

var collateral = flag.Bool("collateral", false, "play all tests under every fault, to see what else it changes")

var only = flag.String("only", "", "prove only the tests whose id begins with one of these, comma separated")

// TestEveryCheckCanFail is the self-test of the bundled suites. With -only CARD-,SSE-001 it proves a part of them:
//
//	go test ./reference-executor/selftest -run TestEveryCheckCanFail -v -args -only CARD-
func TestEveryCheckCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("the self-test takes minutes")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	options := Options{Vacuous: true, Narrow: !*collateral, Progress: func(line string) { t.Log(line) }}
	if *only != "" {
		options.Vacuous = false
		options.Tests = idsWithPrefix(t, strings.Split(*only, ","))
	}
	r, err := Run(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
	t.Log(r.Sentence())
}

func idsWithPrefix(t *testing.T, prefixes []string) []string {
	profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, test := range profile.Tests() {
		for _, prefix := range prefixes {
			if strings.HasPrefix(test.ID, prefix) {
				ids = append(ids, test.ID)
			}
		}
	}
	if len(ids) == 0 {
		t.Fatalf("no test's id begins with %q", prefixes)
	}
	return ids
}
