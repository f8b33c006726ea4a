// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// A Baseline is a list of failures that are accepted for now, as it has been read; whether its tests exist shows when the suites
// are there.
type Baseline struct {
	*yamltext.File
	entries []report.Accepted
	ids     []*yaml.Node // of the entries; nil where an entry has none
}

// An entryKey is what an entry of a baseline holds.
type entryKey struct {
	name, means string
	optional    bool
	form        string // a regular expression; empty: any text
	text        func(*report.Accepted) *string
}

// entryKeys are what the reader and the schema are made of.
var entryKeys = []entryKey{
	{"id", "The id of the test.", false, "", func(e *report.Accepted) *string { return &e.ID }},
	{"reason", "Why the failure is accepted.", false, "", func(e *report.Accepted) *string { return &e.Reason }},
	{"owner", "Who mends it.", false, "", func(e *report.Accepted) *string { return &e.Owner }},
	{"issue", "Where it is followed up.", true, "", func(e *report.Accepted) *string { return &e.Issue }},
	{"expires", "The last day on which the entry is valid, in UTC: 2027-01-31.", false, `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, func(e *report.Accepted) *string { return &e.Expires }},
}

func entryNames() []string {
	names := make([]string, len(entryKeys))
	for i := range entryKeys {
		names[i] = entryKeys[i].name
	}
	return names
}

// ReadBaseline reads a list of failures that are accepted for now. What is wrong with it is collected.
func ReadBaseline(path string) (*Baseline, error) {
	file, err := yamltext.ReadFile(path, "--baseline")
	if err != nil {
		return nil, err
	}
	return baselineOf(file), nil
}

func baselineOf(file *yamltext.File) *Baseline {
	b := &Baseline{File: file}
	switch {
	case b.Root == nil:
	case b.Root.Kind != yaml.SequenceNode:
		b.Problem(b.Root, "a baseline is a list of entries, each with %s", strings.Join(entryNames(), ", "))
	default:
		for _, n := range b.Root.Content {
			b.entry(n)
		}
	}
	return b
}

func (b *Baseline) entry(n *yaml.Node) {
	e := report.Accepted{At: b.Place(n)}
	if n.Kind != yaml.MappingNode {
		b.Problem(n, "an entry of a baseline is a mapping with %s", strings.Join(entryNames(), ", "))
		return
	}
	var id *yaml.Node
	members := map[string]*string{}
	for _, key := range entryKeys {
		members[key.name] = key.text(&e)
	}
	given := map[string]bool{}
	b.Members(n, func(key string, at, value *yaml.Node) {
		given[key] = true
		text := members[key]
		switch {
		case text == nil:
			b.Problem(at, "an entry of a baseline has no %q%s", key, spelling.DidYouMean(key, entryNames()))
		case value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null" || strings.TrimSpace(value.Value) == "":
			b.Problem(value, "%s is empty; it is a text", key)
		default:
			*text = strings.TrimSpace(value.Value)
		}
		if key == "id" {
			id = value
		}
		if key == "expires" && e.Expires != "" {
			if _, err := time.Parse(time.DateOnly, e.Expires); err != nil {
				b.Problem(value, "expires is %q, want the last day it holds, like 2027-01-31", e.Expires)
			}
		}
	})
	for _, key := range entryKeys {
		if !given[key.name] && !key.optional {
			b.Problem(n, "the entry lacks its %s", key.name)
		}
	}
	b.entries, b.ids = append(b.entries, e), append(b.ids, id)
}

// WithoutSecrets refuses entries that hold a token of the run: what they say stands in every report.
func (b *Baseline) WithoutSecrets(tokens map[string]string) {
	const shortest = 8 // what is shorter is found by chance
	for i, e := range b.entries {
		for _, identity := range slices.Sorted(maps.Keys(tokens)) {
			text := strings.Join([]string{e.ID, e.Reason, e.Owner, e.Issue}, "\n")
			if token := tokens[identity]; len(token) >= shortest && strings.Contains(text, token) {
				b.Errs = append(b.Errs, fmt.Errorf("%s: the entry holds the token of %s, and would show it in every report", b.entries[i].At, identity))
				b.entries[i] = report.Accepted{At: e.At} // no other error shows it either
				break
			}
		}
	}
}

// Against checks the entries against the tests that there are, and is what is wrong with the file altogether.
func (b *Baseline) Against(profile *suites.Profile) error {
	tests := map[string]*suites.Test{}
	var known []string
	for _, t := range profile.Tests() {
		tests[t.ID] = t
		known = append(known, t.ID)
	}
	first := map[string]string{}
	for i, e := range b.entries {
		if e.ID == "" {
			continue
		}
		t, at := tests[e.ID], b.ids[i]
		switch {
		case first[e.ID] != "":
			b.Problem(at, "%s has an entry already, at %s", e.ID, first[e.ID])
			continue
		case t == nil:
			if other := profileOf(e.ID, profile.Name); other != "" {
				b.Problem(at, "%s is a test of %s, and the run is judged by %s; is this the baseline of another gate?", e.ID, other, profile.Name)
				continue
			}
			b.Problem(at, "there is no test %q%s; list shows the ids", e.ID, spelling.DidYouMean(e.ID, known))
		case t.Level != suites.Must && t.Level != suites.MustNot:
			b.Problem(at, "%s is a %s, which never fails a run, so there is nothing to waive; remove the entry", e.ID, t.Level)
		}
		first[e.ID] = b.Place(at)
	}
	return b.Wrong()
}

// profileOf is another profile than the one that a run is judged by, which has a test; "" where none has it.
func profileOf(id, judged string) string {
	for _, name := range catalog.Profiles() {
		requirements, err := catalog.Of(name)
		if err == nil && name != judged && slices.ContainsFunc(requirements, func(r catalog.Requirement) bool { return r.ID == id }) {
			return name
		}
	}
	return ""
}

// On is the baseline as it holds on a day.
func (b *Baseline) On(now time.Time) *report.Baseline {
	return &report.Baseline{
		Name: filepath.Base(b.Path), SHA256: b.SHA256, Day: now.UTC().Format(time.DateOnly), Entries: b.entries,
	}
}
