// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A query reads the parameters of a request, and gathers what is wrong with them.
type query struct {
	values   url.Values
	problems []problem
}

// query reads that of a call. What cannot be unescaped is left out, as nobody can have meant it.
func (c *call) query() *query {
	values, _ := url.ParseQuery(c.r.URL.RawQuery)
	return &query{values: values}
}

// wrong notes a problem of a parameter.
func (q *query) wrong(name, kind, msg string) {
	q.problems = append(q.problems, problem{[]any{"query", name}, msg, kind})
}

// text is the value of a parameter: the last one where it is repeated.
func (q *query) text(name string) (value string, given bool) {
	all := q.values[name]
	if len(all) == 0 {
		return "", false
	}
	return all[len(all)-1], true
}

// uuid is a parameter as 32 hex digits; empty: it is not given, or is none.
func (q *query) uuid(name string) string {
	text, given := q.text(name)
	if !given {
		return ""
	}
	id, is := readUUID(text)
	if !is {
		q.wrong(name, "uuid_parsing", "Input should be a valid UUID")
	}
	return id
}

// time is a parameter as an instant; zero: it is not given, or is none.
func (q *query) time(name string) time.Time {
	text, given := q.text(name)
	if !given {
		return time.Time{}
	}
	t, is := readTime(text)
	if !is {
		q.wrong(name, "datetime_from_date_parsing", "Input should be a valid datetime or date")
	}
	return t
}

// oneOf is a parameter that has one of some values; empty: it is not given, or has none of them.
func (q *query) oneOf(name string, values []string) string {
	text, given := q.text(name)
	if !given {
		return ""
	}
	if !slices.Contains(values, text) {
		q.wrong(name, "enum", "Input should be one of "+strings.Join(values, ", "))
		return ""
	}
	return text
}

// boolean is a parameter that is true or false.
func (q *query) boolean(name string) bool {
	text, given := q.text(name)
	switch strings.ToLower(text) {
	case "1", "true", "t", "yes", "y", "on":
		return true
	case "0", "false", "f", "no", "n", "off":
	default:
		if given {
			q.wrong(name, "bool_parsing", "Input should be a valid boolean, unable to interpret input")
		}
	}
	return false
}

// number is a parameter that is an integer within bounds; otherwise it is what stands for none.
func (q *query) number(name string, least, most, otherwise int) int {
	text, given := q.text(name)
	if !given {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		q.wrong(name, "int_parsing", "Input should be a valid integer, unable to parse string as an integer")
	case n < least:
		q.wrong(name, "greater_than", "Input should be greater than "+strconv.Itoa(least-1))
	case n > most:
		q.wrong(name, "less_than_equal", "Input should be less than or equal to "+strconv.Itoa(most))
	default:
		return n
	}
	return otherwise
}

// without is a query that lacks some parameters.
func (q *query) without(names ...string) *query {
	rest := &query{values: maps.Clone(q.values)}
	for _, name := range names {
		delete(rest.values, name)
	}
	return rest
}

// failure is that of the parameters so far; nil: they are right.
func (q *query) failure() *failure { return invalid(q.problems) }

// readUUID reads a UUID with or without hyphens, as 32 hex digits in lower case.
func readUUID(text string) (id string, is bool) {
	if len(text) == 36 {
		if text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
			return "", false
		}
		text = text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
	}
	if len(text) != 32 {
		return "", false
	}
	if _, err := hex.DecodeString(text); err != nil {
		return "", false
	}
	return strings.ToLower(text), true
}

// hyphenated is a UUID of 32 hex digits as the legacy routes write it.
func hyphenated(id string) string {
	return id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
}

// timeForms are the forms of ISO 8601 that are read. A fraction of a second is read wherever there are seconds.
var timeForms = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly}

// readTime reads a time; one without an offset is UTC.
func readTime(text string) (t time.Time, is bool) {
	if len(text) > 10 && (text[10] == ' ' || text[10] == 't') {
		text = text[:10] + "T" + text[11:]
	}
	text = strings.Replace(text, "z", "Z", 1)
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// stamp writes a time.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }
