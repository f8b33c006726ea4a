// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

var dateTimeForm = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`)

// IsDateTime says whether a value is a text that is an RFC 3339 date-time.
func IsDateTime(v any) bool {
	text, is := v.(string)
	if !is {
		return false
	}
	_, err := parseDateTime(text)
	return err == nil
}

// parseDateTime reads RFC 3339, all of it and nothing else. A leap second is read as the second before it.
func parseDateTime(text string) (time.Time, error) {
	parts := dateTimeForm.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, errors.New("not written as YYYY-MM-DDThh:mm:ss, perhaps a fraction, and Z or an offset")
	}
	clock, offset := parts[2], strings.ToUpper(parts[4])
	if offset != "Z" && (offset[1:3] > "23" || offset[4:6] > "59") {
		return time.Time{}, fmt.Errorf("%s is no offset", offset)
	}
	leap := strings.HasSuffix(clock, ":60")
	if leap {
		clock = clock[:6] + "59"
	}
	fraction := parts[3]
	if len(fraction) > 10 {
		fraction = fraction[:10]
	}
	t, err := time.Parse(time.RFC3339Nano, parts[1]+"T"+clock+fraction+offset)
	if err != nil {
		return time.Time{}, errors.New("no such date or time of day")
	}
	if utc := t.UTC(); leap && (utc.Hour() != 23 || utc.Minute() != 59) {
		return time.Time{}, errors.New("a leap second is only at the end of a UTC day")
	}
	return t, nil
}

// parseHTTPDate reads the one form of HTTP date that may be sent, IMF-fixdate (RFC 9110, 5.6.7), with the weekday of that day.
func parseHTTPDate(text string) (time.Time, error) {
	t, err := http.ParseTime(text)
	if err != nil {
		return time.Time{}, errors.New(`not written like "Sun, 06 Nov 1994 08:49:37 GMT"`)
	}
	canonical := t.UTC().Format(http.TimeFormat)
	if canonical == text {
		return t, nil
	}
	if len(text) == len(canonical) && text[3:] == canonical[3:] {
		return time.Time{}, fmt.Errorf("%s is a %s", t.Format("2 January 2006"), t.Weekday())
	}
	return time.Time{}, fmt.Errorf("it should be written %q", canonical)
}

// parseTime reads a time in either form.
func parseTime(v any) (time.Time, bool) {
	text, is := v.(string)
	if !is {
		return time.Time{}, false
	}
	if t, err := parseDateTime(text); err == nil {
		return t, true
	}
	t, err := parseHTTPDate(text)
	return t, err == nil
}
