// SPDX-License-Identifier: Apache-2.0

// Package profiles is the table of what each profile brings besides its suites, its catalog and its rulings: how its target is
// found and looked at first, and the words in which reports speak of it. A profile more is a folder of suites, its catalog in
// suites/catalog, and a row here.
//
// What proves a profile, its reference server with the faults and the deployments, stands in reference-executor/selftest, since
// neither side may know the other.
package profiles

import "slices"

// Default is the profile that is meant where none is named.
const Default = "agentic-sandbox-v2"

// A Finding is a way to find the target at the URL that was given, and to look at it before anything is judged.
type Finding int

const (
	// AnExecutor asks for the instances, takes one, and tries its tasks, its card and the tokens.
	AnExecutor Finding = iota

	// AnAgent asks for the card where A2A has it (A2A 1.0, 8.2), and then for the interfaces that the card declares.
	AnAgent

	// AServer takes the URL as it is, and tries the tasks and the card below it.
	AServer
)

// A Profile is a row of the table.
type Profile struct {
	Name    string // the folder of its suites: "agentic-sandbox-v2"
	Finds   Finding
	Judges  string // what is judged, with its article: "an executor"
	Address string // what --executor-url leads to: "the URL of an instance"
}

// All are the profiles that the program knows.
var All = []Profile{
	{Name: Default, Finds: AnExecutor, Judges: "an executor", Address: "the URL of an instance"},
	{Name: "a2a-1.0", Finds: AnAgent, Judges: "a server", Address: "the address of this agent"},
}

// Of is the row of a profile. One that the table does not name is judged as the default one is.
func Of(name string) Profile {
	if i := slices.IndexFunc(All, func(p Profile) bool { return p.Name == name }); i >= 0 {
		return All[i]
	}
	p := All[0]
	p.Name = name
	return p
}
