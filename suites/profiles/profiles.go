// SPDX-License-Identifier: Apache-2.0

// Package profiles is the table of what each profile brings besides its suites, its catalog and its rulings: how its target is
// found and looked at first, what its operator can configure, and the words in which the program speaks of it. The engine reads
// the row of the profile that is played, and knows no profile by its name. A profile more is a folder of suites, its catalog in
// suites/catalog, a file here with its row, and a line in [All].
//
// What proves a profile, its reference server with the faults and the deployments, stands in reference-executor/selftest, since
// neither side may know the other.
package profiles

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

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

// A Profile is a row of the table. What has no word of what it is when it is empty, every row needs.
type Profile struct {
	Name  string // the folder of its suites: "agentic-sandbox-v2"
	Finds Finding

	Contract string // what its suites judge by: "A2A specification 1.0.1"; empty: it goes by the name

	Judges  string // what is judged, with its article: "an executor"
	Address string // what --executor-url leads to: "the URL of an instance"
	Doubt   string // what whoever mistook that URL should ask himself: "is this an agentic-sandbox executor?"
	Nobody  string // what is said of a URL at which nothing of the profile is served: "there is no instance of an executor"; empty: it is judged all the same
	Give    string // what is to be given instead: "the URL of a deployment or of one of its instances"
	Hands   string // the member of their answers that is a credential, and stands in no report: "session_api_key"; empty: none
	Mark    string // stands in the answers of such targets, and tells them from those of other profiles; empty: nothing does

	Foremost []string // the surfaces that a run without the time for everything measures first, in this order; empty: all are alike

	Documented bool       // targets describe themselves in an OpenAPI document: the JSON answers of a run are kept to be held against it
	Paced      bool       // targets refuse requests that come too fast with 429, which says nothing of what was asked: such a request is sent once more when they allow it
	Slashes    bool       // a redirect to the same path with a slash at its end is followed, but for a request that is to be sent exactly as it is written
	LooksAt    string     // of AServer: the path below the URL that is asked first, with credentials and without; empty: tasks, and the card
	Starts     []Starting // what requests of suites start that makes something later, which is to be removed; empty: nothing
	Creates    []Making   // what requests of suites make that is to be removed when the test is over; empty: nothing that the runner does not know by itself

	Rate   float64  // most requests per second, where the operator does not say; 0: no limit
	Speaks Protocol // the operations that its suites can name; empty: none

	Hooks     []hooks.Hook // that its operator can configure, in the order of docs/operators.md; empty: none
	Cues      []Cue        // likewise
	LongWork  string       // the cue that keeps the agent at work for some seconds, for the doctor; empty: there is none
	AboutCues string       // what docs/operators.md says before them, where they have a section of their own: Markdown
}

// A Making is a request that makes something, and the one that removes it.
type Making struct {
	Method, Path string // below the URL of the target: "POST", "/api/v1/sandboxes"
	ID           string // the member of the answer that names what was made: "id"
	Remove       string // the path that is deleted: "/api/v1/sandboxes/{id}"
	Query        string // the parameter that names it once more, for servers that do not look at the path: "sandbox_id"; empty: none
}

// A Starting is a request that starts something, for which the target makes something else in time; and the requests that find out what, and
// remove it. {id} stands for the id of what was started, or made. Batches are read, of one element.
type Starting struct {
	Method string
	Paths  []string // below the URL of the target
	ID     string   // the member of the answer that names what was started
	Read   string   // where it is read
	State  string   // its member that says how far it has come
	Ended  []string // then nothing more is made
	Makes  string   // its member that names what was made; and of its request, where somebody names what is to be used instead
	Look   string   // where what was made is read
	Since  string   // the member of both that says since when it is there: what is older was made for others
	Remove string   // the path that is deleted
	Query  string   // as of a Making
}

// A Cue is a message that brings the operator's agent into a situation. The text of the page is Markdown.
type Cue struct {
	Name  string
	Does  string // what the agent does then, as docs/operators.md says it
	Needs string // what a skip says is needed, where it is no message
	Like  string // the cue that stands for it where it is not configured; empty: none does
	Else  string // the text that stands for it where neither is; empty: what needs the cue is skipped
}

// All are the profiles that the program knows, the default one first.
var All = []Profile{agenticSandbox, a2a, sac, openHands}

// Of is the row of a profile. One that the table does not name is judged as the default one is, whatever is served there.
func Of(name string) Profile {
	if i := slices.IndexFunc(All, func(p Profile) bool { return p.Name == name }); i >= 0 {
		return All[i]
	}
	p := All[0]
	p.Name, p.Nobody = name, ""
	return p
}

// Hook is the hook that the profile has under a name, else that of another profile, which suites of one's own may name as
// well; false: no profile has it.
func (p Profile) Hook(name string) (hooks.Hook, bool) {
	for _, row := range p.first() {
		if i := slices.IndexFunc(row.Hooks, func(h hooks.Hook) bool { return h.Name == name }); i >= 0 {
			return row.Hooks[i], true
		}
	}
	return hooks.Hook{}, false
}

// Cue is the cue that the profile has under a name, else that of another profile, likewise.
func (p Profile) Cue(name string) (Cue, bool) {
	for _, row := range p.first() {
		if i := slices.IndexFunc(row.Cues, func(c Cue) bool { return c.Name == name }); i >= 0 {
			return row.Cues[i], true
		}
	}
	return Cue{}, false
}

// Configurable are the names of everything that operators can configure under `hooks` and `cues` for the profile, as reports name it:
// "hook:restart", "cue:failed".
func (p Profile) Configurable() []string {
	var all []string
	for _, h := range p.Hooks {
		all = append(all, "hook:"+h.Name)
	}
	for _, c := range p.Cues {
		all = append(all, "cue:"+c.Name)
	}
	return all
}

// first is the profile, and behind it all others.
func (p Profile) first() []Profile { return append([]Profile{p}, All...) }

// Plain says whether the target has none of the executor's own routes: nothing is derived from its address or probed but the card.
func (p Profile) Plain() bool { return p.Finds != AnExecutor }

// Noun is what is judged, without its article: "executor".
func (p Profile) Noun() string {
	_, noun, _ := strings.Cut(p.Judges, " ")
	return noun
}
