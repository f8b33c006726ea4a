// SPDX-License-Identifier: Apache-2.0

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// mostText is what one text of the target may weigh in any format. The recorder cuts bodies at the same size; the bound
// holds also for a run that it did not write.
const mostText = 64 << 10

// bounded returns a copy of the run in which every text is valid UTF-8 and no longer than mostText. What is cut says so;
// a body keeps its length and its digest.
func bounded(run *Run) *Run {
	r := copyRun(run, func(s string) string { return clip(valid(s), mostText) })
	for i := range r.Results {
		for k := range r.Results[i].Evidence {
			boundBody(&r.Results[i].Evidence[k], &run.Results[i].Evidence[k])
		}
	}
	return r
}

// boundBody gives to the body of from, cut without a word in it: its length and digest say that it is cut.
func boundBody(to, from *Evidence) {
	body := valid(from.Body)
	to.Body = cutAt(body, mostText)
	if len(body) <= mostText {
		return
	}
	to.BodyBytes = max(from.BodyBytes, int64(len(from.Body)))
	if from.SHA256 == "" {
		sum := sha256.Sum256([]byte(from.Body))
		to.SHA256 = hex.EncodeToString(sum[:])
	}
}

// copyRun returns a deep copy of the run with every string changed.
func copyRun(run *Run, change func(string) string) *Run {
	r := new(Run)
	copyInto(reflect.ValueOf(r).Elem(), reflect.ValueOf(run).Elem(), change)
	return r
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

// valid shows bytes that are no UTF-8 as escapes (\xff), so that every format shows the same.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && width == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[i])
		} else {
			b.WriteString(text[i : i+width])
		}
		i += width
	}
	return b.String()
}

// clip cuts text to most bytes, and says within them how much is missing.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const room = 40
	head := cutAt(text, max(most-room, 0))
	return fmt.Sprintf("%s… (%s more)", head, size(len(text)-len(head)))
}

// cutAt returns at most n bytes of text without splitting a character.
func cutAt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for back := 1; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(text[n]); back++ {
		n--
	}
	return text[:n]
}

// size writes a number of bytes for people.
func size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
