// SPDX-License-Identifier: Apache-2.0

// Package catalog holds what the contracts require, one file a profile: the public id of every requirement with its level
// and its sentence. The suites say how a requirement is tested; this list says which there are, so that one without a
// test is seen to be missing. The files are JSON with one requirement a line, in the order of the contract's documents.
package catalog

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed *.json
var files embed.FS

// A Requirement is one thing that the contract asks.
type Requirement struct {
	ID      string `json:"id"`
	Surface string `json:"surface"`
	Level   string `json:"level"` // MUST, MUST NOT, SHOULD, SHOULD NOT or MAY
	Applies string `json:"applies"`
	Summary string `json:"summary"`
	Source  string `json:"source"`
	Verdict string `json:"verdict,omitempty"` // warn or info: what becomes of it when broken, where the level alone says more or less
}

// Of returns the requirements of a profile; none when there is no list of them. Several places of a run ask for them, so that they are
// read once.
func Of(profile string) ([]Requirement, error) {
	once, _ := known.LoadOrStore(profile, sync.OnceValues(func() ([]Requirement, error) { return read(profile) }))
	all, err := once.(func() ([]Requirement, error))()
	return slices.Clone(all), err
}

// known are the lists by profile, as functions that read them once.
var known sync.Map

func read(profile string) ([]Requirement, error) {
	text, err := files.ReadFile(profile + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Requirement
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("catalog of %s: %w", profile, err)
	}
	return all, nil
}

// Profiles lists the profiles whose requirements are known, by name.
func Profiles() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("bug: the embedded catalogs cannot be listed: " + err.Error())
	}
	var all []string
	for _, entry := range entries {
		all = append(all, strings.TrimSuffix(entry.Name(), ".json"))
	}
	return all
}

// joint stands between conditions that must all hold. A + inside of a word joins nothing: HTTP+JSON.
var joint = regexp.MustCompile(`\s+(?:\+|and)\s+`)

// Conditions are the parts of Applies, all of which must hold for the requirement to be judged; none when it always is.
// The parts of Applies are joined by + or by and. A condition may have [Alternatives].
//
//	when-declared:X      the card declares X
//	when-not-declared:X  the card does not declare X
//	when-present:X       the target offers or shows X
//	when-auth-enabled    anonymous requests are refused, or should be
//	when-configured:X    the operator gave X (a token), or none for no-attach-auth
//	when-https-host      the interface is on a public host
//	binding:X            the card declares an interface of this binding; two-or-more: of different ones
//	subprotocol:X        the executor accepts this WebSocket subprotocol
//	production-only      the operator says that the deployment is one
//	needs-hook:X         the operator configures X
//	needs-driver:X       the operator knows what to tell the agent so that X comes about
//	slow:N               waiting N seconds is allowed
//	deferred-in:V        declared, but not enforced in this version of the contract
//	reserved:V           not judged before this version
func (r Requirement) Conditions() []string {
	var all []string
	for _, part := range joint.Split(r.Applies, -1) {
		if part = strings.TrimSpace(part); part != "" && part != "always" {
			all = append(all, part)
		}
	}
	return all
}

// Alternatives are the conditions of which one has to hold for the condition to hold: "a or b" has two, others are
// their only one. Inside of and, or binds first: it joins conditions of one kind.
func Alternatives(condition string) []string { return strings.Split(condition, " or ") }
