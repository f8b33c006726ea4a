// SPDX-License-Identifier: Apache-2.0

// Package traits knows by what the things that a run has seen differ: whom they came from, what was asked and with whose credentials, what
// was answered. Of the things that were not as wanted it says what they have in common and the others have not, so that a reader need not
// compare hundreds of exchanges. It judges nothing.
package traits

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A Kind is one way in which things differ. Those that say most to a reader come first.
type Kind int

// The kinds.
const (
	Route       Kind = iota // what was asked: "GET /tasks/{id}"
	Operation               // of A2A, over whatever binding
	Frame                   // what a frame of a terminal is
	Binding                 // that an operation went over
	Method                  // of HTTP
	Credentials             // whose were shown
	Query                   // a parameter of the query, or of the operation
	Header                  // of the request: that it is there with a value, or not there
	Form                    // of the body that was sent, where it is no JSON object
	Sent                    // what the message that was sent consists of
	Replayed                // whether a frame of a terminal is from before its connection
	Protocol                // that a terminal connection has agreed on
	State                   // of a task that is shown
	Holds                   // a task beside its state, or a part
	Course                  // whether a task has ended
	From                    // what has shown it
	Place                   // where it stands in an answer
	Size                    // of an answer
	Code                    // of an error
	Status                  // of an answer
	Success                 // whether an answer is an error
	Media                   // type of an answer
)

// A topic is what kinds are about. One trait of each topic says enough.
type topic int

const (
	ofAsked topic = iota
	ofClient
	ofRequest
	ofTask
	ofShown
	ofAnswer
)

var topics = map[Kind]topic{Route: ofAsked, Operation: ofAsked, Frame: ofAsked, Binding: ofAsked, Method: ofAsked, Credentials: ofClient,
	Query: ofRequest, Header: ofRequest, Form: ofRequest, Sent: ofRequest, Replayed: ofRequest, Protocol: ofClient, State: ofTask, Holds: ofTask, Course: ofTask, From: ofShown, Place: ofShown, Size: ofShown, Code: ofAnswer,
	Status: ofAnswer, Success: ofAnswer, Media: ofAnswer}

// A Trait is something that one thing has and another may lack.
type Trait struct {
	Kind  Kind
	Value string
}

// forms are how a reader reads the traits of a kind; "%s" where there is none.
var forms = map[Kind]string{Frame: "frame %s", Binding: "over %s", Method: "%s requests", Credentials: "asked with the token %s",
	Query: "asked with the parameter %s", Header: "sent %s", Sent: "a message %s was sent", Protocol: "on connections of %s", State: "task state %s", From: "shown by %s", Place: "standing at %s", Code: "error code %s", Status: "status %s", Media: "Content-Type %s"}

// anonymous is who shows no credentials.
const anonymous = "anonymous"

// String is the trait as a reader reads it: "status 404", "asked without credentials".
func (t Trait) String() string {
	if t.Kind == Credentials && t.Value == anonymous {
		return "asked without credentials"
	}
	return strings.Replace(cmp.Or(forms[t.Kind], "%s"), "%s", t.Value, 1)
}

// A Set is the traits of one thing. Those of two things that have the same traits are one, if one table has made them.
type Set struct{ traits []Trait }

// Of is a set that belongs to no table.
func Of(traits ...Trait) *Set { return &Set{traits} }

// maxSets bounds the sets of a table: a target can make up as many statuses and types as it likes.
const maxSets = 3000

// A Table keeps each set once.
type Table struct {
	mu  sync.Mutex
	all map[string]*Set
}

// Set is the set of some traits; nil where the table is full.
func (t *Table) Set(traits []Trait) *Set {
	slices.SortFunc(traits, compare)
	traits = slices.Compact(traits)
	var key strings.Builder
	for _, one := range traits {
		key.WriteByte(byte(one.Kind))
		key.WriteString(one.Value)
		key.WriteByte(0)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	set := t.all[key.String()]
	switch {
	case set != nil:
	case len(t.all) >= maxSets:
		return nil
	default:
		if t.all == nil {
			t.all = map[string]*Set{}
		}
		set = &Set{traits}
		t.all[key.String()] = set
	}
	return set
}

func compare(a, b Trait) int {
	if a.Kind != b.Kind {
		return int(a.Kind - b.Kind)
	}
	return strings.Compare(a.Value, b.Value)
}
