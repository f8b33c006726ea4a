// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Holds says whether got is as wanted: what Judge says, without the sentence about why not, which costs more than the
// judgement. The error is one of the suite's, as that of Word.Judge can be.
func (v Value) Holds(got any) (bool, error) {
	for i := range v.Checks {
		if holds, err := v.Checks[i].Holds(got); !holds {
			return false, err
		}
	}
	return true, nil
}

// Holds is Value.Holds of one word.
func (c *Check) Holds(got any) (bool, error) {
	if c.Word.Holds != nil {
		return c.Word.Holds(got, c.Want)
	}
	err := c.Judge(got)
	if err == nil || isProblem(err) {
		return err == nil, nil
	}
	return false, err
}

// holds says whether every member of got is as wanted.
func (m Members) holds(got any) (bool, error) {
	for i := range m {
		if holds, err := m[i].Want.Holds(m[i].Path.Find(got)); !holds {
			return false, err
		}
	}
	return true, nil
}

// anyHolds says whether got fits one of these conditions. The first error ends it.
func anyHolds(conditions []Value, got any) (bool, error) {
	for i := range conditions {
		if holds, err := conditions[i].Holds(got); holds || err != nil {
			return holds, err
		}
	}
	return false, nil
}

// anyElement says whether one of the elements fits. The first error ends it.
func anyElement(list []any, want Value) (bool, error) {
	for i := range list {
		if holds, err := want.Holds(list[i]); holds || err != nil {
			return holds, err
		}
	}
	return false, nil
}

// equal says whether two values are the same: whether there is no difference.
func equal(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		members, is := got.(map[string]any)
		if !is || len(members) != len(want) {
			return false
		}
		for name, w := range want {
			if v, there := members[name]; !there || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		list, is := got.([]any)
		return is && slices.EqualFunc(list, want, equal)
	case json.Number:
		return sameNumber(got, want)
	}
	return sameScalar(got, want)
}

func sameScalar(got, want any) bool {
	switch got := got.(type) {
	case nil:
		return want == nil
	case bool, string:
		return got == want
	case []byte, Body:
		a, _ := bytesOf(got)
		b, is := bytesOf(want)
		return is && bytes.Equal(a, b)
	case time.Duration:
		d, is := duration(want)
		return is && d == got
	}
	return false
}

// onlyAllowed says whether an object has no members but these, those of the harness aside.
func onlyAllowed(members map[string]any, allowed []any) bool {
	for name := range members {
		if !strings.HasPrefix(name, "@") && !slices.Contains(allowed, any(name)) {
			return false
		}
	}
	return true
}
