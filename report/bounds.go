// SPDX-License-Identifier: Apache-2.0

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// maxText is what one text of the target may weigh in any format. The recorder cuts bodies at the same size; the bound
// holds also for a run that it did not write.
const maxText = 64 << 10

// bounded returns a copy of the run in which every text is valid UTF-8 and no longer than maxText. What is cut says so;
// a body keeps its length and its digest.
func bounded(run *Run) *Run {
	r := run.Copy(func(s string) string { return show.Clip(show.Valid(s), maxText) })
	for i := range r.Results {
		for k := range r.Results[i].Evidence {
			boundBody(&r.Results[i].Evidence[k], &run.Results[i].Evidence[k])
		}
	}
	return r
}

// boundBody gives to the body of from, cut without a word in it: its length and digest say that it is cut.
func boundBody(to, from *Evidence) {
	body := show.Valid(from.Body)
	to.Body = show.CutAt(body, maxText)
	if len(body) <= maxText {
		return
	}
	to.BodyBytes = max(from.BodyBytes, int64(len(from.Body)))
	if from.SHA256 == "" {
		sum := sha256.Sum256([]byte(from.Body))
		to.SHA256 = hex.EncodeToString(sum[:])
	}
}

// Copy returns a deep copy of the run with every string changed.
func (r *Run) Copy(change func(string) string) *Run {
	c := new(Run)
	copyInto(reflect.ValueOf(c).Elem(), reflect.ValueOf(r).Elem(), change)
	return c
}

func copyInto(to, from reflect.Value, change func(string) string) {
	switch from.Kind() {
	case reflect.String:
		to.SetString(change(from.String()))
	case reflect.Struct:
		if from.Type() == reflect.TypeFor[time.Time]() {
			to.Set(from)
			return
		}
		for i := range from.NumField() {
			copyInto(to.Field(i), from.Field(i), change)
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyInto(to.Index(i), from.Index(i), change)
		}
	case reflect.Pointer:
		if from.IsNil() {
			return
		}
		to.Set(reflect.New(from.Type().Elem()))
		copyInto(to.Elem(), from.Elem(), change)
	default:
		to.Set(from)
	}
}
