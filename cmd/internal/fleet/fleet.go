// SPDX-License-Identifier: Apache-2.0

// Package fleet plays a list of targets, on one machine or on several, and brings together what came of it.
//
// A shard divides the list, and never a target: shard i of n plays the targets whose place in the list, counted from 0, leaves i when it is
// divided by n. That depends on the list alone, so that a shard can be played again anywhere, at any time, and by anything that counts:
// a Job of Kubernetes, a matrix of a forge, a loop of a shell. A single target is not divided, because its verdict is about a whole run:
// requirements about every answer are judged on all of them, and counters, limits and lists of the target are those of one run.
//
// There is no scheduler here, and nothing that the shards share while they play. Each writes into a folder of its own: first fleet.json, which
// says what the list is and which part of it will be played ([Manifest]); then, as soon as a target has been played, its reports; at the end
// its overview. So whatever is killed leaves what was measured until then, and who merges the folders knows from any of them what all
// of them should hold ([Merge]): what is missing is said and makes the whole no pass, and of what is there twice the newest complete
// report counts.
package fleet

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
)

// A Listed is one target of a list, as everybody knows it who has read the list.
type Listed struct {
	Name    string            `json:"name"`        // unique in the list, and the name of its folder
	URL     string            `json:"executorUrl"` // as it stands in the list
	Profile string            `json:"profile,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// ReportBase is how the reports of a target are called in its folder, without their extensions.
const ReportBase = "conformance.report"

// List names the targets of a list. Those without a name get one of their URL, and those whose names would be the same on a system
// that does not tell capitals get numbers.
func List(entries []*config.Entry) ([]Listed, error) {
	var problems []error
	taken := map[string]bool{}
	for name := range reserved {
		taken[name] = true
	}
	for _, e := range entries {
		if e.Name != "" {
			if reserved[strings.ToLower(e.Name)] {
				problems = append(problems, fmt.Errorf("%s: %s cannot be the name of a target: a file or a device is called so", e.Place(), e.Name))
			}
			taken[strings.ToLower(e.Name)] = true
		}
	}
	all := make([]Listed, len(entries))
	for i, e := range entries {
		name := e.Name
		if name == "" {
			base := nameOf(e.URL)
			name = base
			for n := 2; taken[strings.ToLower(name)]; n++ {
				name = fmt.Sprintf("%s-%d", base, n)
			}
			taken[strings.ToLower(name)] = true
		}
		all[i] = Listed{Name: name, URL: e.URL, Profile: e.Profile, Labels: e.Labels}
	}
	return all, errors.Join(problems...)
}

// reserved are the names that stand beside the folders of the targets, and those that Windows has for devices.
var reserved = map[string]bool{manifestName: true, "con": true, "prn": true, "aux": true, "nul": true}

func init() {
	for _, kind := range []string{"com", "lpt"} {
		for n := range 10 {
			reserved[fmt.Sprintf("%s%d", kind, n)] = true
		}
	}
	for _, form := range []string{"html", "json", "junit.xml", "md"} {
		reserved["overview."+form] = true
	}
}

// unsafe matches what has no place in the name of a folder.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// longestName is how long a name is that is made of a URL, in bytes.
const longestName = 80

// nameOf makes a name of a URL: "agent.example-8443-agents-1".
func nameOf(address string) string {
	text := address
	if u, err := url.Parse(address); err == nil {
		text = u.Host + u.Path
	}
	name := strings.Trim(unsafe.ReplaceAllString(text, "-"), "-._")
	if len(name) > longestName {
		name = strings.Trim(name[:longestName], "-._")
	}
	if name == "" {
		return "target"
	}
	return name
}

// entries are the targets of a list as an overview has them before anything was played.
func entries(list []Listed, which []int, why func(i int) string) []overview.Entry {
	all := make([]overview.Entry, len(which))
	for k, i := range which {
		t := list[i]
		all[k] = overview.Entry{Index: i, Name: t.Name, Labels: t.Labels, URL: t.URL, Profile: t.Profile, Missing: why(i)}
	}
	return all
}
