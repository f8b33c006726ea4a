// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// What a number may cost: a body can hold 1e1000000000, and to compare it digit by digit would take the machine.
const (
	maxDigits   = 400
	maxExponent = 400
)

// rational is a JSON number as it is, without rounding. It is not ok for what is no number, and for numbers that are
// too long to be compared.
func rational(v any) (*big.Rat, bool) {
	n, is := v.(json.Number)
	if !is || !sane(n) {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}

// sane says whether a number is short enough to be computed with, and written as JSON writes numbers.
func sane(n json.Number) bool {
	text := string(n)
	if text == "" || len(text) > maxDigits || strings.Trim(text, "0123456789+-.eE") != "" {
		return false
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(text[at+1:])
		return err == nil && -maxExponent <= exponent && exponent <= maxExponent
	}
	return true
}

// compare orders got against want, numbers by value and durations against a duration or its text ("3s").
func compare(got, want any) (order int, comparable bool) {
	if d, is := got.(time.Duration); is {
		limit, ok := duration(want)
		return int(min(1, max(-1, d-limit))), ok
	}
	if a, is := plainInteger(got); is {
		if b, is := plainInteger(want); is {
			return cmp.Compare(a, b), true
		}
	}
	a, okA := rational(got)
	b, okB := rational(want)
	if !okA || !okB {
		return 0, false
	}
	return a.Cmp(b), true
}

// plainInteger reads the numbers that most comparisons are about: 200, -5, of up to 18 digits.
func plainInteger(v any) (int64, bool) {
	n, is := v.(json.Number)
	digits := strings.TrimPrefix(string(n), "-")
	if !is || digits == "" || len(digits) > 18 || digits[0] == '0' && len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	return i, err == nil
}

func duration(v any) (time.Duration, bool) {
	switch v := v.(type) {
	case time.Duration:
		return v, true
	case string:
		d, err := time.ParseDuration(v)
		return d, err == nil
	}
	return 0, false
}

// Whole is a JSON number without a fraction, however it is written: 4, 4.0 and 4e0 are one number (RFC 8259 section 6).
func Whole(v any) (int64, bool) {
	if n, is := plainInteger(v); is {
		return n, true
	}
	r, ok := rational(v)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// isInteger says whether a number has no fraction: 1.0 and 1e2 are integers, as JSON Schema counts them.
func isInteger(v any) bool {
	if _, plain := plainInteger(v); plain {
		return true
	}
	r, ok := rational(v)
	return ok && r.IsInt()
}
