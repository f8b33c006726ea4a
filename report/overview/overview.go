// SPDX-License-Identifier: Apache-2.0

// Package overview is what the runs against many targets come to: which of them keep the contract, by surface, what all of them
// break and what only one does, the worst first.
//
// An [Overview] is made of the runs one at a time, and keeps of each only what a reader of all of them wants: which tests
// passed, and of the others the sentence that decides. No evidence stays, so that a hundred targets fit where one report does not. It is
// made in the same way of runs that have just been played and of their JSON reports, so that what one machine and what several have
// played cannot be told apart by it, and it holds no moment but those of the runs, so that it is the same whenever it is made.
//
// A target that was not played is part of it: what is missing is never left out, and an overview with something missing is no
// pass. The same holds for targets that were played by another version of the program, of its suites or of the contract: they stand
// there, and so does that they cannot be compared.
package overview

import (
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Schema names the form of an overview as JSON; it only ever grows.
const Schema = "agentic-sandbox-conformance/overview/v1"

// An Overview is what the runs against the targets of one list come to.
type Overview struct {
	Schema     string         `json:"schema"`
	Tool       report.Tool    `json:"tool"` // that wrote it
	List       List           `json:"list"`
	Verdict    report.Verdict `json:"verdict"`             // of the worst target
	Because    string         `json:"because"`             // in one sentence
	StartedAt  *time.Time     `json:"startedAt,omitempty"` // of the first run; nil: nothing was played
	DurationMS int64          `json:"durationMs"`          // until the last one ended
	Counts     Counts         `json:"counts"`              // of targets
	Summary    report.Summary `json:"summary"`             // of the results of all of them
	Notes      []Note         `json:"notes,omitempty"`     // about the runs themselves
	Broken     []Broken       `json:"broken"`              // requirements, the one that most targets break first
	Causes     []Cause        `json:"causes,omitempty"`    // root causes that several targets have, the most frequent first
	Profiles   []Profile      `json:"profiles"`            // what was asked
	Entries    []Entry        `json:"targets"`             // the worst first
}

// List is the list of targets that was played.
type List struct {
	SHA256  string `json:"sha256"` // of the file, hex
	Targets int    `json:"targets"`
	Shard   string `json:"shard,omitempty"` // "0/4", where the overview is that of one shard; its targets alone stand in it
}

// Counts counts targets by their verdict.
type Counts struct {
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Incomplete   int `json:"incomplete"`
	Unreachable  int `json:"unreachable"`
	Unauthorized int `json:"unauthorized"`
	Missing      int `json:"missing"` // that were not played, or whose report is not there
}

// The kinds of notes.
const (
	NoteMissing     = "missing"      // a shard, or what it should have written
	NoteTwice       = "twice"        // a target was played more than once
	NoteVersion     = "version"      // a target was played by another version
	NoteEarlier     = "earlier"      // a report is left from an earlier attempt
	NoteUnreadable  = "unreadable"   // a report cannot be read, or is that of another target
	NoteInterrupted = "interrupted"  // the fleet, or a target, was not played to its end
	NoteLost        = "lost-reports" // a report could not be written
)

// A Note is something to know about the runs before their results.
type Note struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Open bool   `json:"open,omitempty"` // because of it the overview is no pass
}

// A Profile is what targets were judged by.
type Profile struct {
	Name     string   `json:"name"`
	Surfaces []string `json:"surfaces"` // by name
	Tests    []Test   `json:"tests"`    // by id
}

// A Test is one test of a profile.
type Test struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Surface     string `json:"surface"`
	Level       string `json:"level"`
	Requirement string `json:"requirement"`
}

// An Entry is one target.
type Entry struct {
	Index   int               `json:"index"` // in the list, from 0
	Name    string            `json:"name"`
	Labels  map[string]string `json:"labels,omitempty"`
	URL     string            `json:"executorUrl"`
	Profile string            `json:"profile,omitempty"`
	Shard   string            `json:"shard,omitempty"`   // that played it: "1/4"
	Missing string            `json:"missing,omitempty"` // why nothing is known of it; "" where it was played
	Reports []string          `json:"reports,omitempty"` // its reports, relative to the overview

	InstanceID string                    `json:"instanceId,omitempty"`
	Verdict    report.Verdict            `json:"verdict"` // incomplete, where it was not played
	Heading    string                    `json:"heading"` // the verdict with its labels
	Because    string                    `json:"because,omitempty"`
	StartedAt  *time.Time                `json:"startedAt,omitempty"`
	DurationMS int64                     `json:"durationMs,omitempty"`
	Version    *Version                  `json:"playedBy,omitempty"`
	Summary    report.Summary            `json:"summary"`
	Surfaces   map[string]report.Summary `json:"surfaces,omitempty"`
	Found      []Found                   `json:"found,omitempty"`   // what does not hold, was warned about, or is blocked; in suite order
	Passed     []string                  `json:"passed,omitempty"`  // ids, in suite order
	Skipped    map[string][]string       `json:"skipped,omitempty"` // ids, by the code of the reason
	Causes     []Cause                   `json:"-"`
}

// A Version is what a target was played by. Targets with different ones cannot be compared.
type Version struct {
	Tool     report.Tool `json:"tool"`
	Digest   string      `json:"suites"`             // of the suites
	Contract string      `json:"contract,omitempty"` // its revision
}

// A Found is a test that did not pass and was not skipped.
type Found struct {
	ID      string         `json:"id"`
	Outcome report.Outcome `json:"outcome"` // fail, warn or blocked
	Waived  bool           `json:"waived,omitempty"`
	Says    string         `json:"says"` // the finding that decides, or what blocks
}

// How many of the targets break a requirement.
const (
	ByAll  = "all"  // every target where it was measured, and at least two
	BySome = "some" // several
	ByOne  = "one"
)

// A Broken is a requirement that some target breaks.
type Broken struct {
	Profile  string   `json:"profile"`
	ID       string   `json:"id"`
	By       string   `json:"by"`       // all, some or one
	Targets  []string `json:"targets"`  // their names, in the order of the list
	Measured int      `json:"measured"` // on how many targets it was measured
	Says     string   `json:"says"`     // what was found at the first of them
}

// A Cause is one thing that makes several tests fail, at several targets.
type Cause struct {
	Profile string   `json:"profile"`
	Says    string   `json:"says"`
	Fix     string   `json:"fix"`
	Tests   int      `json:"tests"` // that it breaks, where it breaks most
	Targets []string `json:"targets"`
}
