// SPDX-License-Identifier: Apache-2.0

package traits

import (
	"fmt"
	"strings"
	"testing"
)

// What tells the offenders from all else is said where it is simple and true, and nothing else is.
func TestWhatOffendersHaveInCommon(t *testing.T) {
	t.Parallel()
	get, list, cancel := Trait{Route, "GET /tasks/{id}"}, Trait{Route, "GET /tasks"}, Trait{Route, "POST /tasks/{id}:cancel"}
	ok, missing, gone, wrong := Trait{Status, "200"}, Trait{Status, "404"}, Trait{Status, "410"}, Trait{Status, "400"}
	own, nobody := Trait{Credentials, "instance"}, Trait{Credentials, anonymous}
	page, stream := Trait{Query, "pageToken"}, Trait{Media, "text/event-stream"}
	type things struct {
		n      int
		traits []Trait
	}
	for _, row := range []struct {
		name    string
		offend  []things
		fit     []things
		about   string // what the offenders are about, "" each about another thing
		finding string
		want    string
	}{
		{name: "a status that no other answer has", offend: []things{{2, []Trait{get, missing}}, {3, []Trait{list, missing}}}, fit: []things{{7, []Trait{get, ok}}},
			want: "status 404 (all 5, and none of the other 7)"},
		{name: "a route with all of its answers", offend: []things{{2, []Trait{get, missing}}, {3, []Trait{get, ok}}}, fit: []things{{7, []Trait{list, ok}}, {1, []Trait{cancel, missing}}},
			want: "GET /tasks/{id} (all 5, and none of the other 8)"},
		{name: "no credentials", offend: []things{{2, []Trait{get, nobody}}, {2, []Trait{list, nobody}}}, fit: []things{{7, []Trait{get, own}}},
			want: "asked without credentials (all 4, and none of the other 7)"},
		{name: "a second page", offend: []things{{4, []Trait{list, page, ok}}}, fit: []things{{7, []Trait{list, ok}}},
			want: "asked with the parameter pageToken (all 4, and none of the other 7)"},
		{name: "streams alone", offend: []things{{4, []Trait{ok, stream}}}, fit: []things{{7, []Trait{ok, {Media, "application/json"}}}},
			want: "Content-Type text/event-stream (all 4, and none of the other 7)"},
		{name: "one trait of each topic is enough", offend: []things{{4, []Trait{list, {Method, "GET"}, page, missing, {Success, "error answers"}}}}, fit: []things{{7, []Trait{cancel, ok}}},
			want: "GET /tasks, asked with the parameter pageToken, status 404 (all 4, and none of the other 7)"},
		{name: "either of two statuses", offend: []things{{2, []Trait{get, missing}}, {3, []Trait{get, gone}}}, fit: []things{{7, []Trait{get, ok}}},
			want: "status 404 or status 410 (all 5, and none of the other 7)"},
		{name: "each with a status of its own", offend: []things{{1, []Trait{get, missing}}, {1, []Trait{get, gone}}}, fit: []things{{7, []Trait{get, ok}}},
			want: "not status 200 (as all the other 7 are)"},
		{name: "two traits together", offend: []things{{5, []Trait{get, missing}}}, fit: []things{{7, []Trait{get, ok}}, {9, []Trait{list, missing}}},
			want: "GET /tasks/{id} and status 404 (all 5, and none of the other 16)"},
		{name: "two parameters together", offend: []things{{3, []Trait{list, page, {Query, "pageSize"}}}}, fit: []things{{7, []Trait{list, page}}, {7, []Trait{list, {Query, "pageSize"}}}},
			want: "asked with the parameter pageSize and asked with the parameter pageToken (all 3, and none of the other 14)"},
		{name: "two have any two traits together", offend: []things{{2, []Trait{get, missing}}}, fit: []things{{7, []Trait{get, ok}}, {9, []Trait{list, missing}}}},
		{name: "all but those with credentials of the instance", offend: []things{{1, []Trait{get, nobody}}, {1, []Trait{get, {Credentials, "admin"}}}, {1, []Trait{get}}}, fit: []things{{7, []Trait{get, own}}},
			want: "not asked with the token instance (as all the other 7 are)"},
		{name: "hardly any other", offend: []things{{10, []Trait{get, wrong}}}, fit: []things{{2, []Trait{get, wrong}}, {90, []Trait{get, ok}}},
			want: "status 400 (all 10, and 2 of the other 92)"},
		{name: "too many others", offend: []things{{10, []Trait{get, wrong}}}, fit: []things{{10, []Trait{get, wrong}}, {90, []Trait{get, ok}}}},
		{name: "half of the frames of a kind", offend: []things{{10, []Trait{{Frame, "Output"}}}}, fit: []things{{10, []Trait{{Frame, "Output"}}}, {90, []Trait{{Frame, "Resize"}}}},
			want: "frame Output (all 10, and 10 of the other 100)"},
		{name: "all are about one task", offend: []things{{2, []Trait{get}}, {1, []Trait{list}}}, fit: []things{{7, []Trait{get}}, {7, []Trait{list}}}, about: "task 7",
			want: "task 7 (all 3 are about it)"},
		{name: "the only one", offend: []things{{1, []Trait{get, missing}}}, fit: []things{{7, []Trait{get, ok}}}, want: "status 404 (and none of the other 7)"},
		{name: "the only one, with a trait that it shares", offend: []things{{1, []Trait{get, missing}}}, fit: []things{{7, []Trait{get, ok}}, {7, []Trait{list, missing}}}},
		{name: "the only one of its route", offend: []things{{1, []Trait{get, ok}}}, fit: []things{{7, []Trait{list, ok}}}},
		{name: "one other", offend: []things{{2, []Trait{missing}}}, fit: []things{{1, []Trait{ok}}}, want: "status 404 (all 2, and not the other one)"},
		{name: "one of each", offend: []things{{1, []Trait{missing}}}, fit: []things{{1, []Trait{ok}}}, want: "status 404 (and not the other one)"},
		{name: "what the finding says itself", offend: []things{{4, []Trait{get, missing}}}, fit: []things{{7, []Trait{get, ok}}}, finding: "status is 404"},
		{name: "nothing else was looked at", offend: []things{{4, []Trait{get, missing}}}},
		{name: "nothing tells them apart", offend: []things{{4, []Trait{get, ok}}}, fit: []things{{4, []Trait{get, ok}}}},
		{name: "of one nothing is known", offend: []things{{4, []Trait{missing}}}, fit: []things{{4, []Trait{ok}}, {1, nil}}},
	} {
		tally, table, id := Tally{}, Table{}, 0
		add := func(all []things, offend bool) {
			for _, one := range all {
				for range one.n {
					about := row.about
					if id++; about == "" {
						about = fmt.Sprint("task ", id)
					}
					if one.traits == nil {
						tally.Add(nil, offend, about)
					} else {
						tally.Add(table.Set(one.traits), offend, about)
					}
				}
			}
		}
		add(row.offend, true)
		add(row.fit, false)
		if got := tally.Common(row.finding); got != row.want {
			t.Errorf("%s: says %q, want %q", row.name, got, row.want)
		}
	}
}

// A target that makes up traits does not fill the memory: then nothing is said.
func TestTraitsAreBounded(t *testing.T) {
	t.Parallel()
	var tally Tally
	var table Table
	for i := range 2 * maxSets {
		tally.Add(table.Set([]Trait{{Status, fmt.Sprint(i)}}), i%2 == 0, "")
	}
	if len(table.all) > maxSets || len(tally.of) > maxSets {
		t.Errorf("%d sets are kept, %d are counted", len(table.all), len(tally.of))
	}
	if got := tally.Common(""); got != "" {
		t.Errorf("says %q of what it does not know", got)
	}
	var l list
	l.add(Media, strings.Repeat("x", longestValue+1))
	l.add(Code, "two\nlines")
	if len(l) != 0 {
		t.Errorf("keeps %q", l)
	}
}
